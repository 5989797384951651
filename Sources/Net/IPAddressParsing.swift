// Text to address. Strict on purpose: a form that two programs could read differently (leading zeros, fewer than four parts, hexadecimal
// parts) is not an address here, so no rule can be bypassed by writing an address in an unusual way.

extension IPAddress {
    /// An address from its text, or nil.
    ///
    /// IPv4 is four decimal parts of 0...255 without leading zeros. IPv6 is any form of RFC 4291 2.2, with an optional numeric zone such
    /// as `%3` (1...4294967295). No brackets, no spaces.
    package init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        self.init(parsing: bytes.span)
    }

    /// The same from the text's ASCII bytes.
    package init?(parsing bytes: Span<UInt8>) {
        var hasColon = false
        var percent = bytes.count
        for index in bytes.indices {
            if bytes[index] == UInt8(ascii: ":") { hasColon = true }
            if bytes[index] == UInt8(ascii: "%") { percent = min(percent, index) }
        }
        guard hasColon else {
            guard let value = Self.dottedQuad(bytes, from: 0, to: bytes.count) else { return nil }
            self.init(ipv4: value)
            return
        }
        guard let groups = Self.groups(bytes, to: percent), let scope = Self.zone(bytes, from: percent) else { return nil }
        self.init(ipv6High: Self.half(groups, 0..<4), low: Self.half(groups, 4..<8), scope: scope)
    }

    static func dottedQuad(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> UInt32? {
        var value: UInt32 = 0
        var part: UInt32 = 0
        var digits = 0
        var dots = 0
        for index in start..<end {
            let byte = bytes[index]
            if byte == UInt8(ascii: ".") {
                guard digits > 0, dots < 3 else { return nil }
                value = value << 8 | part
                part = 0
                digits = 0
                dots += 1
            } else {
                guard let digit = byte.decimalDigit, digits == 0 || part != 0 else { return nil }
                part = part * 10 + digit
                digits += 1
                guard part <= 255 else { return nil }
            }
        }
        return dots == 3 && digits > 0 ? value << 8 | part : nil
    }

    /// The eight 16-bit groups of an IPv6 text, "::" filled up with zeros.
    private static func groups(_ bytes: Span<UInt8>, to end: Int) -> InlineArray<8, UInt16>? {
        var groups = InlineArray<8, UInt16>(repeating: 0)
        var count = 0
        var gap: Int?
        var index = 0
        if end >= 2, bytes[0] == UInt8(ascii: ":"), bytes[1] == UInt8(ascii: ":") {
            gap = 0
            index = 2
        }
        while index < end || gap != count {
            guard count < 8, let group = hexGroup(bytes, from: index, to: end) else { return nil }
            if group.end < end, bytes[group.end] == UInt8(ascii: ".") {
                guard count <= 6, let quad = dottedQuad(bytes, from: index, to: end) else { return nil }
                groups[count] = UInt16(truncatingIfNeeded: quad >> 16)
                groups[count + 1] = UInt16(truncatingIfNeeded: quad)
                count += 2
                break
            }
            groups[count] = group.value
            count += 1
            if group.end == end { break }
            guard bytes[group.end] == UInt8(ascii: ":") else { return nil }
            index = group.end + 1
            if index < end, bytes[index] == UInt8(ascii: ":") {
                guard gap == nil else { return nil }
                gap = count
                index += 1
            }
        }
        guard let gap else { return count == 8 ? groups : nil }
        return count < 8 ? widened(groups, count: count, gap: gap) : nil
    }

    private static func hexGroup(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> (value: UInt16, end: Int)? {
        var value: UInt16 = 0
        var index = start
        while index < end, let digit = bytes[index].hexDigit {
            guard index - start < 4 else { return nil }
            value = value << 4 | UInt16(digit)
            index += 1
        }
        return index > start ? (value, index) : nil
    }

    private static func widened(_ groups: InlineArray<8, UInt16>, count: Int, gap: Int) -> InlineArray<8, UInt16> {
        var result = InlineArray<8, UInt16>(repeating: 0)
        for index in 0..<gap { result[index] = groups[index] }
        for index in gap..<count { result[8 - count + index] = groups[index] }
        return result
    }

    private static func half(_ groups: InlineArray<8, UInt16>, _ range: Range<Int>) -> UInt64 {
        var value: UInt64 = 0
        for index in range { value = value << 16 | UInt64(groups[index]) }
        return value
    }

    /// The number after "%": 0 when there is no zone at all, nil when the zone is not a number of 1...4294967295 without leading zeros.
    private static func zone(_ bytes: Span<UInt8>, from percent: Int) -> UInt32? {
        guard percent < bytes.count else { return 0 }
        var value: UInt64 = 0
        for index in (percent + 1)..<bytes.count {
            guard let digit = bytes[index].decimalDigit, value != 0 || digit != 0 else { return nil }
            value = value * 10 + UInt64(digit)
            guard value <= UInt32.max else { return nil }
        }
        return value == 0 ? nil : UInt32(value)
    }
}
