extension Host {
    /// A host without brackets from bytes known to be name bytes and dots: an IPv4 address or a domain name in canonical form.
    ///
    /// `hasTrailingDot` tells whether one dot at the end was dropped. A name whose last label some resolvers take for a number is refused
    /// unless it is a plain dotted quad, because they would connect to an address that no rule has seen.
    static func parse(_ bytes: Span<UInt8>) throws(AuthorityError) -> (host: Host, hasTrailingDot: Bool) {
        let hasTrailingDot = bytes.count > 1 && bytes[bytes.count - 1] == UInt8(ascii: ".")
        let end = hasTrailingDot ? bytes.count - 1 : bytes.count
        let shape = try NameShape(bytes, end: end)
        if shape.endsInNumber {
            guard !hasTrailingDot, let value = IPAddress.dottedQuad(bytes, from: 0, to: end) else { throw .numericHost }
            return (.address(IPAddress(ipv4: value)), false)
        }
        let name = bytes.extracting(0..<end)
        return (.name(shape.hasUpperCase ? lowerCased(name) : String(ascii: name)), hasTrailingDot)
    }

    private static func lowerCased(_ bytes: Span<UInt8>) -> String {
        var copy: [UInt8] = []
        copy.reserveCapacity(bytes.count)
        for index in bytes.indices { copy.append(bytes[index].lowerCased) }
        return String(ascii: copy.span)
    }
}

/// The outcome of walking once over the labels of a name.
private struct NameShape {
    private(set) var hasUpperCase = false
    private(set) var endsInNumber = false

    /// Checks label and name lengths (RFC 1035 2.3.4) in `bytes[0..<end]`.
    init(_ bytes: Span<UInt8>, end: Int) throws(AuthorityError) {
        var labelStart = 0
        for index in 0..<end {
            let byte = bytes[index]
            if byte.isUpperCase { hasUpperCase = true }
            guard byte == UInt8(ascii: ".") else { continue }
            try Self.check(labelLength: index - labelStart)
            labelStart = index + 1
        }
        try Self.check(labelLength: end - labelStart)
        guard end <= 253 else { throw .nameTooLong }
        endsInNumber = Self.isNumber(bytes, labelStart..<end)
    }

    private static func check(labelLength: Int) throws(AuthorityError) {
        if labelLength == 0 { throw .emptyLabel }
        if labelLength > 63 { throw .labelTooLong }
    }

    /// All digits, or "0x" followed by nothing but hexadecimal digits: the forms inet_aton reads as a number.
    private static func isNumber(_ bytes: Span<UInt8>, _ label: Range<Int>) -> Bool {
        let start = label.lowerBound
        let isHex = label.count >= 2 && bytes[start] == UInt8(ascii: "0") && bytes[start + 1].lowerCased == UInt8(ascii: "x")
        guard isHex else { return label.allSatisfy { bytes[$0].decimalDigit != nil } }
        return label.dropFirst(2).allSatisfy { bytes[$0].hexDigit != nil }
    }
}
