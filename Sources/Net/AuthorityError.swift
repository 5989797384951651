/// Why a text is not a `host[:port]`.
package enum AuthorityError: Error, Equatable, CaseIterable {
    /// No host at all.
    case empty
    /// A "@": user information has no place in a request to a proxy (RFC 9110 4.2.4).
    case userinfo
    /// A colon that is not followed by decimal digits only.
    case badPort
    /// A port outside 1...65535.
    case portOutOfRange
    /// Brackets missing around IPv6, unbalanced, or at a place where none belong.
    case badBracket
    /// Brackets around something that is not an IPv6 address.
    case badAddress
    /// An IPv6 zone such as "%eth0", which means nothing beyond the client's own host (RFC 6874 4).
    case zone
    /// Digits that some resolvers read as an address, other than four decimal parts of 0...255.
    case numericHost
    /// A byte that cannot stand in a host, a percent-escape included.
    case badCharacter
    /// Two dots in a row, or a dot at the start.
    case emptyLabel
    /// A label above 63 bytes.
    case labelTooLong
    /// A name above 253 bytes.
    case nameTooLong

    /// The fault in one line of plain ASCII, fit for the body of a 400 response.
    package var sentence: String {
        switch self {
        case .empty: "the host is empty"
        case .userinfo: "user information before \"@\" is not allowed in the authority"
        case .badPort: "the port after \":\" must be decimal digits"
        case .portOutOfRange: "the port must be in 1...65535"
        case .badBracket: "an IPv6 address must stand between one \"[\" and one \"]\", followed by nothing but a port"
        case .badAddress: "the text in brackets is not an IPv6 address"
        case .zone: "an IPv6 zone is not allowed in the authority"
        case .numericHost: "a numeric host must be an IPv4 address of four decimal parts from 0 to 255 without leading zeros"
        case .badCharacter: "a host may hold only letters, digits, \"-\", \"_\" and \".\""
        case .emptyLabel: "the host name has an empty label"
        case .labelTooLong: "a label of the host name is longer than 63 bytes"
        case .nameTooLong: "the host name is longer than 253 bytes"
        }
    }
}
