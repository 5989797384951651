/// A range of addresses that share their first bits, such as `10.0.0.0/8`.
package struct IPPrefix: Hashable, Sendable, CustomStringConvertible {
    /// The lowest address of the range; it has no scope.
    package let address: IPAddress
    /// How many bits are fixed: 0...32 for IPv4, 0...128 for IPv6.
    package let length: Int

    /// The range around `address`; bits beyond `length` are dropped. nil when `length` is outside 0...32 (IPv4) or 0...128 (IPv6).
    ///
    /// A range inside the mapped block `::ffff:0:0/96` becomes the IPv4 range it stands for.
    package init?(address: IPAddress, length: Int) {
        let isIPv4 = address.family == .ipv4
        guard length >= 0, length <= (isIPv4 ? 32 : 128) else { return nil }
        let bits = isIPv4 ? length + 96 : length
        let high = address.ipv6High & Self.highMask(bits)
        let low = address.ipv6Low & Self.lowMask(bits)
        if bits >= 96, high == 0, low >> 32 == 0xffff {
            self.address = IPAddress(ipv4: UInt32(truncatingIfNeeded: low))
            self.length = bits - 96
        } else {
            self.address = IPAddress(ipv6High: high, low: low)
            self.length = length
        }
    }

    /// A range from `address/length`; a bare address is the range of that one address. nil for anything else, zones included.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = IPAddress(first), address.scope == 0 else { return nil }
        guard parts.count == 2 else {
            self.init(address: address, length: address.family == .ipv4 ? 32 : 128)
            return
        }
        let digits = parts[1]
        guard digits.utf8.count <= 3, digits.utf8.allSatisfy({ $0.decimalDigit != nil }), let length = Int(digits) else { return nil }
        self.init(address: address, length: length)
    }

    /// Whether `candidate` lies in the range. Scopes are ignored; a mapped IPv6 address is also tried as the IPv4 address it stands for.
    package func contains(_ candidate: IPAddress) -> Bool {
        guard address.family == .ipv4 else {
            return candidate.family == .ipv6 && holds(candidate, bits: length)
        }
        return holds(candidate, bits: length + 96)
    }

    /// `address/length` with the canonical text of the lowest address.
    package var description: String { "\(address)/\(length)" }

    private func holds(_ candidate: IPAddress, bits: Int) -> Bool {
        let highDiffers = (candidate.ipv6High ^ address.ipv6High) & Self.highMask(bits)
        let lowDiffers = (candidate.ipv6Low ^ address.ipv6Low) & Self.lowMask(bits)
        return highDiffers | lowDiffers == 0
    }

    private static func highMask(_ bits: Int) -> UInt64 {
        bits >= 64 ? .max : ~(.max >> UInt64(bits))
    }

    private static func lowMask(_ bits: Int) -> UInt64 {
        bits <= 64 ? 0 : bits >= 128 ? .max : ~(.max >> UInt64(bits - 64))
    }
}
