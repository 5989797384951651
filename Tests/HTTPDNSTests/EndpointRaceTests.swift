import HTTPDNS
import Net
import Testing

/// Several endpoints of one service.
@Suite struct EndpointRaceTests {
    private static func good(_ query: ScriptedTransport.Sent, after: Duration = .milliseconds(20)) -> ScriptedTransport.Behaviour {
        .reply(200, ServiceBodies.addresses(query.question, ["192.0.2.10"]), after: after)
    }

    private func scene(
        endpoints: Int = 2, configure: (inout ResolverConfiguration) -> Void = { _ in },
        _ script: @escaping (Int, ScriptedTransport.Sent) -> ScriptedTransport.Behaviour
    ) -> ResolverScene {
        let scene = ResolverScene(endpoints: endpoints) {
            $0.families = .ipv4
            configure(&$0)
        }
        let endpoints = scene.endpoints
        scene.transport.script = { script(endpoints.firstIndex(of: $0.endpoint) ?? -1, $0) }
        return scene
    }

    @Test func theFirstEndpointIsAskedAlone() {
        let scene = scene { _, query in Self.good(query) }
        let client = Client(scene, "www.example.com")
        scene.clock.advance(by: .seconds(5))
        #expect(client.addresses == ["192.0.2.10"])
        #expect(scene.askedEndpoints == [0])
        #expect(scene.transport.sent[0].timeout == .seconds(3))
    }

    @Test(arguments: [
        ScriptedTransport.Behaviour.fail(.connectFailed("refused")), .fail(.tls("certificate expired")), .fail(.other("reset")),
        .fail(.tooLarge), .fail(.timedOut), .reply(500, "", after: .milliseconds(5)), .reply(429, "", after: .milliseconds(5)),
        .reply(404, "", after: .milliseconds(5)), .reply(302, "", after: .milliseconds(5)), .reply(200, "<html>", after: .milliseconds(5)),
        .reply(200, "", after: .milliseconds(5)), .reply(200, #"{"Status":0,"TC":true}"#, after: .milliseconds(5)),
    ])
    func aFailureMovesOnAtOnce(failure: ScriptedTransport.Behaviour) {
        let scene = scene { number, query in number == 0 ? failure : Self.good(query) }
        let client = Client(scene, "www.example.com")
        scene.clock.advance(by: .milliseconds(25))
        #expect(client.addresses == ["192.0.2.10"])
        #expect(client.resolution?.source == .httpdns)
        #expect(scene.askedEndpoints == [0, 1])
        #expect(scene.transport.sent[1].timeout == .milliseconds(2995))
    }

    @Test func silenceBringsTheNextOneInAfterAThirdOfTheTimeout() {
        let scene = scene { number, query in number == 0 ? .silence : Self.good(query) }
        let client = Client(scene, "www.example.com")
        scene.clock.advance(by: .milliseconds(999))
        #expect(scene.askedEndpoints == [0])
        scene.clock.advance(by: .milliseconds(1))
        #expect(scene.askedEndpoints == [0, 1])
        scene.clock.advance(by: .milliseconds(20))
        #expect(client.addresses == ["192.0.2.10"])
        #expect(client.waited == .milliseconds(1020))
        #expect(scene.transport.cancelled == 1, "the loser is given up")
        #expect(scene.clock.pendingTimers == 0)
    }

    @Test func aSlowFirstEndpointMayStillWin() {
        let scene = scene { number, query in Self.good(query, after: number == 0 ? .milliseconds(1100) : .milliseconds(500)) }
        let client = Client(scene, "www.example.com")
        scene.clock.advance(by: .milliseconds(1100))
        #expect(client.waited == .milliseconds(1100))
        #expect(scene.transport.cancelled == 1)
    }

    @Test func theOneThatAnsweredIsAskedFirstNextTime() {
        let scene = scene { number, query in number == 0 ? .silence : Self.good(query) }
        _ = Client(scene, "a.example")
        scene.clock.advance(by: .seconds(2))
        let client = Client(scene, "b.example")
        scene.clock.advance(by: .milliseconds(20))
        #expect(client.addresses == ["192.0.2.10"])
        #expect(scene.askedEndpoints == [0, 1, 1])
    }

    @Test(arguments: [1, 2, 3, 4, 8])
    func everyEndpointGetsAThirdOfTheTimeAndTheBudgetIsKept(endpoints: Int) {
        let scene = scene(endpoints: endpoints) { _, _ in .silence }
        let client = Client(scene, "www.example.com")
        scene.clock.advance(by: .milliseconds(2999))
        #expect(scene.askedEndpoints == Array(0..<endpoints))
        #expect(scene.transport.sent.allSatisfy { $0.at <= .seconds(2) })
        #expect(client.isWaiting)
        scene.clock.advance(by: .milliseconds(11))
        #expect(client.resolution?.source == .local)
        #expect(client.waited == .milliseconds(3010))
        #expect(scene.transport.running == 0)
    }

    @Test func theBudgetHoldsEvenIfTheTransportForgetsItsTimeout() {
        let scene = scene { _, _ in .dead }
        let client = Client(scene, "www.example.com")
        scene.clock.advance(by: .milliseconds(3010))
        #expect(client.resolution?.source == .local)
        #expect(scene.transport.running == 0)
        #expect(scene.transport.cancelled == 2)
    }

    @Test(arguments: [(Duration.milliseconds(10), Duration.milliseconds(500)), (.seconds(600), .seconds(60)), (.seconds(2), .seconds(2))])
    func theTimeoutStaysInItsRange(configured: Duration, effective: Duration) {
        let scene = scene(configure: { $0.queryTimeout = configured }, { _, _ in .silence })
        let client = Client(scene, "www.example.com")
        scene.clock.advance(by: effective + .milliseconds(10))
        #expect(client.waited == effective + .milliseconds(10))
    }

    @Test(arguments: [2, 5])
    func aDNSErrorConcernsTheNameOnly(rcode: Int) {
        let scene = scene { _, query in
            query.question.name == "bad.example" ? .reply(200, ServiceBodies.status(query.question, rcode)) : Self.good(query)
        }
        for _ in 0..<5 {
            let client = Client(scene, "bad.example")
            scene.clock.advance(by: .milliseconds(30))
            #expect(client.resolution?.source == .local)
            scene.cache.removeAll()
        }
        #expect(scene.observer.fallbacks == Array(repeating: .serverFailure(rcode: rcodeName(rcode)), count: 5))
        #expect(scene.observer.opened.isEmpty)
        #expect(scene.askedEndpoints == [0, 0, 0, 0, 0], "the other endpoint would say the same")
        let good = Client(scene, "good.example")
        scene.clock.advance(by: .milliseconds(20))
        #expect(good.resolution?.source == .httpdns)
    }

    @Test func aRefusedParameterConcernsTheNameOnly() {
        let scene = scene { _, _ in .reply(400, #"{"code":"InvalidParameter"}"#) }
        for name in ["a.example", "b.example", "c.example", "d.example"] {
            let client = Client(scene, name)
            scene.clock.advance(by: .milliseconds(30))
            #expect(client.resolution?.source == .local)
        }
        #expect(scene.observer.opened.isEmpty)
        #expect(scene.observer.countedFailures.allSatisfy { $0 == .urlParameter })
    }

    @Test func whoHadHardlyAnyTimeIsNotBlamed() {
        let scene = scene(endpoints: 3) { number, _ in
            number == 2 ? .silence : .fail(.other("reset"), after: .milliseconds(number == 0 ? 950 : 1500))
        }
        let client = Client(scene, "www.example.com")
        scene.clock.advance(by: .milliseconds(3010))
        #expect(client.resolution?.source == .local)
        #expect(scene.transport.sent.map(\.at) == [.zero, .milliseconds(950), .milliseconds(1950)])
        #expect(scene.observer.opened.map(\.endpoint) == [scene.endpoints[2]], "it had more than a third of the time")

        let pair = self.scene(endpoints: 2) { number, _ in number == 0 ? .reply(401, "", after: .milliseconds(2500)) : .silence }
        let base = pair.clock.epochSeconds
        pair.transport.date = { base + 3600 }
        _ = Client(pair, "www.example.com")
        pair.transport.script = { _ in .silence }
        pair.clock.advance(by: .milliseconds(3010))
        #expect(pair.askedEndpoints == [0, 1, 0])
        #expect(pair.observer.opened.map(\.endpoint) == [pair.endpoints[1]], "the repeat had half a second only")
    }

    @Test func anEndpointThatWasLeftAloneMeanwhileIsSkipped() {
        let scene = scene(endpoints: 3) { number, query in
            switch (number, query.question.name) {
            case (0, "a.example"): .reply(500, "", after: .milliseconds(500))
            case (0, _): .reply(500, "")
            case (1, _): .fail(.connectFailed("refused"))
            default: Self.good(query)
            }
        }
        let client = Client(scene, "a.example")
        _ = Client(scene, "b.example")
        scene.clock.advance(by: .milliseconds(520))
        #expect(client.addresses == ["192.0.2.10"])
        #expect(scene.transport.sent.filter { $0.question.name == "a.example" }.map(scene.number) == [0, 2])
    }

    @Test func withoutFallbackAQueryOnItsWayMayStillSucceed() {
        let scene = ResolverScene(endpoints: 1) {
            $0.fallback = .none
            $0.families = .ipv4
        }
        scene.transport.script = { $0.question.name == "slow.example" ? .silence : Self.good($0, after: .milliseconds(500)) }
        let slow = Client(scene, "slow.example")
        scene.clock.advance(by: .milliseconds(2900))
        let other = Client(scene, "other.example")
        scene.clock.advance(by: .milliseconds(500))
        #expect(slow.failure == .timedOut)
        #expect(other.addresses == ["192.0.2.10"])
        #expect(scene.observer.closed == scene.endpoints, "its answer shows that the endpoint is well")
    }

    @Test func endpointsReportWhatTheyDid() {
        let scene = scene { number, query in number == 0 ? .reply(500, "") : Self.good(query) }
        _ = Client(scene, "www.example.com")
        scene.clock.advance(by: .seconds(1))
        let question = Question(name: "www.example.com", type: .a)
        #expect(
            scene.observer.events == [
                .asked(question, scene.endpoints[0]),
                .endpointFailed(question, scene.endpoints[0], reason: "HTTP status 500", field: .noResponse),
                .asked(question, scene.endpoints[1]),
                .endpointAnswered(question, scene.endpoints[1], elapsed: .milliseconds(20)),
                .answered(question, source: .httpdns, elapsed: .milliseconds(40)),
            ])
    }
}
