import Net

/// The places where a connection would arrive at this very proxy.
struct OwnAddresses: Sendable {
    private let listeners: [SocketAddress]
    private let host: Set<IPAddress>

    init(listeners: [SocketAddress], host: [IPAddress]) {
        self.listeners = listeners.map { SocketAddress(address: Self.plain($0.address), port: $0.port) }
        self.host = Set(host.map(Self.plain))
    }

    func contain(_ address: IPAddress, port: UInt16) -> Bool {
        guard listeners.contains(where: { $0.port == port }) else { return false }
        let targets = [address, address.embeddedIPv4].compactMap { $0.map(Self.plain) }
        return listeners.contains { listener in
            listener.port == port && targets.contains { reaches(listener.address, by: $0) }
        }
    }

    /// Whether a connection to `target` ends at a listener bound to `listener`.
    private func reaches(_ listener: IPAddress, by target: IPAddress) -> Bool {
        // A connection to the unspecified address is delivered to the host itself, by which address depends on the system.
        if target == listener || AddressClass.of(target) == .unspecified { return true }
        guard AddressClass.of(listener) == .unspecified else { return false }
        // A listener on "::" usually accepts IPv4 too; one on "0.0.0.0" never accepts IPv6.
        guard listener.family == .ipv6 || target.family == .ipv4 else { return false }
        return AddressClass.of(target) == .loopback || host.contains(target)
    }

    /// Unpacked and without scope, which is how two spellings of one destination become equal.
    private static func plain(_ address: IPAddress) -> IPAddress {
        let address = address.unpacked
        return address.scope == 0 ? address : IPAddress(ipv6High: address.ipv6High, low: address.ipv6Low)
    }
}
