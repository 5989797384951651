/// Why a destination is refused.
package enum DenialReason: String, Equatable, Sendable, CaseIterable {
    /// 169.254.0.0/16 or fe80::/10.
    case linkLocal = "link_local"
    /// An address where a cloud hands out credentials.
    case metadata = "metadata_address"
    /// A name by which a cloud's metadata service is known.
    case metadataName = "metadata_name"
    /// 0.0.0.0/8 or `::`, which many systems deliver to themselves.
    case unspecified
    /// 224.0.0.0/4 or ff00::/8.
    case multicast
    /// 255.255.255.255.
    case broadcast
    /// 127.0.0.0/8 or ::1.
    case loopback
    /// A range for use inside one network, such as 10.0.0.0/8 or fc00::/7.
    case privateRange = "private_range"
    /// A range set aside by IANA, such as 198.18.0.0/15 or 240.0.0.0/4.
    case reserved
    /// One of the proxy's own listeners; the request would come back to it.
    case ownAddress = "own_address"

    /// A short fixed name for metrics and logs, out of as many as there are cases.
    package var label: String { rawValue }

    /// What was found, to stand after "because": one line of plain ASCII.
    package var sentence: String {
        switch self {
        case .linkLocal: "it is a link-local address"
        case .metadata: "it is the address of a cloud metadata service"
        case .metadataName: "it is the name of a cloud metadata service"
        case .unspecified: "it is an unspecified address"
        case .multicast: "it is a multicast address"
        case .broadcast: "it is the broadcast address"
        case .loopback: "it is a loopback address"
        case .privateRange: "it is a private address"
        case .reserved: "it is a reserved address"
        case .ownAddress: "it is an address this proxy itself listens on"
        }
    }

    init(_ addressClass: AddressClass) {
        switch addressClass {
        case .unspecified: self = .unspecified
        case .metadata: self = .metadata
        case .linkLocal: self = .linkLocal
        case .multicast: self = .multicast
        case .broadcast: self = .broadcast
        case .loopback: self = .loopback
        case .privateRange: self = .privateRange
        case .reserved: self = .reserved
        }
    }

    /// Refused wherever the address came from. The others are refused only where they give away more than the client could reach itself.
    var isUnconditional: Bool {
        switch self {
        case .linkLocal, .metadata, .metadataName, .unspecified, .multicast, .broadcast, .ownAddress: true
        case .loopback, .privateRange, .reserved: false
        }
    }
}
