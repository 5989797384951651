package import Net

/// The answers that are known, least recently used ones dropped first.
///
/// Entries live in one array and are linked by index in order of use, so that look-up, storing and eviction take constant time.
package struct AnswerCache: Sendable {
    /// What the cache knows about a question.
    package enum Verdict: Sendable, Equatable {
        /// A valid answer, positive or negative.
        case fresh(Answer)
        /// An expired answer with addresses, inside the window for expired answers.
        case stale(Answer)
        /// Nothing that may be used.
        case absent
    }

    private struct Entry {
        let question: Question
        var answer: Answer
        var newer: Int
        var older: Int
    }

    private static let end = -1

    private let limit: Int
    private let maximumTTL: Duration
    private let maximumNegativeTTL: Duration
    private let expiredNanoseconds: Int64

    private var entries: [Entry] = []
    private var places: [Question: Int] = [:]
    private var newest = end
    private var oldest = end

    /// An empty cache for at most `limit` answers (0 or less keeps none); see `ResolverConfiguration` for the three durations.
    package init(limit: Int, maximumTTL: Duration, maximumNegativeTTL: Duration, expiredAnswers: Duration) {
        self.limit = max(limit, 0)
        self.maximumTTL = maximumTTL
        self.maximumNegativeTTL = maximumNegativeTTL
        expiredNanoseconds = max(expiredAnswers.nanosecondsClamped, 0)
    }

    /// How many answers are held, expired ones included.
    package var count: Int { entries.count }

    /// What is known about `question` at `now`. Counts as a use; an entry that can no longer be served is dropped.
    package mutating func verdict(_ question: Question, now: MonotonicTime) -> Verdict {
        guard let place = places[question] else { return .absent }
        let answer = entries[place].answer
        if now < answer.expiresAt {
            makeNewest(place)
            return .fresh(answer)
        }
        if answer.isPositive, now.nanoseconds &- answer.expiresAt.nanoseconds < expiredNanoseconds {
            makeNewest(place)
            return .stale(answer)
        }
        removeEntry(at: place)
        return .absent
    }

    /// Takes an answer in and returns it with its clamped TTL.
    ///
    /// An answer whose TTL comes out as zero is returned but not kept, and ends an older one. An answer from elsewhere never replaces a
    /// fresh one of the HTTPDNS service.
    @discardableResult
    package mutating func store(
        _ question: Question, outcome: Answer.Outcome, ttl: Duration, source: AnswerSource, now: MonotonicTime
    ) -> Answer {
        var longest = maximumNegativeTTL
        if case .addresses = outcome { longest = maximumTTL }
        let answer = Answer(outcome: outcome, ttl: max(min(ttl, longest), .zero), source: source, now: now)
        let place = places[question]
        if let place, source != .httpdns, entries[place].answer.source == .httpdns, now < entries[place].answer.expiresAt { return answer }
        if answer.expiresAt <= now || limit == 0 {
            if let place { removeEntry(at: place) }
        } else if let place {
            entries[place].answer = answer
            makeNewest(place)
        } else {
            if entries.count == limit { removeEntry(at: oldest) }
            insert(answer, for: question)
        }
        return answer
    }

    /// Forgets every answer for `name`; returns whether there was one.
    @discardableResult
    package mutating func remove(name: String) -> Bool {
        var found = false
        for type in RecordType.allCases {
            guard let place = places[Question(name: name, type: type)] else { continue }
            removeEntry(at: place)
            found = true
        }
        return found
    }

    /// Forgets everything.
    package mutating func removeAll() {
        entries.removeAll()
        places.removeAll()
        newest = Self.end
        oldest = Self.end
    }

    /// Everything held, most recently used first. Does not count as a use.
    var contents: [(question: Question, answer: Answer)] {
        var list: [(question: Question, answer: Answer)] = []
        list.reserveCapacity(entries.count)
        var place = newest
        while place != Self.end {
            list.append((entries[place].question, entries[place].answer))
            place = entries[place].older
        }
        return list
    }
}

extension AnswerCache {
    private mutating func insert(_ answer: Answer, for question: Question) {
        let place = entries.count
        entries.append(Entry(question: question, answer: answer, newer: Self.end, older: newest))
        places[question] = place
        link(place)
    }

    private mutating func makeNewest(_ place: Int) {
        guard place != newest else { return }
        unlink(place)
        entries[place].newer = Self.end
        entries[place].older = newest
        link(place)
    }

    private mutating func link(_ place: Int) {
        if newest != Self.end { entries[newest].newer = place }
        newest = place
        if oldest == Self.end { oldest = place }
    }

    private mutating func unlink(_ place: Int) {
        let (newer, older) = (entries[place].newer, entries[place].older)
        if newer == Self.end { newest = older } else { entries[newer].older = older }
        if older == Self.end { oldest = newer } else { entries[older].newer = newer }
    }

    /// Takes the entry out and moves the last one of the array into its place, so that the array has no holes.
    private mutating func removeEntry(at place: Int) {
        unlink(place)
        places[entries[place].question] = nil
        let last = entries.removeLast()
        guard place < entries.count else { return }
        entries[place] = last
        places[last.question] = place
        if last.newer == Self.end { newest = place } else { entries[last.newer].older = place }
        if last.older == Self.end { oldest = place } else { entries[last.older].newer = place }
    }
}
