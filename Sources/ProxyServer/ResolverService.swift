import EventLoop
import HTTPDNS
import LocalDNS
import Net

/// The resolver on its own loop, and the way in for the workers. The cache is shared: a hit never leaves the worker's thread.
final class ResolverService: Sendable {
    private let cache: SharedAnswerCache
    private let families: FamilyPreference
    private let loop: EventLoop
    private let resolver: LoopLocal<Resolver>

    /// Sets the resolver up on `loop`, whose thread must be the caller's. Throws `StartupError` with the reason.
    init(configuration: ProxyConfiguration, loop: EventLoop, log: DiagnosticLog) throws(StartupError) {
        var settings = configuration.resolver
        let stack = HostStack.detect()
        if settings.families == .auto { settings.families = stack.families }
        settings.hostHasIPv6 = stack.reachesIPv6
        let clock = LoopClock(loop)
        let names = LocalNames(extra: settings.localNames)
        let local: LocalDNS
        do throws(SystemError) {
            local = try LocalDNS(loop: loop, servers: configuration.localDNSServers) { names.staysLocal($0) }
        } catch { throw StartupError("LocalDNS cannot be set up: \(error.call): \(error.reason)") }
        let transport = FetchTransport(loop: loop, certificateBundle: configuration.providerCA, bootstrap: local)
        cache = SharedAnswerCache(configuration: settings)
        families = settings.families
        self.loop = loop
        resolver = LoopLocal(
            Resolver(
                configuration: settings, provider: ResolverService.provider(settings), cache: cache, transport: transport, local: local,
                clock: clock, random: { Double.random(in: 0..<1) }, observer: ResolverLog(log)), on: loop)
    }

    private static func provider(_ settings: ResolverConfiguration) -> (any Provider)? {
        switch settings.provider {
        case .none: nil
        case .alibabaPublicDNS:
            AlibabaPublicDNS(credentials: settings.credentials, endpoints: settings.endpoints, hostHasIPv6: settings.hostHasIPv6)
        }
    }

    /// What is known without asking; from any thread. An expired answer that may be served has its refresh started.
    func cached(_ name: String, now: MonotonicTime) -> CachedResolution {
        let known = cache.resolution(name: name, families: families, now: now)
        if case .stale = known {
            loop.execute { [resolver] in resolver.value.refresh(name) }
        }
        return known
    }

    /// Looks `name` up; from a worker's thread. The look-up raises `signal` there when its result has come.
    func resolve(_ name: String, on worker: EventLoop, signal: Signal) -> PendingLookup {
        let pending = PendingLookup(signal)
        let carried = LoopLocal(pending, on: worker)
        loop.execute { [resolver] in
            _ = resolver.value.resolve(name) { result in
                worker.execute { carried.value.finish(result) }
            }
        }
        return pending
    }

    /// Looks `name` up on the resolver's own loop.
    func resolveHere(_ name: String, _ completion: @escaping (Result<Resolution, ResolutionFailure>) -> Void) {
        _ = resolver.value.resolve(name, completion: completion)
    }

    /// Gives every look-up up. On the resolver's loop.
    func shutdown() { resolver.value.shutdown() }
}

/// A look-up that a worker's task waits for.
final class PendingLookup {
    private(set) var result: Result<Resolution, ResolutionFailure>?
    private let signal: Signal

    init(_ signal: Signal) { self.signal = signal }

    func finish(_ result: Result<Resolution, ResolutionFailure>) {
        self.result = result
        signal.raise()
    }
}

/// Which address families lead out of this host.
struct HostStack {
    let reachesIPv4: Bool
    let reachesIPv6: Bool

    /// Asks the kernel for routes towards a public address of each family; nothing is sent.
    static func detect() -> HostStack {
        let v4 = SocketAddress(address: IPAddress(ipv4: 0x0808_0808), port: 53)
        let v6 = SocketAddress(address: IPAddress(ipv6High: 0x2000_0000_0000_0000, low: 0), port: 53)
        return HostStack(reachesIPv4: Socket.hasRoute(to: v4), reachesIPv6: Socket.hasRoute(to: v6))
    }

    /// A host that reaches nothing asks for IPv4, as it will once its network is up.
    var families: FamilyPreference {
        switch (reachesIPv4, reachesIPv6) {
        case (true, true): .both
        case (false, true): .ipv6
        default: .ipv4
        }
    }
}
