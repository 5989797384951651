package import Net

/// Where a destination address came from.
package enum AddressOrigin: Equatable, Sendable, CaseIterable {
    /// The client wrote the address itself.
    case literal
    /// The hosts file of this host.
    case hosts
    /// LocalDNS, whatever the name.
    case local
    /// HTTPDNS, which is asked for public names only.
    case httpdns
}

/// Where the proxy may connect to. Asked twice: about the host as the client named it, and about each address before it is dialled.
///
/// Link-local, metadata, unspecified, multicast and broadcast addresses are refused always. Loopback, private and reserved addresses are
/// refused when HTTPDNS gave them for a public name (DNS rebinding), and whatever their origin once other hosts may use the proxy. An
/// IPv4 address inside an IPv6 address is judged as well. Ranges the operator allowed are exempt; the proxy's own listeners never are.
package struct DestinationPolicy: Sendable {
    /// The answer to both questions.
    package enum Verdict: Equatable, Sendable {
        case allowed
        case denied(DenialReason)
    }

    private let openToOtherHosts: Bool
    private let allowed: [IPPrefix]
    private let own: OwnAddresses
    private let allowsMetadataNames: Bool

    /// - Parameters:
    ///   - openToOtherHosts: a listener can be reached from other hosts.
    ///   - allowed: ranges exempt from the address rules. For an address that carries an IPv4 address, outer and inner address each need
    ///     their own exemption if a rule refuses them.
    ///   - ownAddresses: every listener with the port it is really bound to, the administrative one included.
    ///   - hostAddresses: the addresses of this host's interfaces; a listener on a wildcard address is reached through any of them.
    package init(openToOtherHosts: Bool, allowed: [IPPrefix], ownAddresses: [SocketAddress], hostAddresses: [IPAddress]) {
        self.openToOtherHosts = openToOtherHosts
        self.allowed = allowed
        own = OwnAddresses(listeners: ownAddresses, host: hostAddresses)
        let metadata = IPAddress(ipv4: 0xa9fe_a9fe)
        allowsMetadataNames = allowed.contains { $0.contains(metadata) }
    }

    /// Before resolving: may this host be attempted at all? A literal gets its final verdict here. `port` is 1...65535.
    package func decide(host: Host, port: UInt16) -> Verdict {
        switch host {
        case .address(let address): admit(address, port: port, origin: .literal)
        case .name(let name): MetadataNames.contain(name) && !allowsMetadataNames ? .denied(.metadataName) : .allowed
        }
    }

    /// After resolving: may this very address be dialled? `port` is 1...65535.
    package func admit(_ address: IPAddress, port: UInt16, origin: AddressOrigin) -> Verdict {
        if own.contain(address, port: port) { return .denied(.ownAddress) }
        if let reason = refusal(of: address, origin: origin) { return .denied(reason) }
        if let inner = address.embeddedIPv4, let reason = refusal(of: inner, origin: origin) { return .denied(reason) }
        return .allowed
    }

    private func refusal(of address: IPAddress, origin: AddressOrigin) -> DenialReason? {
        guard let reason = AddressClass.of(address).map(DenialReason.init) else { return nil }
        guard reason.isUnconditional || openToOtherHosts || origin == .httpdns else { return nil }
        return allowed.contains { $0.contains(address) } ? nil : reason
    }
}

/// Names that clouds resolve to their metadata service.
private enum MetadataNames {
    static func contain(_ name: String) -> Bool {
        name == "metadata" || name == "metadata.google.internal" || name.hasSuffix(".metadata.google.internal")
    }
}
