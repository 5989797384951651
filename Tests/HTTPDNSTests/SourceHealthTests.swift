import HTTPDNS
import Net
import Testing

/// When an endpoint is used, left alone, probed and used again.
@Suite struct SourceHealthTests {
    private func at(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }

    @discardableResult
    private func fail(
        _ health: inout SourceHealth, _ index: Int, _ severity: SourceHealth.Severity = .unreachable, at seconds: Double,
        random: Double = 0.5
    ) -> Duration? {
        health.failed(index, severity, sentAt: at(seconds), now: at(seconds), random: random)
    }

    private func recovered(_ health: inout SourceHealth, _ index: Int, at seconds: Double) -> Bool {
        health.succeeded(index, now: at(seconds))
    }

    @Test func endpointsAreUsedInConfiguredOrder() {
        let health = SourceHealth(count: 3)
        #expect(health.usable == [0, 1, 2])
    }

    @Test func theLastGoodOneComesFirstWhileItIsUsable() {
        var health = SourceHealth(count: 3)
        health.prefer(2)
        #expect(health.usable == [2, 0, 1])
        fail(&health, 2, at: 0)
        #expect(health.usable == [0, 1])
    }

    @Test func nobodyThereOpensAtOnce() {
        var health = SourceHealth(count: 2)
        #expect(fail(&health, 0, at: 0) == .seconds(5))
        #expect(health.state(0) == .open(until: at(5)))
        #expect(health.usable == [1])
    }

    @Test func badAnswersOpenAtTheThirdInARow() {
        var health = SourceHealth(count: 1)
        #expect(fail(&health, 0, .faulty, at: 0) == nil)
        #expect(fail(&health, 0, .faulty, at: 1) == nil)
        #expect(health.usable == [0])
        #expect(fail(&health, 0, .faulty, at: 2) == .seconds(5))
        #expect(health.usable.isEmpty)
    }

    @Test func aGoodAnswerBetweenStartsTheCountAnew() {
        var health = SourceHealth(count: 1)
        fail(&health, 0, .faulty, at: 0)
        fail(&health, 0, .faulty, at: 1)
        #expect(!recovered(&health, 0, at: 2))
        fail(&health, 0, .faulty, at: 3)
        fail(&health, 0, .faulty, at: 4)
        #expect(health.usable == [0])
    }

    @Test func oneProbeAtATimeAndOnlyWhenDue() {
        var health = SourceHealth(count: 2)
        fail(&health, 0, at: 0)
        #expect(health.takeProbe(now: at(4.9)) == nil)
        #expect(health.takeProbe(now: at(5)) == 0)
        #expect(health.state(0) == .probing)
        #expect(health.takeProbe(now: at(6)) == nil)
        #expect(health.usable == [1])
    }

    @Test func aGoodProbeClosesAndForgetsTheInterval() {
        var health = SourceHealth(count: 1)
        fail(&health, 0, at: 0)
        _ = health.takeProbe(now: at(5))
        fail(&health, 0, at: 5)
        _ = health.takeProbe(now: at(15))
        #expect(recovered(&health, 0, at: 15))
        #expect(health.usable == [0])
        #expect(fail(&health, 0, at: 16) == .seconds(5))
    }

    @Test func badProbesDoubleTheIntervalUpToAMinute() {
        var health = SourceHealth(count: 1)
        var now = 0.0
        var intervals = [fail(&health, 0, at: now)]
        for _ in 0..<6 {
            now += 100
            #expect(health.takeProbe(now: at(now)) == 0)
            intervals.append(fail(&health, 0, .faulty, at: now))
        }
        #expect(intervals == [5, 10, 20, 40, 60, 60, 60].map { .seconds($0) })
    }

    @Test func intervalsAreSpread() {
        for (random, expected) in [(0.0, 4.0), (0.5, 5.0), (0.999, 5.998)] {
            var health = SourceHealth(count: 1)
            let interval = fail(&health, 0, at: 0, random: random) ?? .zero
            #expect(abs(interval.milliseconds - expected * 1000) < 0.001)
        }
    }

    @Test func failuresOfOldQueriesDoNotProlongAnything() {
        var health = SourceHealth(count: 1)
        fail(&health, 0, at: 0)
        for step in 1...20 { #expect(fail(&health, 0, at: Double(step) / 10) == nil) }
        #expect(health.state(0) == .open(until: at(5)))
        _ = health.takeProbe(now: at(5))
        #expect(health.failed(0, .unreachable, sentAt: at(3), now: at(6), random: 0.5) == nil)
        #expect(health.state(0) == .probing)
    }

    @Test func aSlowNameDoesNotCondemnAnEndpointThatAnswersOthers() {
        var health = SourceHealth(count: 1)
        _ = health.succeeded(0, now: at(2))
        #expect(health.failed(0, .unreachable, sentAt: at(1), now: at(4), random: 0.5) == nil)
        #expect(health.usable == [0])
        #expect(health.failed(0, .unreachable, sentAt: at(3), now: at(6), random: 0.5) != nil)
    }

    @Test func refusedCredentialsConcernEveryEndpointAndAreNewsOnce() {
        var health = SourceHealth(count: 3)
        let first = health.refusedCredentials(1, now: at(0), random: 0.5)
        #expect(first.isNews)
        #expect(first.opened.map(\.index) == [0, 1, 2])
        #expect(health.usable.isEmpty)
        let second = health.refusedCredentials(0, now: at(0.1), random: 0.5)
        #expect(!second.isNews)
        #expect(second.opened.isEmpty)
        #expect(health.credentialsRefused)
    }

    @Test func refusedCredentialsAreProbedByOneQueryInAll() {
        var health = SourceHealth(count: 3)
        _ = health.refusedCredentials(0, now: at(0), random: 0.5)
        #expect(health.takeProbe(now: at(5)) == 0)
        #expect(health.takeProbe(now: at(5)) == nil)
        #expect(!health.refusedCredentials(0, now: at(6), random: 0.5).isNews)
        #expect(health.state(0) == .open(until: at(16)))
        #expect(health.takeProbe(now: at(6)) == 1)
        #expect(recovered(&health, 1, at: 7))
        #expect(!health.credentialsRefused)
        #expect(health.usable == [1])
        #expect(health.refusedCredentials(1, now: at(8), random: 0.5).isNews)
    }
}
