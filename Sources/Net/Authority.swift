/// A destination as a client writes it: `host[:port]`.
///
/// This is the only parser of that form. Rules, resolving, connecting and logging all use the value it makes, so they cannot disagree
/// about which host a request means.
package struct Authority: Hashable, Sendable, CustomStringConvertible {
    /// The name in canonical form, or the address.
    package var host: Host
    /// The port as written, 1...65535; nil when none was written.
    package var port: UInt16?
    /// Whether the name was written with a dot at its end (an absolute name, RFC 1034 3.1). `host` never holds that dot.
    package var hasTrailingDot: Bool

    /// A destination from its parts; `host` must already be canonical.
    package init(host: Host, port: UInt16?, hasTrailingDot: Bool = false) {
        self.host = host
        self.port = port
        self.hasTrailingDot = hasTrailingDot
    }

    /// Reads `host[:port]` and nothing else: no scheme, no user information, no path.
    ///
    /// Stricter than RFC 3986 3.2: an empty port, percent-escapes, zones and numeric hosts other than a dotted quad are refused.
    package init(parsing bytes: Span<UInt8>) throws(AuthorityError) {
        let marks = try Marks(bytes)
        guard !marks.startsWithBracket else {
            self = try Self.bracketed(bytes)
            return
        }
        if marks.hasBracket || marks.colons > 1 { throw .badBracket }
        if marks.hasPercent { throw .badCharacter }
        let hostEnd = marks.colons == 0 ? bytes.count : marks.firstColon
        guard hostEnd > 0 else { throw .empty }
        let (host, hasTrailingDot) = try Host.parse(bytes.extracting(0..<hostEnd))
        self.init(host: host, port: try Self.port(bytes, from: hostEnd), hasTrailingDot: hasTrailingDot)
    }

    /// The same from a string.
    package init(_ text: String) throws(AuthorityError) {
        let bytes = Array(text.utf8)
        try self.init(parsing: bytes.span)
    }

    /// The canonical text: lower case, IPv6 in brackets, trailing dot and port kept as written. Parses back to an equal value.
    package var description: String {
        let name = hasTrailingDot ? host.uriText + "." : host.uriText
        guard let port else { return name }
        return "\(name):\(port)"
    }

    private static func bracketed(_ bytes: Span<UInt8>) throws(AuthorityError) -> Authority {
        var close = 1
        while close < bytes.count, bytes[close] != UInt8(ascii: "]") { close += 1 }
        guard close < bytes.count else { throw .badBracket }
        for index in (close + 1)..<bytes.count where bytes[index].isBracket { throw .badBracket }
        for index in 1..<close where bytes[index] == UInt8(ascii: "%") { throw .zone }
        guard let address = IPAddress(parsing: bytes.extracting(1..<close)), address.family == .ipv6 else { throw .badAddress }
        let rest = close + 1
        guard rest == bytes.count || bytes[rest] == UInt8(ascii: ":") else { throw .badBracket }
        return Authority(host: .address(address), port: try port(bytes, from: rest))
    }

    /// The port whose colon stands at `colon`; nil when the text ends there.
    private static func port(_ bytes: Span<UInt8>, from colon: Int) throws(AuthorityError) -> UInt16? {
        guard colon < bytes.count else { return nil }
        guard colon + 1 < bytes.count else { throw .badPort }
        var value: UInt32 = 0
        for index in (colon + 1)..<bytes.count {
            guard let digit = bytes[index].decimalDigit else { throw .badPort }
            value = min(value * 10 + digit, 100_000)
        }
        guard value >= 1, value <= 65535 else { throw .portOutOfRange }
        return UInt16(value)
    }
}

/// The characters that decide how an authority is taken apart, found in one walk that also refuses every byte that cannot stand in one.
private struct Marks {
    private(set) var colons = 0
    private(set) var firstColon = 0
    private(set) var hasBracket = false
    private(set) var hasPercent = false
    private(set) var startsWithBracket = false

    init(_ bytes: Span<UInt8>) throws(AuthorityError) {
        guard !bytes.isEmpty else { throw .empty }
        for index in bytes.indices {
            let byte = bytes[index]
            if byte.isHostByte { continue }
            switch byte {
            case UInt8(ascii: ":"):
                if colons == 0 { firstColon = index }
                colons += 1
            case UInt8(ascii: "["), UInt8(ascii: "]"): hasBracket = true
            case UInt8(ascii: "%"): hasPercent = true
            case UInt8(ascii: "@"): throw .userinfo
            default: throw .badCharacter
            }
        }
        startsWithBracket = bytes[0] == UInt8(ascii: "[")
    }
}

extension UInt8 {
    fileprivate var isBracket: Bool { self == UInt8(ascii: "[") || self == UInt8(ascii: "]") }
}
