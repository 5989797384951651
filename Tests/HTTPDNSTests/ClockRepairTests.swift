import HTTPDNS
import Net
import Testing

/// A wrong clock on this host, and credentials that are really wrong.
@Suite struct ClockRepairTests {
    private func scene(serviceIsAhead seconds: Int64, accepts: Bool = true) -> ResolverScene {
        let scene = ResolverScene(credentials: SignatureTests.account) { $0.families = .ipv4 }
        let clock = scene.clock
        scene.transport.date = { clock.epochSeconds + seconds }
        scene.transport.script = { query in
            let sentTime = parameters(of: query.request.url)["ts"].flatMap { Int64($0) } ?? 0
            let error = (clock.epochSeconds + seconds - sentTime).magnitude
            return accepts && error <= 600 ? ResolverScene.service(query) : .reply(401, #"{"code":"AuthFailed"}"#)
        }
        return scene
    }

    private func times(_ scene: ResolverScene) -> [Int64] {
        scene.transport.sent.compactMap { parameters(of: $0.request.url)["ts"].flatMap { Int64($0) } }
    }

    @Test(arguments: [3600, -3600, 86400 * 365])
    func aWrongClockCostsOneRepeatOnly(error: Int64) {
        let scene = scene(serviceIsAhead: error)
        let client = Client(scene, "www.example.com")
        scene.clock.advance(by: .milliseconds(40))
        #expect(client.resolution?.source == .httpdns)
        #expect(times(scene) == [1_700_000_000, 1_700_000_000 + error])
        #expect(scene.askedEndpoints == [0, 0])
        #expect(scene.observer.clockCorrections == [error])
        let next = Client(scene, "next.example")
        scene.clock.advance(by: .milliseconds(20))
        #expect(next.resolution?.source == .httpdns)
        #expect(scene.transport.sent.count == 3)
        #expect(scene.observer.credentialWarnings == 0)
    }

    @Test func manyQueriesWithTheWrongTimeAllRecover() {
        let scene = scene(serviceIsAhead: 3600)
        let clients = (0..<50).map { Client(scene, "n\($0).example") }
        scene.clock.advance(by: .milliseconds(40))
        #expect(clients.allSatisfy { $0.resolution?.source == .httpdns })
        #expect(scene.observer.credentialWarnings == 0)
        #expect(scene.observer.clockCorrections == [3600])
    }

    @Test(arguments: [(3, [3]), (-3, [-3]), (2, []), (-2, []), (0, [])] as [(Int64, [Int64])])
    func goodAnswersCorrectTheClockToo(error: Int64, corrections: [Int64]) {
        let scene = scene(serviceIsAhead: error)
        let client = Client(scene, "www.example.com")
        scene.clock.advance(by: .milliseconds(20))
        #expect(client.resolution?.source == .httpdns)
        #expect(scene.transport.sent.count == 1)
        #expect(scene.observer.clockCorrections == corrections)
        _ = Client(scene, "next.example")
        #expect(times(scene).last == 1_700_000_000 + (corrections.first ?? 0))
    }

    @Test func aRightClockAndARefusalMeanTheCredentialsAreWrong() {
        let scene = scene(serviceIsAhead: 0, accepts: false)
        let client = Client(scene, "www.example.com")
        scene.clock.advance(by: .milliseconds(30))
        #expect(client.resolution?.source == .local)
        #expect(scene.transport.sent.count == 1)
        #expect(scene.observer.fallbacks == [.credentialsRefused])
        #expect(scene.observer.credentialWarnings == 1)
        #expect(scene.observer.countedFailures == [.noPermission])
    }

    @Test func aWrongClockAndWrongCredentialsEndAfterOneRepeat() {
        let scene = scene(serviceIsAhead: 3600, accepts: false)
        let client = Client(scene, "www.example.com")
        scene.clock.advance(by: .milliseconds(50))
        #expect(client.resolution?.source == .local)
        #expect(scene.transport.sent.count == 2)
        #expect(scene.observer.credentialWarnings == 1)
    }

    @Test func aServiceWhoseClockRunsAwayIsNotFollowedForEver() {
        let scene = scene(serviceIsAhead: 0, accepts: false)
        var date = scene.clock.epochSeconds
        scene.transport.date = {
            date += 3600
            return date
        }
        let client = Client(scene, "www.example.com")
        scene.clock.advance(by: .milliseconds(50))
        #expect(client.resolution?.source == .local)
        #expect(scene.transport.sent.count == 2)
    }

    @Test func wrongCredentialsAreWarnedAboutOnceUntilTheyAreAccepted() {
        let scene = scene(serviceIsAhead: 0, accepts: false)
        for second in 0..<200 {
            _ = Client(scene, "n\(second).example")
            scene.clock.advance(by: .seconds(1))
        }
        #expect(scene.observer.credentialWarnings == 1)
        #expect(scene.transport.sent.count < 20)
        scene.transport.script = ResolverScene.service
        for second in 0..<70 {
            _ = Client(scene, "m\(second).example")
            scene.clock.advance(by: .seconds(1))
        }
        let client = Client(scene, "again.example")
        scene.clock.advance(by: .milliseconds(20))
        #expect(client.resolution?.source == .httpdns)
        scene.transport.script = { _ in .reply(403, "") }
        _ = Client(scene, "refused.example")
        scene.clock.advance(by: .seconds(1))
        #expect(scene.observer.credentialWarnings == 2)
    }

    @Test(arguments: [Int64.max, Int64.min, -1, 253_402_300_800])
    func anAbsurdDateIsIgnored(date: Int64) {
        let scene = scene(serviceIsAhead: 0)
        scene.transport.date = { date }
        let client = Client(scene, "www.example.com")
        scene.clock.advance(by: .milliseconds(20))
        #expect(client.resolution?.source == .httpdns)
        #expect(scene.observer.clockCorrections.isEmpty)
    }

    @Test func noRepeatBeginsAfterTheBudgetIsUsedUp() {
        let scene = scene(serviceIsAhead: 3600)
        scene.transport.script = { _ in .reply(401, "", after: .milliseconds(2999)) }
        let client = Client(scene, "www.example.com")
        scene.clock.advance(by: .milliseconds(3010))
        #expect(client.resolution?.source == .local)
        #expect(client.waited ?? .zero <= .milliseconds(3010))
        #expect(scene.transport.running == 0)
    }
}
