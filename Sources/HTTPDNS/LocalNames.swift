package import Net

/// Which names never leave this host's own name service.
package struct LocalNames: Sendable {
    /// Suffixes that only a private network can know (RFC 6762 3, RFC 8375 4, the IANA reservation of "internal", Kubernetes service
    /// names).
    private static let reserved = [".local", ".internal", ".svc", ".cluster.local", ".home.arpa"].compactMap(NamePattern.init)

    private let patterns: [NamePattern]

    /// The built-in rules and `extra`.
    package init(extra: [NamePattern] = []) {
        patterns = Self.reserved + extra
    }

    /// Whether LocalDNS alone may be asked for `name`: one label, a reserved suffix, or a configured pattern.
    package func staysLocal(_ name: String) -> Bool {
        !name.utf8.contains(UInt8(ascii: ".")) || Self.isLoopback(name) || patterns.contains { $0.matches(name) }
    }

    /// Whether `name` is "localhost" or below it, which means loopback without asking anyone (RFC 6761 6.3).
    package static func isLoopback(_ name: String) -> Bool {
        name == "localhost" || name.hasSuffix(".localhost")
    }

    /// The loopback address of the family that `type` asks for.
    static func loopback(_ type: RecordType) -> IPAddress {
        switch type {
        case .a: IPAddress(ipv4: 0x7f00_0001)
        case .aaaa: IPAddress(ipv6High: 0, low: 1)
        }
    }
}
