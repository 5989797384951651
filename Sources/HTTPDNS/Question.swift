/// The two record types that name an address (RFC 1035 3.2.2, RFC 3596 2.1); the raw value is the number on the wire.
package enum RecordType: UInt16, Sendable, CaseIterable, CustomStringConvertible {
    /// IPv4 addresses.
    case a = 1
    /// IPv6 addresses.
    case aaaa = 28

    /// The mnemonic of the registry: "A" or "AAAA".
    package var description: String {
        switch self {
        case .a: "A"
        case .aaaa: "AAAA"
        }
    }
}

/// Which address families a look-up asks for.
package enum FamilyPreference: String, Sendable, CaseIterable {
    /// Follows the host's own stack. The caller turns it into one of the others; a look-up that still gets it asks for both.
    case auto
    /// IPv4 alone.
    case ipv4
    /// IPv6 alone.
    case ipv6
    /// Both families, asked at the same time.
    case both

    /// The record types to ask for, in the order in which their addresses are preferred (RFC 8305 4).
    var recordTypes: [RecordType] {
        switch self {
        case .ipv4: [.a]
        case .ipv6: [.aaaa]
        case .auto, .both: [.aaaa, .a]
        }
    }
}

/// One question to a name service: one name, one record type.
package struct Question: Hashable, Sendable, CustomStringConvertible {
    /// The name in canonical form: lower case, no dot at the end.
    package let name: String
    /// The kind of address that is asked for.
    package let type: RecordType

    /// A question for `name`, which must already be canonical as `Host.name` holds it.
    package init(name: String, type: RecordType) {
        self.name = name
        self.type = type
    }

    /// "www.example.com AAAA", for logs.
    package var description: String { "\(name) \(type)" }
}
