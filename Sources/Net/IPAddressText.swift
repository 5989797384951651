// Address to text, as RFC 5952 asks: lower case, no leading zeros, the longest run of two or more zero groups (the first among equals)
// as "::", mapped addresses with a dotted quad.

extension IPAddress: CustomStringConvertible {
    /// The canonical text, without brackets; a scope is appended as `%3`. Parses back to an equal address.
    package var description: String {
        var text = AddressText()
        if family == .ipv4 {
            text.append(quad: UInt32(truncatingIfNeeded: ipv6Low))
        } else if ipv6High == 0, ipv6Low >> 32 == 0xffff {
            text.append(colons: 2)
            text.append(hex: 0xffff)
            text.append(colons: 1)
            text.append(quad: UInt32(truncatingIfNeeded: ipv6Low))
        } else {
            appendGroups(to: &text)
        }
        return scope == 0 ? text.string : text.string + "%\(scope)"
    }

    /// The text as it stands in a URI authority: IPv6 in brackets (RFC 3986 3.2.2), a scope as `%253` (RFC 6874).
    package var uriHost: String {
        guard family == .ipv6 else { return description }
        let plain = IPAddress(ipv6High: ipv6High, low: ipv6Low).description
        return scope == 0 ? "[\(plain)]" : "[\(plain)%25\(scope)]"
    }

    private func group(_ index: Int) -> UInt16 {
        let half = index < 4 ? ipv6High : ipv6Low
        return UInt16(truncatingIfNeeded: half >> (48 - UInt64(index & 3) * 16))
    }

    private func appendGroups(to text: inout AddressText) {
        let gap = longestZeroRun
        var index = 0
        while index < 8 {
            if index == gap.lowerBound, gap.count > 1 {
                text.append(colons: 2)
                index = gap.upperBound
                continue
            }
            if index > 0, index != gap.upperBound || gap.count < 2 { text.append(colons: 1) }
            text.append(hex: group(index))
            index += 1
        }
    }

    private var longestZeroRun: Range<Int> {
        var best = 0..<0
        var start = 0
        for index in 0..<8 {
            if group(index) != 0 {
                start = index + 1
            } else if index + 1 - start > best.count {
                best = start..<(index + 1)
            }
        }
        return best
    }
}

/// A fixed buffer large enough for every address, so that writing one into a log line allocates nothing but the string.
private struct AddressText {
    private var bytes = InlineArray<40, UInt8>(repeating: 0)
    private var count = 0

    private mutating func append(_ byte: UInt8) {
        bytes[count] = byte
        count += 1
    }

    mutating func append(colons: Int) {
        for _ in 0..<colons { append(UInt8(ascii: ":")) }
    }

    mutating func append(hex value: UInt16) {
        var shift: UInt16 = value > 0xfff ? 12 : value > 0xff ? 8 : value > 0xf ? 4 : 0
        while true {
            let digit = UInt8(truncatingIfNeeded: value >> shift & 0xf)
            append(digit < 10 ? digit + UInt8(ascii: "0") : digit - 10 + UInt8(ascii: "a"))
            if shift == 0 { return }
            shift -= 4
        }
    }

    mutating func append(quad value: UInt32) {
        for shift in stride(from: 24, through: 0, by: -8) {
            let part = UInt8(truncatingIfNeeded: value >> shift)
            if part > 99 { append(part / 100 + UInt8(ascii: "0")) }
            if part > 9 { append(part / 10 % 10 + UInt8(ascii: "0")) }
            append(part % 10 + UInt8(ascii: "0"))
            if shift > 0 { append(UInt8(ascii: ".")) }
        }
    }

    var string: String { String(ascii: bytes.span.extracting(0..<count)) }
}

extension String {
    /// A string from bytes known to be ASCII; anything that is not UTF-8 gives an empty string.
    init(ascii bytes: Span<UInt8>) {
        do {
            self.init(copying: try UTF8Span(validating: bytes))
        } catch {
            self.init()
        }
    }
}
