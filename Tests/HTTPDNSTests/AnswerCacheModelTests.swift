import HTTPDNS
import Net
import Testing

/// The cache against the simplest possible one, with seeded random use.
@Suite struct AnswerCacheModelTests {
    /// A list, most recently used first.
    private struct Model {
        let limit: Int
        var list: [(question: Question, answer: Answer)] = []

        mutating func store(_ question: Question, _ answer: Answer, now: MonotonicTime) {
            let place = list.firstIndex { $0.question == question }
            if let place {
                let old = list[place].answer
                if answer.source != .httpdns, old.source == .httpdns, now < old.expiresAt { return }
                list.remove(at: place)
            }
            guard answer.ttl > .zero, limit > 0 else { return }
            if list.count == limit { list.removeLast() }
            list.insert((question, answer), at: 0)
        }

        mutating func verdict(_ question: Question, now: MonotonicTime) -> AnswerCache.Verdict {
            guard let place = list.firstIndex(where: { $0.question == question }) else { return .absent }
            let entry = list.remove(at: place)
            if now < entry.answer.expiresAt {
                list.insert(entry, at: 0)
                return .fresh(entry.answer)
            }
            if entry.answer.isPositive, now < entry.answer.expiresAt + .seconds(3) {
                list.insert(entry, at: 0)
                return .stale(entry.answer)
            }
            return .absent
        }
    }

    @Test(arguments: [(1, 1), (2, 2), (3, 5), (4, 16), (5, 40)])
    func agreesWithANaiveModel(seed: UInt64, limit: Int) {
        var random = SeededRandom(seed: seed)
        var cache = AnswerCache(limit: limit, maximumTTL: .seconds(20), maximumNegativeTTL: .seconds(5), expiredAnswers: .seconds(3))
        var model = Model(limit: limit)
        var now = MonotonicTime(nanoseconds: 0)
        for _ in 0..<5000 {
            now = now + .milliseconds(Int.random(in: 0...400, using: &random))
            let question = Question(
                name: "n\(Int.random(in: 0..<24, using: &random)).example", type: Bool.random(using: &random) ? .a : .aaaa)
            switch Int.random(in: 0..<20, using: &random) {
            case 0:
                cache.remove(name: question.name)
                model.list.removeAll { $0.question.name == question.name }
            case 1...7:
                let outcome: Answer.Outcome = [
                    .noSuchName, .noRecord, .addresses([IPAddress(ipv4: UInt32.random(in: 1...9, using: &random))]),
                ][Int.random(in: 0..<3, using: &random)]
                let answer = cache.store(
                    question, outcome: outcome, ttl: .seconds(Int.random(in: 0...30, using: &random)),
                    source: Bool.random(using: &random) ? .httpdns : .local, now: now)
                model.store(question, answer, now: now)
            default:
                #expect(cache.verdict(question, now: now) == model.verdict(question, now: now))
            }
            #expect(cache.count == model.list.count)
            #expect(cache.count <= limit)
        }
        let shared = SharedAnswerCache(cache)
        #expect(shared.entries(now: now).map { Question(name: $0.name, type: $0.type) } == model.list.map(\.question))
    }
}
