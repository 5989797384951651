/// An IPv4 or IPv6 address as a value: 128 bits, family and (IPv6 only) the scope of a link-local address.
package struct IPAddress: Hashable, Sendable {
    /// The two address families.
    package enum Family: UInt8, Sendable {
        case ipv4
        case ipv6
    }

    /// The family of this address. A mapped address such as `::ffff:10.0.0.1` is IPv6.
    package let family: Family
    /// The upper 64 bits in host order. An IPv4 address reads as its mapped form `::ffff:a.b.c.d`, so this is 0.
    package let ipv6High: UInt64
    /// The lower 64 bits in host order. An IPv4 address reads as its mapped form `::ffff:a.b.c.d`.
    package let ipv6Low: UInt64
    /// The interface index an IPv6 address is bound to; 0 means none, and IPv4 has none.
    package let scope: UInt32

    /// An IPv4 address from its 32 bits in host order: 127.0.0.1 is `0x7f00_0001`.
    package init(ipv4 value: UInt32) {
        family = .ipv4
        ipv6High = 0
        ipv6Low = 0xffff_0000_0000 | UInt64(value)
        scope = 0
    }

    /// An IPv6 address from its two halves in host order; `scope` is an interface index or 0.
    package init(ipv6High high: UInt64, low: UInt64, scope: UInt32 = 0) {
        family = .ipv6
        ipv6High = high
        ipv6Low = low
        self.scope = scope
    }

    /// An address from its 4 or 16 bytes in network order; any other count gives nil.
    package init?(network bytes: Span<UInt8>) {
        switch bytes.count {
        case 4: self.init(ipv4: UInt32(truncatingIfNeeded: Self.bigEndian(bytes, 0..<4)))
        case 16: self.init(ipv6High: Self.bigEndian(bytes, 0..<8), low: Self.bigEndian(bytes, 8..<16))
        default: return nil
        }
    }

    /// The 32 bits of an IPv4 address in host order; nil for IPv6, mapped addresses included.
    package var ipv4Value: UInt32? {
        family == .ipv4 ? UInt32(truncatingIfNeeded: ipv6Low) : nil
    }

    private static func bigEndian(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt64 {
        var value: UInt64 = 0
        for index in range { value = value << 8 | UInt64(bytes[index]) }
        return value
    }
}

extension IPAddress {
    /// The IPv4 address that an IPv6 address carries inside, because a host or gateway may deliver to that one; nil when it carries none.
    ///
    /// Known carriers: mapped `::ffff:0:0/96` and compatible `::/96` without `::` and `::1` (RFC 4291 2.5.5), NAT64 `64:ff9b::/96`
    /// (RFC 6052) and its local-use sibling `64:ff9b:1::/48` (RFC 8215), 6to4 `2002::/16` (RFC 3056), Teredo `2001::/32` (RFC 4380).
    package var embeddedIPv4: IPAddress? {
        guard family == .ipv6 else { return nil }
        let lastBits = UInt32(truncatingIfNeeded: ipv6Low)
        if ipv6High == 0 {
            let isMapped = ipv6Low >> 32 == 0xffff
            let isCompatible = ipv6Low >> 32 == 0 && ipv6Low > 1
            return isMapped || isCompatible ? IPAddress(ipv4: lastBits) : nil
        }
        if ipv6High == 0x0064_ff9b_0000_0000 && ipv6Low >> 32 == 0 { return IPAddress(ipv4: lastBits) }
        if ipv6High >> 16 == 0x0064_ff9b_0001 { return IPAddress(ipv4: localUseTranslated) }
        if ipv6High >> 48 == 0x2002 { return IPAddress(ipv4: UInt32(truncatingIfNeeded: ipv6High >> 16)) }
        if ipv6High >> 32 == 0x2001_0000 { return IPAddress(ipv4: ~lastBits) }
        return nil
    }

    /// The operator picks the prefix length inside the /48. A zero suffix of 40 bits shows the /48 layout of RFC 6052 2.2, where the
    /// IPv4 bits lie around the unused byte in the middle; anything else is read as the usual /96 layout.
    private var localUseTranslated: UInt32 {
        guard ipv6Low << 24 == 0 else { return UInt32(truncatingIfNeeded: ipv6Low) }
        let upper = UInt32(truncatingIfNeeded: ipv6High & 0xffff)
        let lower = UInt32(truncatingIfNeeded: ipv6Low >> 40 & 0xffff)
        return upper << 16 | lower
    }
}
