import HTTPDNS
import Net

/// A resolver with everything around it played: clock, network, service, LocalDNS.
///
/// By default the service answers every A with 192.0.2.10 and every AAAA with 2001:db8::10, and LocalDNS with 198.51.100.1 and 2001:db8:1::1.
final class ResolverScene {
    let clock: ManualClock
    let transport: ScriptedTransport
    let local: ScriptedLocalDNS
    let observer = EventRecorder()
    let cache: SharedAnswerCache
    let resolver: Resolver
    let endpoints: [ProviderEndpoint]

    init(
        endpoints count: Int = 2, credentials: Credentials? = nil, hasProvider: Bool = true,
        configure: (inout ResolverConfiguration) -> Void = { _ in }
    ) {
        var configuration = ResolverConfiguration()
        configuration.families = .both
        configuration.credentials = credentials
        configure(&configuration)
        clock = ManualClock()
        transport = ScriptedTransport(clock: clock, script: Self.service)
        local = ScriptedLocalDNS(clock: clock, script: Self.localDNS)
        cache = SharedAnswerCache(configuration: configuration)
        endpoints = (1...max(count, 1)).map {
            ProviderEndpoint(scheme: .https, host: "dns.alidns.com", address: IPAddress(ipv4: 0xcb00_7100 + UInt32($0)))
        }
        resolver = Resolver(
            configuration: configuration,
            provider: hasProvider ? AlibabaPublicDNS(credentials: credentials, endpoints: endpoints, hostHasIPv6: false) : nil,
            cache: cache, transport: transport, local: local, clock: clock, random: { 0.5 }, observer: observer)
    }

    static func service(_ query: ScriptedTransport.Sent) -> ScriptedTransport.Behaviour {
        .reply(200, ServiceBodies.addresses(query.question, [serviceAddress(query.question.type)]))
    }

    static func localDNS(_ question: Question) -> ScriptedLocalDNS.Behaviour {
        .reply(.addresses([localAddress(question.type)]))
    }

    static func serviceAddress(_ type: RecordType) -> String { type == .a ? "192.0.2.10" : "2001:db8::10" }

    static func localAddress(_ type: RecordType) -> IPAddress {
        type == .a ? IPAddress(ipv4: 0xc633_6401) : IPAddress(ipv6High: 0x2001_0db8_0001_0000, low: 1)
    }

    /// The number of the endpoint that a query went to, from 0.
    func number(_ query: ScriptedTransport.Sent) -> Int { endpoints.firstIndex(of: query.endpoint) ?? -1 }

    /// The numbers of the endpoints that were asked, in order.
    var askedEndpoints: [Int] { transport.sent.map(number) }
}

/// A client that waits for one name.
final class Client {
    private(set) var results: [Result<Resolution, ResolutionFailure>] = []
    private(set) var waited: Duration?
    private(set) var lookup: (any Cancellable)?

    init(_ scene: ResolverScene, _ name: String, _ families: FamilyPreference? = nil) {
        let clock = scene.clock
        let start = clock.elapsed
        lookup = scene.resolver.resolve(name, families: families) { [weak self] result in
            self?.results.append(result)
            self?.waited = clock.elapsed - start
        }
    }

    var resolution: Resolution? { try? results.first?.get() }
    var addresses: [String] { resolution?.addresses.map(\.description) ?? [] }
    var isWaiting: Bool { results.isEmpty }
    var failure: ResolutionFailure? {
        if case .failure(let failure)? = results.first { failure } else { nil }
    }
}
