import EventLoop
import HTTP1
import HTTPDNS
import Net
import Policy
import Upstream

/// Why a request gets no connection.
enum RouteFailure: Error {
    case failure(ProxyFailure)
    /// The client went away; there is nobody to answer.
    case clientGone
}

/// The way to a destination after policy and resolver have spoken.
struct Route {
    let target: DialTarget
    /// The vetted addresses: of the origin, or of the parent proxy.
    let addresses: [IPAddress]
    let parent: ParentProxy?

    /// Whether the request line keeps the absolute form, as a parent proxy needs it.
    var usesAbsoluteForm: Bool { !target.https && (parent?.takesAbsoluteForm ?? false) }

    /// Connections to a parent that takes absolute form serve every origin.
    var poolKey: DialTarget {
        guard usesAbsoluteForm, let parent else { return target }
        return DialTarget(https: false, host: parent.host, port: parent.port)
    }
}

extension ClientConnection {
    /// Asks policy, resolves, asks policy again. Notes for the access line how it went.
    func findRoute(to authority: Authority, port: UInt16, https: Bool) async throws(RouteFailure) -> Route {
        let target = DialTarget(https: https, host: authority.host, port: port)
        if case .denied(let reason) = worker.shared.destinations.decide(host: authority.host, port: port) {
            throw .failure(.destinationDenied(reason, destination: target.destination))
        }
        if let parent = settings.parentProxy {
            record.dns = .parent
            return Route(target: target, addresses: try await addresses(of: parent.host).addresses, parent: parent)
        }
        let resolution = try await addresses(of: authority.host)
        record.dns = AccessRecord.DNS(resolution)
        record.isExpired = resolution.stale
        return Route(target: target, addresses: try admitted(resolution, target), parent: nil)
    }

    private func addresses(of host: Host) async throws(RouteFailure) -> Resolution {
        switch host {
        case .address(let address):
            return Resolution(addresses: [address], source: .literal, fromCache: false, stale: false, ttl: .zero, elapsed: .zero)
        case .name(let name):
            switch worker.shared.resolver.cached(name, now: worker.loop.now) {
            case .fresh(let resolution), .stale(let resolution): return resolution
            case .failure(let failure): throw .failure(ProxyFailure(failure, name: name))
            case .miss: return try await lookUp(name)
            }
        }
    }

    private func lookUp(_ name: String) async throws(RouteFailure) -> Resolution {
        let started = MonotonicTime.read()
        defer { record.dnsTime = MonotonicTime.read() - started }
        let lookup = worker.shared.resolver.resolve(name, on: worker.loop, signal: signal)
        while true {
            switch lookup.result {
            case .success(let resolution): return resolution
            case .failure(let failure): throw .failure(ProxyFailure(failure, name: name))
            case nil: _ = await signal.wait(until: .distantFuture)
            }
            guard !client.hasFailed else { throw .clientGone }
        }
    }

    private func admitted(_ resolution: Resolution, _ target: DialTarget) throws(RouteFailure) -> [IPAddress] {
        let origin = AddressOrigin(resolution.source)
        var denial: DenialReason?
        let admitted = resolution.addresses.filter { address in
            switch worker.shared.destinations.admit(address, port: target.port, origin: origin) {
            case .allowed: return true
            case .denied(let reason):
                denial = reason == .ownAddress ? reason : denial ?? reason
                return false
            }
        }
        // A name that leads here by one of its addresses would lead here by all of them on another day.
        if let denial, admitted.isEmpty || denial == .ownAddress {
            throw .failure(.destinationDenied(denial, destination: target.destination))
        }
        return admitted
    }

    /// A connection of the pool that is fresh enough, or a new one.
    func connect(_ route: Route, for request: RequestHead) async throws(RouteFailure) -> UpstreamConnection {
        let addresses = route.usesAbsoluteForm ? nil : route.addresses
        // A request that must not be sent twice goes out only on a connection that the origin has used a moment ago: if that dies in the very
        // moment, nobody can repair it.
        let repeatable = request.method.isIdempotent
        let kept = worker.pool.take(
            route.poolKey, addresses: addresses, freshness: repeatable ? .seconds(3600) : .seconds(2), asksKernel: !repeatable)
        if let kept {
            noteConnection(kept)
            kept.stream.signal = signal
            return kept
        }
        return try await dial(route, tunnels: route.target.https)
    }

    /// A new connection. `tunnels`: a parent proxy is asked for a tunnel instead of the single request.
    func dial(_ route: Route, tunnels: Bool) async throws(RouteFailure) -> UpstreamConnection {
        let started = MonotonicTime.read()
        defer { record.connectTime = MonotonicTime.read() - started }
        let client = client
        do throws(FailedDial) {
            let dialled: Dialled
            if let parent = route.parent {
                dialled = try await worker.dialer.dial(
                    route.target, through: parent.hop(tunnels: tunnels), at: route.addresses, signal: signal
                ) { !client.hasFailed }
            } else {
                dialled = try await worker.dialer.dial(route.target, addresses: route.addresses, signal: signal) { !client.hasFailed }
            }
            record.failedAddresses += dialled.failedAddresses
            let connection = UpstreamConnection(route.poolKey, address: dialled.address, stream: dialled.stream)
            dialled.stream.signal = signal
            noteConnection(connection)
            return connection
        } catch {
            record.address = error.address
            record.failedAddresses += error.triedAddresses
            if error.reason == .cancelled { throw .clientGone }
            throw .failure(ProxyFailure(error.reason, destination: route.target.destination))
        }
    }

    private func noteConnection(_ connection: UpstreamConnection) {
        record.address = connection.address
        record.isReused = connection.isReused
        record.isConnected = true
    }
}

extension DialTarget {
    /// `host:port`, for messages.
    var destination: String { "\(host.uriText):\(port)" }
}

extension AccessRecord.DNS {
    init(_ resolution: Resolution) {
        if resolution.fromCache {
            self = .cache
            return
        }
        switch resolution.source {
        case .httpdns: self = .httpdns
        case .local: self = .local
        case .hosts: self = .hosts
        case .literal: self = .literal
        case .cache: self = .cache
        }
    }
}

extension AddressOrigin {
    init(_ source: AnswerSource) {
        switch source {
        case .literal: self = .literal
        case .hosts: self = .hosts
        case .local: self = .local
        // What cannot be told apart is judged as strictly as what comes from outside.
        case .httpdns, .cache: self = .httpdns
        }
    }
}
