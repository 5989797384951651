package import Net
import Synchronization

/// What the cache knows about a name, for a thread that holds a client.
package enum CachedResolution: Sendable, Equatable {
    /// Valid addresses.
    case fresh(Resolution)
    /// Addresses of which some have expired: use them and have the resolver refresh the name.
    case stale(Resolution)
    /// The name is known to have no address.
    case failure(ResolutionFailure)
    /// The resolver has to be asked.
    case miss
}

/// One kept answer, for a listing.
package struct CacheEntry: Sendable, Equatable {
    /// The name, canonical.
    package let name: String
    /// The record type.
    package let type: RecordType
    /// What was said.
    package let outcome: Answer.Outcome
    /// Who said it.
    package let source: AnswerSource
    /// What is left of the validity; zero for an expired answer.
    package let ttlLeft: Duration

    /// The addresses; empty for the two negative outcomes.
    package var addresses: [IPAddress] {
        if case .addresses(let addresses) = outcome { addresses } else { [] }
    }
}

/// The answer cache, shared by the resolver's thread and those that hold clients. Every call takes one lock for a short, bounded time.
package final class SharedAnswerCache: Sendable {
    private let state: Mutex<CacheState>

    /// A shared cache that starts with what `cache` holds.
    package init(_ cache: AnswerCache) {
        state = Mutex(CacheState(cache: cache))
    }

    /// An empty cache with the sizes and durations of `configuration`.
    package convenience init(configuration: ResolverConfiguration) {
        self.init(
            AnswerCache(
                limit: configuration.cacheSize, maximumTTL: configuration.maximumTTL,
                maximumNegativeTTL: configuration.maximumNegativeTTL, expiredAnswers: configuration.expiredAnswers))
    }

    /// What is known about `name`, canonical, in the asked families.
    ///
    /// With both families, one whose last look-up failed moments ago does not hold the other one back.
    package func resolution(name: String, families: FamilyPreference, now: MonotonicTime) -> CachedResolution {
        state.withLock { state in
            switch families {
            case .ipv4: state.single(Question(name: name, type: .a), now: now)
            case .ipv6: state.single(Question(name: name, type: .aaaa), now: now)
            case .auto, .both: state.both(name: name, now: now)
            }
        }
    }

    /// What is known about one question.
    package func verdict(_ question: Question, now: MonotonicTime) -> AnswerCache.Verdict {
        state.withLock { $0.cache.verdict(question, now: now) }
    }

    /// Takes an answer in, see `AnswerCache.store`; returns it with its clamped TTL.
    @discardableResult
    package func store(
        _ question: Question, outcome: Answer.Outcome, ttl: Duration, source: AnswerSource, now: MonotonicTime
    ) -> Answer {
        state.withLock { state in
            state.notes.clear(question)
            return state.cache.store(question, outcome: outcome, ttl: ttl, source: source, now: now)
        }
    }

    /// Notes that `question` stayed without any answer. What the cache holds is not touched.
    func noteFailure(_ question: Question, now: MonotonicTime) {
        state.withLock { $0.notes.note(question, now: now) }
    }

    /// Whether `question` stayed without answer a moment ago.
    func failedRecently(_ question: Question, now: MonotonicTime) -> Bool {
        state.withLock { $0.notes.failedRecently(question, now: now) }
    }

    /// Forgets every answer for `name`; returns whether there was one.
    @discardableResult
    package func remove(name: String) -> Bool {
        state.withLock { state in
            for type in RecordType.allCases { state.notes.clear(Question(name: name, type: type)) }
            return state.cache.remove(name: name)
        }
    }

    /// Forgets everything.
    package func removeAll() {
        state.withLock { state in
            state.cache.removeAll()
            state.notes.removeAll()
        }
    }

    /// How many answers are held, expired ones included.
    package var count: Int { state.withLock { $0.cache.count } }

    /// Everything held at `now`, most recently used first.
    package func entries(now: MonotonicTime) -> [CacheEntry] {
        state.withLock { $0.cache.contents }.map { question, answer in
            CacheEntry(
                name: question.name, type: question.type, outcome: answer.outcome, source: answer.source,
                ttlLeft: answer.remaining(now: now))
        }
    }
}
