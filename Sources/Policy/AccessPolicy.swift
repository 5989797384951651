package import Net

/// Who may use the proxy, judged by the address of the TCP peer alone: no header can change it.
package struct AccessPolicy: Equatable, Sendable {
    private let allowed: [IPPrefix]

    /// Admits clients whose address lies in one of `allowed`; an empty list admits nobody.
    package init(allowed: [IPPrefix]) {
        self.allowed = allowed
    }

    /// Admits clients on this host only: 127.0.0.0/8 and ::1.
    package static let loopbackOnly = AccessPolicy(allowed: ["127.0.0.0/8", "::1/128"].compactMap { IPPrefix($0) })

    /// Admits every client.
    package static let everyone = AccessPolicy(allowed: ["0.0.0.0/0", "::/0"].compactMap { IPPrefix($0) })

    /// The policy for a set of listeners: exactly `allowed` when the operator named ranges; otherwise loopback clients, or everyone as soon
    /// as the operator opened a listener on an address that other hosts can reach.
    package static func standard(listeners: [SocketAddress], allowed: [IPPrefix]) -> AccessPolicy {
        guard allowed.isEmpty else { return AccessPolicy(allowed: allowed) }
        return reachesOtherHosts(listeners) ? .everyone : .loopbackOnly
    }

    /// Whether at least one listener has an address other than loopback. A wildcard address (`0.0.0.0`, `::`) counts as open.
    package static func reachesOtherHosts(_ listeners: [SocketAddress]) -> Bool {
        listeners.contains { AddressClass.of($0.address.unpacked) != .loopback }
    }

    /// Whether `client` may use the proxy. A mapped address `::ffff:a.b.c.d` is judged as `a.b.c.d`.
    package func permits(_ client: IPAddress) -> Bool {
        allowed.contains { $0.contains(client) }
    }
}
