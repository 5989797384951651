import Net

/// Which questions stayed without any answer a moment ago.
///
/// While one family of a name is known, the other one, which failed, is neither waited for nor asked again until its note has lapsed: a
/// broken family must not slow every client down (RFC 8305 3) nor cause a storm of queries (RFC 9520 3.2). A note never hides an answer.
struct FailureNotes {
    static let lifetime = Duration.seconds(10)
    /// Enough for a busy host; when even fresh notes fill it, forgetting them costs a few queries only.
    private static let limit = 4096

    private var lapses: [Question: MonotonicTime] = [:]

    mutating func note(_ question: Question, now: MonotonicTime) {
        if lapses.count >= Self.limit {
            lapses = lapses.filter { now < $0.value }
            if lapses.count >= Self.limit { lapses.removeAll() }
        }
        lapses[question] = now + Self.lifetime
    }

    mutating func clear(_ question: Question) {
        guard !lapses.isEmpty else { return }
        lapses[question] = nil
    }

    mutating func removeAll() {
        lapses.removeAll()
    }

    func failedRecently(_ question: Question, now: MonotonicTime) -> Bool {
        guard !lapses.isEmpty, let lapse = lapses[question] else { return false }
        return now < lapse
    }
}
