import Net

/// The cache and the failure notes beside it, which one lock guards.
struct CacheState {
    var cache: AnswerCache
    var notes = FailureNotes()

    /// What is known about one question, as a result for a client.
    mutating func single(_ question: Question, now: MonotonicTime) -> CachedResolution {
        switch cache.verdict(question, now: now) {
        case .fresh(let answer):
            answer.negative.map(CachedResolution.failure) ?? .fresh(Resolution(cached: answer, stale: false, now: now))
        case .stale(let answer): .stale(Resolution(cached: answer, stale: true, now: now))
        case .absent: .miss
        }
    }

    /// What is known about both families of a name, as a result for a client.
    mutating func both(name: String, now: MonotonicTime) -> CachedResolution {
        let six = Question(name: name, type: .aaaa)
        let four = Question(name: name, type: .a)
        let ipv6 = KnownAnswer(cache.verdict(six, now: now))
        let ipv4 = KnownAnswer(cache.verdict(four, now: now))
        if ipv6 == nil, ipv4 == nil { return .miss }
        if ipv6 == nil, !notes.failedRecently(six, now: now) { return .miss }
        if ipv4 == nil, !notes.failedRecently(four, now: now) { return .miss }
        if let resolution = Resolution(ipv6: ipv6, ipv4: ipv4, now: now, elapsed: .zero) {
            return resolution.stale ? .stale(resolution) : .fresh(resolution)
        }
        guard let ipv6, let ipv4 else { return .miss }
        return .failure(ipv6.answer.outcome == .noSuchName || ipv4.answer.outcome == .noSuchName ? .noSuchName : .noRecord)
    }
}

extension KnownAnswer {
    /// What the cache knows; nil when it knows nothing.
    init?(_ verdict: AnswerCache.Verdict) {
        switch verdict {
        case .fresh(let answer): self.init(answer: answer, fromCache: true, stale: false)
        case .stale(let answer): self.init(answer: answer, fromCache: true, stale: true)
        case .absent: return nil
        }
    }
}

extension Resolution {
    fileprivate init(cached answer: Answer, stale: Bool, now: MonotonicTime) {
        self.init(
            addresses: answer.addresses, source: answer.source, fromCache: true, stale: stale, ttl: answer.remaining(now: now),
            elapsed: .zero)
    }
}
