import Net

/// Finds the addresses of names: cache, then the HTTPDNS service, then LocalDNS.
///
/// Lives on one event loop: every call, and every call of what it was given, happens there. Identical questions share one look-up.
package final class Resolver {
    /// What the look-ups of single questions work with.
    let questions: QuestionResolver
    private let configuration: ResolverConfiguration
    private let cache: SharedAnswerCache
    private let clock: any ResolverClock
    private let observer: any ResolverObserver
    private var lookups: [ObjectIdentifier: NameLookup] = [:]
    private var isShutDown = false

    /// A resolver that asks `provider`, or LocalDNS alone when it is nil. `random` gives values in 0..<1.
    package init(
        configuration: ResolverConfiguration, provider: (any Provider)?, cache: SharedAnswerCache, transport: any QueryTransport,
        local: any LocalResolving, clock: any ResolverClock, random: @escaping () -> Double, observer: any ResolverObserver
    ) {
        self.configuration = configuration
        self.cache = cache
        self.clock = clock
        self.observer = observer
        let service = provider.map {
            ProviderSource(
                provider: $0, transport: transport, clock: clock, configuration: configuration, random: random, observer: observer)
        }
        questions = QuestionResolver(
            configuration: configuration, service: service, cache: cache, local: local, clock: clock, observer: observer)
    }

    /// Finds the addresses of `name`, which is canonical as `Host.name` holds it, or an address literal.
    ///
    /// The completion is called exactly once unless cancelled, and before this returns when nobody has to be asked. `families` overrides
    /// the configured preference.
    package func resolve(
        _ name: String, families: FamilyPreference? = nil, completion: @escaping (Result<Resolution, ResolutionFailure>) -> Void
    ) -> any Cancellable {
        let families = families ?? configuration.families
        if isShutDown {
            completion(.failure(.cancelled))
        } else if let known = withoutAsking(name, families) {
            completion(known)
        } else {
            return lookUp(name, families, completion)
        }
        return NothingToCancel()
    }

    /// Fetches anew what has expired of `name`. For whoever served an expired answer; a fetch already on its way is not repeated.
    package func refresh(_ name: String) {
        guard !isShutDown else { return }
        for type in RecordType.allCases { questions.refresh(Question(name: name, type: type)) }
    }

    /// Gives everything up; look-ups still waiting fail as cancelled, and so does every later one.
    package func shutdown() {
        guard !isShutDown else { return }
        isShutDown = true
        questions.shutdown()
        let waiting = Array(lookups.values)
        lookups.removeAll()
        for lookup in waiting { lookup.fail(.cancelled) }
    }

    private func withoutAsking(_ name: String, _ families: FamilyPreference) -> Result<Resolution, ResolutionFailure>? {
        if let address = IPAddress(name) {
            return .success(.immediate([address], source: .literal))
        }
        if LocalNames.isLoopback(name) {
            return .success(.immediate(families.recordTypes.map(LocalNames.loopback), source: .local))
        }
        switch cache.resolution(name: name, families: families, now: clock.now) {
        case .fresh(let resolution): return .success(resolution)
        case .stale(let resolution):
            observer.resolver(.servedExpired(name: name))
            refresh(name)
            return .success(resolution)
        case .failure(let failure): return .failure(failure)
        case .miss: return nil
        }
    }

    private func lookUp(
        _ name: String, _ families: FamilyPreference, _ completion: @escaping (Result<Resolution, ResolutionFailure>) -> Void
    ) -> any Cancellable {
        let lookup = NameLookup(clock: clock, resolutionDelay: configuration.resolutionDelay)
        let id = ObjectIdentifier(lookup)
        lookups[id] = lookup
        lookup.start(name: name, families: families, questions: questions) { [self] result in
            lookups[id] = nil
            if let result { completion(result) }
        }
        return lookup
    }
}

extension Resolution {
    /// Addresses that need no name service and never change.
    fileprivate static func immediate(_ addresses: [IPAddress], source: AnswerSource) -> Resolution {
        Resolution(addresses: addresses, source: source, fromCache: false, stale: false, ttl: .seconds(3600), elapsed: .zero)
    }
}

/// Stands for work that was done at once.
final class NothingToCancel: Cancellable {
    func cancel() {}
}
