import HTTPDNS
import Net
import Testing

/// The service does not help: LocalDNS does, quickly, and without hammering anyone.
@Suite struct FallbackTests {
    /// One way for the service to be of no use.
    struct Outage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let behaviour: @Sendable () -> ScriptedTransport.Behaviour
        /// How long the first client may wait, LocalDNS included.
        let firstWait: Duration

        static let all = [
            Outage(testDescription: "down", behaviour: { .fail(.connectFailed("refused")) }, firstWait: .milliseconds(20)),
            Outage(testDescription: "black-holed", behaviour: { .silence }, firstWait: .milliseconds(3010)),
            Outage(testDescription: "500", behaviour: { .reply(500, "") }, firstWait: .milliseconds(50)),
            Outage(testDescription: "garbage", behaviour: { .reply(200, "<html>") }, firstWait: .milliseconds(50)),
            Outage(testDescription: "401", behaviour: { .reply(401, #"{"code":"AuthFailed"}"#) }, firstWait: .milliseconds(30)),
            Outage(testDescription: "bad certificate", behaviour: { .fail(.tls("expired")) }, firstWait: .milliseconds(20)),
        ]
    }

    private func scene(configure: (inout ResolverConfiguration) -> Void = { _ in }) -> ResolverScene {
        ResolverScene {
            $0.families = .ipv4
            configure(&$0)
        }
    }

    @Test(arguments: Outage.all)
    func theFirstClientIsServedByLocalDNSWithinOneTimeout(outage: Outage) {
        let scene = scene()
        scene.transport.script = { _ in outage.behaviour() }
        let client = Client(scene, "www.example.com")
        scene.clock.advance(by: outage.firstWait)
        #expect(client.addresses == ["198.51.100.1"])
        #expect(client.resolution?.source == .local)
        #expect(client.waited == outage.firstWait)
    }

    @Test(arguments: Outage.all)
    func laterClientsDoNotWaitForTheService(outage: Outage) {
        let scene = scene()
        scene.transport.script = { _ in outage.behaviour() }
        for number in 0..<3 { _ = Client(scene, "first\(number).example") }
        scene.clock.advance(by: outage.firstWait)
        let asked = scene.transport.sent.count
        for number in 0..<50 {
            let client = Client(scene, "later\(number).example")
            scene.clock.advance(by: .milliseconds(10))
            #expect(client.resolution?.source == .local)
            #expect(client.waited == .milliseconds(10))
        }
        #expect(scene.transport.sent.count == asked)
    }

    @Test(arguments: Outage.all)
    func aLongOutageCausesNoStormAndEndsByItself(outage: Outage) {
        let scene = scene()
        scene.transport.script = { _ in outage.behaviour() }
        for second in 0..<300 {
            for number in 0..<4 { _ = Client(scene, "n\(second)-\(number).example") }
            scene.clock.advance(by: .seconds(1))
        }
        #expect(scene.transport.sent.count <= 60, "300 seconds, 1200 names, two endpoints")
        scene.transport.script = ResolverScene.service
        for second in 0..<75 {
            _ = Client(scene, "back\(second).example")
            scene.clock.advance(by: .seconds(1))
        }
        let client = Client(scene, "after.example")
        scene.clock.advance(by: .milliseconds(20))
        #expect(client.resolution?.source == .httpdns)
        #expect(Set(scene.observer.closed.map(\.description)).count == 2)
    }

    @Test(arguments: Outage.all)
    func whatLocalDNSSaidInsteadIsKeptForAMinuteAtMost(outage: Outage) {
        let scene = scene()
        scene.transport.script = { _ in outage.behaviour() }
        let client = Client(scene, "www.example.com")
        scene.clock.advance(by: outage.firstWait)
        #expect(client.resolution?.ttl == .seconds(60))
        scene.local.script = { .reply(.addresses([ResolverScene.localAddress($0.type)]), ttl: 7) }
        let short = Client(scene, "short.example")
        scene.clock.advance(by: outage.firstWait)
        #expect(short.resolution?.ttl == .seconds(7))
    }

    @Test func whoWaitsWhileTheLastEndpointFailsIsServedThen() {
        let scene = scene()
        scene.transport.script = { _ in .silence }
        let early = Client(scene, "early.example")
        scene.clock.advance(by: .milliseconds(2900))
        let late = Client(scene, "late.example")
        scene.clock.advance(by: .milliseconds(110))
        #expect(early.waited == .milliseconds(3010))
        #expect(late.waited == .milliseconds(110))
        #expect(scene.transport.running == 0)
    }

    @Test func oneSlowNameDoesNotTurnTheServiceOff() {
        let scene = scene()
        scene.transport.script = { $0.question.name == "slow.example" ? .silence : ResolverScene.service($0) }
        let slow = Client(scene, "slow.example")
        for number in 0..<35 {
            _ = Client(scene, "n\(number).example")
            scene.clock.advance(by: .milliseconds(100))
        }
        #expect(slow.resolution?.source == .local)
        #expect(!scene.observer.opened.contains { $0.endpoint == scene.endpoints[0] }, "it answered everything else")
        let next = Client(scene, "next.example")
        scene.clock.advance(by: .milliseconds(20))
        #expect(next.resolution?.source == .httpdns)
    }

    @Test func withoutFallbackTheReasonIsTold() {
        for (behaviour, expected, wait) in [
            (ScriptedTransport.Behaviour.silence, ResolutionFailure.timedOut, Duration.seconds(3)),
            (.reply(500, ""), .unreachable(reason: "HTTPDNS failed: HTTP status 500"), .milliseconds(40)),
            (.fail(.connectFailed("refused")), .unreachable(reason: "HTTPDNS failed: connecting failed: refused"), .milliseconds(10)),
            (.reply(200, #"{"Status":5}"#), .serverFailure(rcode: "REFUSED"), .milliseconds(20)),
            (.reply(400, ""), .refused, .milliseconds(20)),
            (.reply(403, ""), .unreachable(reason: "HTTPDNS refuses the credentials"), .milliseconds(20)),
        ] {
            let scene = scene { $0.fallback = .none }
            scene.transport.script = { _ in behaviour }
            let client = Client(scene, "www.example.com")
            scene.clock.advance(by: wait)
            #expect(client.failure == expected)
            #expect(client.failure?.sentence.isEmpty == false)
            #expect(scene.local.asked.isEmpty)
            #expect(scene.cache.count == 0, "a failure is never kept as an answer")
        }
    }

    @Test func aNameThatOnlyLocalDNSDeniesIsANegativeAnswer() {
        let scene = scene()
        scene.transport.script = { _ in .reply(500, "") }
        scene.local.script = { $0.name == "a.example" ? .reply(.noSuchName, ttl: 600) : .fail(.noSuchName) }
        for name in ["a.example", "b.example"] {
            let client = Client(scene, name)
            scene.clock.advance(by: .milliseconds(60))
            #expect(client.failure == .noSuchName)
            #expect(Client(scene, name).failure == .noSuchName)
        }
        #expect(scene.local.asked.count == 2)
        #expect(scene.cache.entries(now: scene.clock.now).allSatisfy { $0.ttlLeft <= .seconds(30) })
    }

    @Test(arguments: [ResolutionFailure.timedOut, .serverFailure(rcode: "SERVFAIL"), .unreachable(reason: "no servers")])
    func whenLocalDNSFailsTooTheNextLookupTriesAgain(failure: ResolutionFailure) {
        let scene = scene()
        scene.transport.script = { _ in .reply(500, "") }
        scene.local.script = { _ in .fail(failure) }
        let client = Client(scene, "www.example.com")
        scene.clock.advance(by: .milliseconds(60))
        #expect(client.failure == failure)
        #expect(scene.cache.count == 0)
        scene.local.script = ResolverScene.localDNS
        let next = Client(scene, "www.example.com")
        scene.clock.advance(by: .milliseconds(60))
        #expect(next.addresses == ["198.51.100.1"])
    }

    @Test func aLocalDNSThatNeverAnswersIsGivenUp() {
        let scene = scene()
        scene.local.script = { _ in .dead }
        let client = Client(scene, "printer.local")
        scene.clock.advance(by: .seconds(5))
        #expect(client.failure == .timedOut)
        #expect(scene.local.cancelled == 1)
    }

    @Test func hostsEntriesThatStandInAreKeptBriefly() {
        let scene = scene()
        scene.transport.script = { _ in .reply(500, "") }
        scene.local.script = { _ in .reply(.addresses([ResolverScene.localAddress(.a)]), ttl: 0, fromHosts: true) }
        let client = Client(scene, "www.example.com")
        scene.clock.advance(by: .milliseconds(60))
        #expect(client.resolution?.source == .hosts)
        #expect(client.resolution?.ttl == .seconds(5))
    }
}
