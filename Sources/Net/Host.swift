/// What a client names as its destination: a domain name, or an address it already knows.
package enum Host: Hashable, Sendable {
    /// A domain name in canonical form: lower case ASCII, no trailing dot, labels of 1...63 and at most 253 bytes in all.
    case name(String)
    /// An address literal.
    case address(IPAddress)

    /// The name or the address without brackets, for resolving, for rules and for logs.
    package var text: String {
        switch self {
        case .name(let name): name
        case .address(let address): address.description
        }
    }

    /// The name or the address as it stands in a URI or a Host field: IPv6 in brackets.
    package var uriText: String {
        switch self {
        case .name(let name): name
        case .address(let address): address.uriHost
        }
    }
}
