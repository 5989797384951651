import Net

/// The look-up of one question, shared by all who wait for it: the service first, then LocalDNS. Goes on when nobody waits any more,
/// since its answer is kept.
final class QuestionLookup {
    /// How long an answer of LocalDNS is kept when it only stands in for the service.
    private static let longestFallbackTTL = Duration.seconds(60)
    /// How long an answer of the hosts file is kept; the file may change at any time and is cheap to read.
    private static let hostsTTL = Duration.seconds(5)
    /// LocalDNS tries several servers; it gets at least this long.
    private static let shortestLocalTimeout = Duration.seconds(5)

    private let question: Question
    private let resolver: QuestionResolver
    private let startedAt: MonotonicTime
    private var waiters: [(Result<KnownAnswer, ResolutionFailure>) -> Void] = []
    private var result: Result<KnownAnswer, ResolutionFailure>?
    private var running: (any Cancellable)?
    private var localLimit: (any Cancellable)?

    init(question: Question, resolver: QuestionResolver) {
        self.question = question
        self.resolver = resolver
        startedAt = resolver.clock.now
    }

    /// Adds someone who waits; called at once when the look-up is over already.
    func join(_ waiter: @escaping (Result<KnownAnswer, ResolutionFailure>) -> Void) {
        if let result { waiter(result) } else { waiters.append(waiter) }
    }

    func start() {
        if let service = resolver.service, !resolver.staysLocal(question.name) {
            askService(service)
        } else {
            askLocal(isFallback: false)
        }
    }

    /// Gives up without telling those who wait.
    func cancel() {
        waiters.removeAll()
        stop()
    }

    private func askService(_ service: ProviderSource) {
        service.probe(with: question) { [self] answer in succeed(resolver.keep(answer, for: question)) }
        guard result == nil else { return }
        let race = service.ask(question) { [self] result in
            running = nil
            switch result {
            case .success(let answer): succeed(resolver.keep(answer, for: question))
            case .failure(let reason): serviceFailed(reason)
            }
        }
        hold(race)
    }

    private func serviceFailed(_ reason: FallbackReason) {
        guard resolver.configuration.fallback == .local else {
            fail(reason.failure)
            return
        }
        resolver.report(.fellBack(question, reason: reason))
        askLocal(isFallback: true)
    }

    private func askLocal(isFallback: Bool) {
        let timeout = max(resolver.configuration.boundedQueryTimeout, Self.shortestLocalTimeout)
        localLimit = resolver.clock.schedule(after: timeout) { [self] in
            running?.cancel()
            running = nil
            localFailed(.timedOut)
        }
        let query = resolver.local.query(question) { [self] result in
            guard self.result == nil else { return }
            running = nil
            switch result {
            case .success(let answer): succeed(keep(answer, isFallback: isFallback))
            case .failure(.noSuchName): succeed(keepNegative(.noSuchName))
            case .failure(.noRecord): succeed(keepNegative(.noRecord))
            case .failure(let failure): localFailed(failure)
            }
        }
        hold(query)
    }

    private func keep(_ answer: LocalAnswer, isFallback: Bool) -> Answer {
        var ttl = Duration.seconds(max(answer.ttl, 0))
        if isFallback { ttl = min(ttl, Self.longestFallbackTTL) }
        if answer.fromHosts { ttl = Self.hostsTTL }
        return resolver.cache.store(
            question, outcome: answer.outcome, ttl: ttl, source: answer.fromHosts ? .hosts : .local, now: resolver.clock.now)
    }

    private func keepNegative(_ outcome: Answer.Outcome) -> Answer {
        resolver.cache.store(
            question, outcome: outcome, ttl: QuestionResolver.missingTTL, source: .local, now: resolver.clock.now)
    }

    private func localFailed(_ failure: ResolutionFailure) {
        resolver.report(.localFailed(question, failure))
        fail(failure)
    }
}

extension QuestionLookup {
    /// Keeps what is running, unless it was over before it could be kept.
    private func hold(_ work: any Cancellable) {
        if result == nil, running == nil { running = work }
    }

    private func succeed(_ answer: Answer) {
        guard result == nil else { return }
        resolver.report(.answered(question, source: answer.source, elapsed: resolver.clock.now - startedAt))
        end(.success(KnownAnswer(answer: answer, fromCache: false, stale: false)))
    }

    /// A failure is noted, never kept as an answer. What the cache got meanwhile, or still has inside the window, is served instead.
    private func fail(_ failure: ResolutionFailure) {
        let now = resolver.clock.now
        resolver.cache.noteFailure(question, now: now)
        resolver.report(.failed(question, failure, elapsed: now - startedAt))
        if let known = KnownAnswer(resolver.cache.verdict(question, now: now)) {
            if known.stale { resolver.report(.servedExpired(name: question.name)) }
            end(.success(known))
        } else {
            end(.failure(failure))
        }
    }

    private func end(_ result: Result<KnownAnswer, ResolutionFailure>) {
        guard self.result == nil else { return }
        self.result = result
        stop()
        resolver.ended(question)
        let waiters = self.waiters
        self.waiters.removeAll()
        for waiter in waiters { waiter(result) }
    }

    private func stop() {
        localLimit?.cancel()
        localLimit = nil
        running?.cancel()
        running = nil
    }
}
