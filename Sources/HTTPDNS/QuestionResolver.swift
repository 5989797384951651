import Net

/// Answers single questions from the cache or by asking, with one look-up for all who ask the same.
final class QuestionResolver {
    /// What is assumed for an answer that does not say how long it may be kept (vendor SDKs use the same).
    static let missingTTL = Duration.seconds(60)

    let configuration: ResolverConfiguration
    let service: ProviderSource?
    let cache: SharedAnswerCache
    let local: any LocalResolving
    let clock: any ResolverClock
    private let observer: any ResolverObserver
    private let localNames: LocalNames
    private var lookups: [Question: QuestionLookup] = [:]

    init(
        configuration: ResolverConfiguration, service: ProviderSource?, cache: SharedAnswerCache, local: any LocalResolving,
        clock: any ResolverClock, observer: any ResolverObserver
    ) {
        self.configuration = configuration
        self.service = service
        self.cache = cache
        self.local = local
        self.clock = clock
        self.observer = observer
        localNames = LocalNames(extra: configuration.localNames)
    }

    /// Answers `question`; the completion is called once, possibly before this returns, and never after a shutdown.
    ///
    /// `isOneOfTwo` says that the other family is asked for as well. While that one has addresses, a question that failed moments ago is
    /// not asked again.
    func ask(
        _ question: Question, isOneOfTwo: Bool, completion: @escaping (Result<KnownAnswer, ResolutionFailure>) -> Void
    ) {
        switch cache.verdict(question, now: clock.now) {
        case .fresh(let answer):
            completion(.success(KnownAnswer(answer: answer, fromCache: true, stale: false)))
        case .stale(let answer):
            report(.servedExpired(name: question.name))
            refresh(question)
            completion(.success(KnownAnswer(answer: answer, fromCache: true, stale: true)))
        case .absent:
            if isOneOfTwo, cache.failedRecently(question, now: clock.now), otherFamilyIsKnown(question) {
                completion(.failure(.unreachable(reason: "the look-up failed moments ago")))
            } else {
                lookup(question).join(completion)
            }
        }
    }

    /// Fetches `question` anew if the cache holds an expired answer and nobody does so already.
    func refresh(_ question: Question) {
        let now = clock.now
        guard lookups[question] == nil, !cache.failedRecently(question, now: now) else { return }
        guard case .stale = cache.verdict(question, now: now) else { return }
        _ = lookup(question)
    }

    func staysLocal(_ name: String) -> Bool { localNames.staysLocal(name) }

    func ended(_ question: Question) { lookups[question] = nil }

    func report(_ event: ResolverEvent) { observer.resolver(event) }

    /// Keeps what the service said; returns it with its clamped TTL.
    func keep(_ answer: ProviderAnswer, for question: Question) -> Answer {
        let ttl = answer.ttl.map { Duration.seconds($0) } ?? Self.missingTTL
        return cache.store(question, outcome: answer.outcome, ttl: ttl, source: .httpdns, now: clock.now)
    }

    func shutdown() {
        let running = Array(lookups.values)
        lookups.removeAll()
        for lookup in running { lookup.cancel() }
        service?.shutdown()
    }

    private func lookup(_ question: Question) -> QuestionLookup {
        if let running = lookups[question] { return running }
        let lookup = QuestionLookup(question: question, resolver: self)
        lookups[question] = lookup
        lookup.start()
        return lookup
    }

    private func otherFamilyIsKnown(_ question: Question) -> Bool {
        let other = Question(name: question.name, type: question.type == .a ? .aaaa : .a)
        switch cache.verdict(other, now: clock.now) {
        case .fresh(let answer), .stale(let answer): return answer.isPositive
        case .absent: return false
        }
    }
}
