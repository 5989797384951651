import Net

/// The service as the resolver sees it: its endpoints, their health, and the service's clock.
final class ProviderSource {
    /// How far the corrected clock may be off before it is corrected again; the service's time has whole seconds and travels a while.
    private static let clockTolerance: Int64 = 2

    let provider: any Provider
    let transport: any QueryTransport
    let clock: any ResolverClock
    let timeout: Duration
    /// How long an endpoint may take before another one is asked as well.
    let patience: Duration
    private let hasFallback: Bool
    private let random: () -> Double
    private let observer: any ResolverObserver
    private(set) var health: SourceHealth
    private var clockOffset: Int64 = 0
    private var running: [ObjectIdentifier: EndpointRace] = [:]
    private var probes: [Int: Probe] = [:]

    private struct Probe {
        let exchange: EndpointExchange
        let limit: any Cancellable
    }

    init(
        provider: any Provider, transport: any QueryTransport, clock: any ResolverClock, configuration: ResolverConfiguration,
        random: @escaping () -> Double, observer: any ResolverObserver
    ) {
        self.provider = provider
        self.transport = transport
        self.clock = clock
        timeout = configuration.boundedQueryTimeout
        patience = timeout / 3
        hasFallback = configuration.fallback == .local
        self.random = random
        self.observer = observer
        health = SourceHealth(count: provider.endpoints.count)
    }

    /// Seconds since 1970 by the service's clock, as far as it is known.
    var epochSeconds: Int64 { clock.epochSeconds + clockOffset }

    /// Asks the usable endpoints one after the other. The completion is called once unless cancelled, and may be called before this
    /// returns.
    func ask(_ question: Question, completion: @escaping (Result<ProviderAnswer, FallbackReason>) -> Void) -> any Cancellable {
        let race = EndpointRace(question: question, source: self, completion: completion)
        running[ObjectIdentifier(race)] = race
        race.start()
        return race
    }

    /// Uses `question` to probe an endpoint that is due for it, if there is one; an answer is handed to `completion`.
    func probe(with question: Question, completion: @escaping (ProviderAnswer) -> Void) {
        guard let index = health.takeProbe(now: clock.now) else { return }
        let exchange = EndpointExchange(question: question, index: index, source: self, timeout: timeout) { [self] verdict in
            probes.removeValue(forKey: index)?.limit.cancel()
            if case .answer(let answer) = verdict { completion(answer) }
        }
        let limit = clock.schedule(after: timeout) { [self] in
            probes.removeValue(forKey: index)?.exchange.expire()
        }
        probes[index] = Probe(exchange: exchange, limit: limit)
        exchange.start()
    }

    func raceEnded(_ race: EndpointRace) { running[ObjectIdentifier(race)] = nil }

    func report(_ event: ResolverEvent) { observer.resolver(event) }

    /// Gives everything up.
    func shutdown() {
        for probe in probes.values {
            probe.limit.cancel()
            probe.exchange.cancel()
        }
        probes.removeAll()
        for race in Array(running.values) { race.cancel() }
        running.removeAll()
    }
}

extension ProviderSource {
    /// Sets the clock by the time of a response. The service rejects signatures that are too old, so a wrong clock would lock us out.
    func noteDate(_ date: Int64) {
        guard (date - epochSeconds).magnitude > UInt64(Self.clockTolerance) else { return }
        clockOffset = date - clock.epochSeconds
        report(.clockCorrected(seconds: clockOffset))
    }

    func noteSuccess(_ index: Int) {
        if health.succeeded(index, now: clock.now) { report(.endpointClosed(provider.endpoints[index])) }
    }

    func notePreferred(_ index: Int) { health.prefer(index) }

    func noteFailure(_ index: Int, _ severity: SourceHealth.Severity, sentAt: MonotonicTime, reason: FallbackReason) {
        guard let duration = health.failed(index, severity, sentAt: sentAt, now: clock.now, random: random()) else { return }
        report(.endpointOpened(provider.endpoints[index], duration: duration))
        endHopelessRaces(reason)
    }

    func noteRefusedCredentials(_ index: Int) {
        let change = health.refusedCredentials(index, now: clock.now, random: random())
        for (opened, duration) in change.opened { report(.endpointOpened(provider.endpoints[opened], duration: duration)) }
        if change.isNews { report(.credentialsRefused) }
    }

    /// Once no endpoint is usable any more, the questions still on their way would only wait for the same end; LocalDNS can do better.
    private func endHopelessRaces(_ reason: FallbackReason) {
        guard hasFallback, health.usable.isEmpty else { return }
        for race in Array(running.values) { race.giveUp(reason) }
    }
}
