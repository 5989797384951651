import HTTPDNS
import Net
import Testing

/// What a thread with a client sees.
@Suite struct SharedAnswerCacheTests {
    private let cache = SharedAnswerCache(configuration: ResolverConfiguration())
    private let four = IPAddress(ipv4: 0xc000_0201)
    private let four2 = IPAddress(ipv4: 0xc000_0202)
    private let four3 = IPAddress(ipv4: 0xc000_0203)
    private let six = IPAddress(ipv6High: 0x2001_0db8_0000_0000, low: 1)

    private func at(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }

    private func put(_ type: RecordType, _ outcome: Answer.Outcome, ttl: Int = 60, source: AnswerSource = .httpdns) {
        cache.store(Question(name: "a.example", type: type), outcome: outcome, ttl: .seconds(ttl), source: source, now: at(0))
    }

    private func look(_ families: FamilyPreference, _ seconds: Int64 = 0) -> CachedResolution {
        cache.resolution(name: "a.example", families: families, now: at(seconds))
    }

    @Test func anUnknownNameIsAMiss() {
        for families in FamilyPreference.allCases { #expect(look(families) == .miss) }
    }

    @Test func oneFamilyIsServedInTheOrderOfTheService() {
        put(.a, .addresses([four2, four]))
        let expected = Resolution(
            addresses: [four2, four], source: .httpdns, fromCache: true, stale: false, ttl: .seconds(50), elapsed: .zero)
        #expect(look(.ipv4, 10) == .fresh(expected))
        #expect(look(.ipv6, 10) == .miss)
        #expect(look(.both, 10) == .miss)
    }

    @Test(arguments: [FamilyPreference.both, .auto])
    func bothFamiliesAlternateBeginningWithIPv6(families: FamilyPreference) {
        put(.a, .addresses([four, four2, four3]), ttl: 30)
        put(.aaaa, .addresses([six]), ttl: 60)
        guard case .fresh(let resolution) = look(families, 10) else {
            Issue.record("not fresh")
            return
        }
        #expect(resolution.addresses == [six, four, four2, four3])
        #expect(resolution.ttl == .seconds(20))
        #expect(resolution.fromCache)
    }

    @Test func aFamilyWithoutRecordLeavesTheOtherUsable() {
        put(.a, .addresses([four]), ttl: 20)
        put(.aaaa, .noRecord, ttl: 30)
        guard case .fresh(let resolution) = look(.both) else {
            Issue.record("not fresh")
            return
        }
        #expect(resolution.addresses == [four])
        #expect(look(.ipv6) == .failure(.noRecord))
    }

    @Test func aNameIsUnknownIfOneFamilySaysSo() {
        put(.a, .noRecord)
        put(.aaaa, .noRecord)
        #expect(look(.both) == .failure(.noRecord))
        put(.aaaa, .noSuchName)
        #expect(look(.both) == .failure(.noSuchName))
        #expect(look(.ipv4) == .failure(.noRecord))
        #expect(look(.both, 31) == .miss)
    }

    @Test func anExpiredPartMakesTheWholeStale() {
        put(.a, .addresses([four]), ttl: 10)
        put(.aaaa, .addresses([six]), ttl: 60)
        let expected = Resolution(addresses: [six, four], source: .httpdns, fromCache: true, stale: true, ttl: .zero, elapsed: .zero)
        #expect(look(.both, 15) == .stale(expected))
        #expect(look(.both, 40) == .miss)
        guard case .stale = look(.ipv4, 15) else {
            #expect(look(.ipv4, 15) == .miss, "dropped after its window")
            return
        }
    }

    @Test(arguments: [
        (AnswerSource.httpdns, AnswerSource.local, AnswerSource.httpdns), (.local, .httpdns, .httpdns), (.local, .hosts, .local),
        (.hosts, .hosts, .hosts),
    ])
    func aMixtureCountsAsItsMostSuspectPart(v4: AnswerSource, v6: AnswerSource, expected: AnswerSource) {
        put(.a, .addresses([four]), source: v4)
        put(.aaaa, .addresses([six]), source: v6)
        guard case .fresh(let resolution) = look(.both) else {
            Issue.record("not fresh")
            return
        }
        #expect(resolution.source == expected)
    }

    @Test func theListingShowsWhatIsHeld() {
        put(.a, .addresses([four]), ttl: 10)
        put(.aaaa, .noRecord, ttl: 20)
        let entries = cache.entries(now: at(15))
        #expect(entries.map(\.type) == [.aaaa, .a])
        #expect(entries.map(\.ttlLeft) == [.seconds(5), .zero])
        #expect(entries.map(\.addresses) == [[], [four]])
        #expect(entries.allSatisfy { $0.name == "a.example" && $0.source == .httpdns })
        #expect(cache.count == 2)
        #expect(cache.remove(name: "a.example"))
        #expect(cache.entries(now: at(15)).isEmpty)
    }

    @Test func manyThreadsMayUseItAtOnce() async {
        let cache = self.cache
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    for step in 0..<2000 {
                        let name = "n\((step + worker) % 50).example"
                        cache.store(
                            Question(name: name, type: .a), outcome: .addresses([IPAddress(ipv4: UInt32(step))]), ttl: .seconds(60),
                            source: .httpdns, now: MonotonicTime(nanoseconds: 0))
                        guard case .fresh = cache.resolution(name: name, families: .ipv4, now: MonotonicTime(nanoseconds: 1)) else {
                            Issue.record("an answer got lost")
                            return
                        }
                    }
                }
            }
        }
        #expect(cache.count == 50)
    }
}
