package import EventLoop
package import Net

/// How a loop's connections are made.
package struct DialerConfiguration: Sendable {
    /// A PEM file with the certificates that origins are checked against; nil for the system's bundle.
    package var certificateBundle: String?
    /// How long one dial may take over all its addresses, TLS included.
    package var timeout: Duration = .seconds(10)
    /// How long an address is waited for before the next is tried beside it (RFC 8305 section 5: 250 ms).
    package var attemptDelay: Duration = .milliseconds(250)

    /// The defaults.
    package init() {}
}

/// A connection, fresh from the dialer.
package struct Dialled {
    /// Its bytes.
    package let stream: ByteStream
    /// The address that won; nil through a parent proxy.
    package let address: IPAddress?
    /// How many addresses had been tried before the one that won: failed, or still without an answer.
    package let failedAddresses: Int
}

/// Opens connections on one loop: libcurl connects and shakes hands, pinned to one vetted address for each attempt; the attempts race by
/// RFC 8305.
package final class Dialer {
    private let loop: EventLoop
    private let configuration: DialerConfiguration
    private let direct: HandleStock
    private var parents: [ParentHop: HandleStock] = [:]
    private let plain: CurlMulti
    private var encrypted: [CurlMulti] = []
    /// libcurl finds a connection by walking over those of its multi handle, so that a multi takes only so many.
    private static let connectionsPerMulti = 64

    /// Throws when libcurl has no memory.
    package init(loop: EventLoop, configuration: DialerConfiguration) throws(SystemError) {
        self.loop = loop
        self.configuration = configuration
        direct = HandleStock(certificateBundle: configuration.certificateBundle, timeout: configuration.timeout, parent: nil)
        plain = try CurlMulti(loop: loop, watching: .edge)
    }

    /// Connects to the first of `addresses` that answers; the order is the caller's. Raising `signal` lets `isWanted` be asked again.
    package func dial(
        _ target: DialTarget, addresses: [IPAddress], signal: Signal, isWanted: () -> Bool
    ) async throws(FailedDial) -> Dialled {
        let race = DialRace(
            target, addresses: addresses, handles: direct, multi: try multi(encrypted: target.https), signal: signal, loop: loop)
        return try await race.run(configuration, isWanted)
    }

    /// Connects through a parent proxy, which resolves the name. Raising `signal` lets `isWanted` be asked again.
    package func dial(
        _ target: DialTarget, through parent: ParentHop, at addresses: [IPAddress], signal: Signal, isWanted: () -> Bool
    ) async throws(FailedDial) -> Dialled {
        let handles = handles(for: parent)
        let race = DialRace(
            target, addresses: addresses, handles: handles, multi: try multi(encrypted: target.https || parent.isEncrypted), signal: signal,
            loop: loop)
        return try await race.run(configuration, isWanted)
    }

    private func handles(for parent: ParentHop) -> HandleStock {
        if let known = parents[parent] { return known }
        let made = HandleStock(certificateBundle: configuration.certificateBundle, timeout: configuration.timeout, parent: parent)
        parents[parent] = made
        return made
    }

    private func multi(encrypted isEncrypted: Bool) throws(FailedDial) -> CurlMulti {
        guard isEncrypted else { return plain }
        if let free = encrypted.first(where: { $0.handleCount < Dialer.connectionsPerMulti }) { return free }
        do {
            let added = try CurlMulti(loop: loop, watching: .edge)
            encrypted.append(added)
            return added
        } catch { throw FailedDial(reason: .exhausted(error), address: nil, triedAddresses: 0) }
    }
}
