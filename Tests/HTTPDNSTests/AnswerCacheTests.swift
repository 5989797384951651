import HTTPDNS
import Net
import Testing

@Suite struct AnswerCacheTests {
    private let a = Question(name: "a.example", type: .a)
    private let b = Question(name: "b.example", type: .a)
    private let one = Answer.Outcome.addresses([IPAddress(ipv4: 0xc000_0201)])
    private let two = Answer.Outcome.addresses([IPAddress(ipv4: 0xc000_0202)])

    private func cache(limit: Int = 10, expired: Duration = .seconds(30), maximumTTL: Duration = .seconds(3600)) -> AnswerCache {
        AnswerCache(limit: limit, maximumTTL: maximumTTL, maximumNegativeTTL: .seconds(30), expiredAnswers: expired)
    }

    private func at(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }

    private func outcome(_ cache: inout AnswerCache, _ question: Question, _ seconds: Double) -> (Answer.Outcome, isStale: Bool)? {
        switch cache.verdict(question, now: at(seconds)) {
        case .fresh(let answer): (answer.outcome, false)
        case .stale(let answer): (answer.outcome, true)
        case .absent: nil
        }
    }

    @Test func anAnswerIsFreshThenExpiredThenGone() {
        var cache = cache()
        cache.store(a, outcome: one, ttl: .seconds(60), source: .httpdns, now: at(100))
        #expect(outcome(&cache, a, 100)?.isStale == false)
        #expect(outcome(&cache, a, 159.999)?.isStale == false)
        #expect(outcome(&cache, a, 160)?.isStale == true)
        #expect(outcome(&cache, a, 189.999)?.isStale == true)
        #expect(cache.count == 1)
        #expect(outcome(&cache, a, 190) == nil)
        #expect(cache.count == 0)
    }

    @Test func withoutAWindowNothingExpiredIsServed() {
        var cache = cache(expired: .zero)
        cache.store(a, outcome: one, ttl: .seconds(60), source: .httpdns, now: at(0))
        #expect(outcome(&cache, a, 60) == nil)
    }

    @Test(arguments: [Answer.Outcome.noSuchName, .noRecord])
    func negativeAnswersAreNeverServedExpired(negative: Answer.Outcome) {
        var cache = cache()
        cache.store(a, outcome: negative, ttl: .seconds(10), source: .httpdns, now: at(0))
        #expect(outcome(&cache, a, 9)?.0 == negative)
        #expect(outcome(&cache, a, 10) == nil)
    }

    @Test func ttlsAreClampedToTheirMaximum() {
        var cache = cache(maximumTTL: .seconds(100))
        let positive = cache.store(a, outcome: one, ttl: .seconds(86400), source: .httpdns, now: at(0))
        let negative = cache.store(b, outcome: .noSuchName, ttl: .seconds(86400), source: .httpdns, now: at(0))
        #expect(positive.ttl == .seconds(100))
        #expect(positive.expiresAt == at(100))
        #expect(negative.ttl == .seconds(30))
        let huge = cache.store(a, outcome: one, ttl: .seconds(Int64.max), source: .httpdns, now: at(0))
        #expect(huge.ttl == .seconds(100))
    }

    @Test func ttlZeroIsReturnedButNotKeptAndEndsTheOldAnswer() {
        var cache = cache()
        let answer = cache.store(a, outcome: one, ttl: .zero, source: .httpdns, now: at(0))
        #expect(answer.outcome == one)
        #expect(answer.ttl == .zero)
        #expect(cache.count == 0)
        cache.store(a, outcome: one, ttl: .seconds(60), source: .httpdns, now: at(0))
        cache.store(a, outcome: two, ttl: .seconds(-5), source: .httpdns, now: at(70))
        #expect(outcome(&cache, a, 70) == nil)
    }

    @Test func aNegativeMaximumOfZeroKeepsNone() {
        var cache = AnswerCache(limit: 10, maximumTTL: .seconds(60), maximumNegativeTTL: .zero, expiredAnswers: .zero)
        cache.store(a, outcome: .noSuchName, ttl: .seconds(60), source: .httpdns, now: at(0))
        #expect(cache.count == 0)
    }

    @Test func sizeZeroKeepsNothingAndStillAnswers() {
        for limit in [0, -1] {
            var cache = cache(limit: limit)
            #expect(cache.store(a, outcome: one, ttl: .seconds(60), source: .httpdns, now: at(0)).ttl == .seconds(60))
            #expect(outcome(&cache, a, 0) == nil)
        }
    }

    @Test func familiesAreKeptApart() {
        var cache = cache()
        let six = Question(name: "a.example", type: .aaaa)
        cache.store(a, outcome: one, ttl: .seconds(60), source: .httpdns, now: at(0))
        cache.store(six, outcome: .noRecord, ttl: .seconds(20), source: .httpdns, now: at(0))
        #expect(outcome(&cache, a, 1)?.0 == one)
        #expect(outcome(&cache, six, 1)?.0 == .noRecord)
    }

    @Test func theLeastRecentlyUsedGoesFirst() {
        var cache = cache(limit: 2)
        let c = Question(name: "c.example", type: .a)
        cache.store(a, outcome: one, ttl: .seconds(60), source: .httpdns, now: at(0))
        cache.store(b, outcome: one, ttl: .seconds(60), source: .httpdns, now: at(0))
        _ = cache.verdict(a, now: at(1))
        cache.store(c, outcome: one, ttl: .seconds(60), source: .httpdns, now: at(2))
        #expect(outcome(&cache, b, 2) == nil)
        #expect(outcome(&cache, a, 2) != nil)
        #expect(outcome(&cache, c, 2) != nil)
    }

    @Test func aStandInNeverReplacesAFreshAnswerOfTheService() {
        var cache = cache()
        cache.store(a, outcome: one, ttl: .seconds(60), source: .httpdns, now: at(0))
        for stranger in [AnswerSource.local, .hosts] {
            cache.store(a, outcome: two, ttl: .seconds(60), source: stranger, now: at(59))
            #expect(outcome(&cache, a, 59)?.0 == one)
        }
        cache.store(a, outcome: two, ttl: .seconds(60), source: .local, now: at(60))
        #expect(outcome(&cache, a, 60)?.0 == two)
        cache.store(a, outcome: one, ttl: .seconds(60), source: .httpdns, now: at(61))
        #expect(outcome(&cache, a, 61)?.0 == one)
    }

    @Test func removingANameTakesBothFamilies() {
        var cache = cache()
        for type in RecordType.allCases {
            cache.store(Question(name: "a.example", type: type), outcome: one, ttl: .seconds(60), source: .httpdns, now: at(0))
        }
        cache.store(b, outcome: one, ttl: .seconds(60), source: .httpdns, now: at(0))
        let (first, second) = (cache.remove(name: "a.example"), cache.remove(name: "a.example"))
        #expect(first)
        #expect(!second)
        #expect(cache.count == 1)
        cache.removeAll()
        #expect(cache.count == 0)
        #expect(outcome(&cache, b, 0) == nil)
    }
}
