import HTTPDNS
import Net
import Testing

/// One name in one or both families.
@Suite struct NameLookupTests {
    private func serve(
        _ scene: ResolverScene, a: ScriptedTransport.Behaviour, aaaa: ScriptedTransport.Behaviour
    ) {
        scene.transport.script = { $0.question.type == .a ? a : aaaa }
    }

    private func addresses(_ type: RecordType, after: Duration, name: String = "www.example.com") -> ScriptedTransport.Behaviour {
        .reply(200, ServiceBodies.addresses(Question(name: name, type: type), [ResolverScene.serviceAddress(type)]), after: after)
    }

    private func noSuchName(_ type: RecordType, after: Duration = .milliseconds(20)) -> ScriptedTransport.Behaviour {
        .reply(200, ServiceBodies.noSuchName(Question(name: "www.example.com", type: type)), after: after)
    }

    private func noRecord(_ type: RecordType, after: Duration = .milliseconds(20)) -> ScriptedTransport.Behaviour {
        .reply(200, ServiceBodies.noRecord(Question(name: "www.example.com", type: type)), after: after)
    }

    @Test func bothFamiliesAreAskedAtOnceAndGivenIPv6First() {
        let scene = ResolverScene()
        let client = Client(scene, "www.example.com")
        #expect(Set(scene.transport.sent.map(\.question.type)) == [.a, .aaaa])
        #expect(client.isWaiting)
        scene.clock.advance(by: .milliseconds(20))
        #expect(client.addresses == ["2001:db8::10", "192.0.2.10"])
        #expect(client.resolution?.source == .httpdns)
        #expect(client.resolution?.fromCache == false)
        #expect(client.resolution?.ttl == .seconds(60))
        #expect(client.resolution?.elapsed == .milliseconds(20))
        #expect(client.results.count == 1)
    }

    @Test(arguments: [(FamilyPreference.ipv4, "192.0.2.10", 1), (.ipv6, "2001:db8::10", 28)])
    func oneFamilyIsAskedAlone(families: FamilyPreference, address: String, type: UInt16) {
        let scene = ResolverScene()
        let client = Client(scene, "www.example.com", families)
        scene.clock.advance(by: .milliseconds(20))
        #expect(client.addresses == [address])
        #expect(scene.transport.sent.map(\.question.type.rawValue) == [type])
    }

    @Test func theConfiguredFamiliesAreTheDefault() {
        let scene = ResolverScene { $0.families = .ipv4 }
        let client = Client(scene, "www.example.com")
        scene.clock.advance(by: .milliseconds(20))
        #expect(client.addresses == ["192.0.2.10"])
    }

    @Test(arguments: [RecordType.a, .aaaa])
    func theFirstFamilyWaitsOnlyBrieflyForTheOther(slow: RecordType) {
        let scene = ResolverScene()
        let fast: RecordType = slow == .a ? .aaaa : .a
        serve(
            scene, a: addresses(.a, after: .milliseconds(slow == .a ? 500 : 20)),
            aaaa: addresses(.aaaa, after: .milliseconds(slow == .aaaa ? 500 : 20)))
        let client = Client(scene, "www.example.com")
        scene.clock.advance(by: .milliseconds(69))
        #expect(client.isWaiting)
        scene.clock.advance(by: .milliseconds(1))
        #expect(client.addresses == [ResolverScene.serviceAddress(fast)])
        #expect(client.resolution?.elapsed == .milliseconds(70))
    }

    @Test func theLateFamilyIsKeptForTheNextClient() {
        let scene = ResolverScene()
        serve(scene, a: addresses(.a, after: .milliseconds(20)), aaaa: addresses(.aaaa, after: .milliseconds(500)))
        let first = Client(scene, "www.example.com")
        scene.clock.advance(by: .milliseconds(600))
        #expect(first.results.count == 1)
        let second = Client(scene, "www.example.com")
        #expect(second.addresses == ["2001:db8::10", "192.0.2.10"])
        #expect(second.resolution?.fromCache == true)
        #expect(scene.transport.sent.count == 2)
    }

    @Test func aSecondFamilyInsideTheDelayIsIncludedAtOnce() {
        let scene = ResolverScene()
        serve(scene, a: addresses(.a, after: .milliseconds(20)), aaaa: addresses(.aaaa, after: .milliseconds(40)))
        let client = Client(scene, "www.example.com")
        scene.clock.advance(by: .milliseconds(40))
        #expect(client.addresses.count == 2)
        #expect(client.waited == .milliseconds(40))
    }

    @Test func aNegativeFamilyDoesNotEndTheWaitForTheOther() {
        let scene = ResolverScene()
        serve(scene, a: addresses(.a, after: .milliseconds(900)), aaaa: noRecord(.aaaa))
        let client = Client(scene, "www.example.com")
        scene.clock.advance(by: .milliseconds(899))
        #expect(client.isWaiting)
        scene.clock.advance(by: .milliseconds(1))
        #expect(client.addresses == ["192.0.2.10"])
    }

    @Test(arguments: [
        ScriptedTransport.Behaviour.silence, .reply(500, ""), .reply(200, #"{"Status":2}"#), .reply(200, "junk"),
        .fail(.connectFailed("refused")),
    ])
    func aBrokenIPv6FamilyNeverFailsTheName(aaaa: ScriptedTransport.Behaviour) {
        let scene = ResolverScene { $0.fallback = .none }
        serve(scene, a: addresses(.a, after: .milliseconds(20)), aaaa: aaaa)
        let client = Client(scene, "www.example.com")
        scene.clock.advance(by: .milliseconds(70))
        #expect(client.addresses == ["192.0.2.10"])
        scene.clock.advance(by: .seconds(4))
        #expect(client.results.count == 1)
        let held = scene.cache.entries(now: scene.clock.now)
        #expect(held.map(\.type) == [.a], "a failure is no answer")
    }

    @Test func aFamilyThatKeepsFailingIsNeitherWaitedForNorAskedAgainAtOnce() {
        let scene = ResolverScene { $0.fallback = .none }
        serve(scene, a: addresses(.a, after: .milliseconds(20)), aaaa: .reply(200, #"{"Status":2}"#))
        _ = Client(scene, "www.example.com")
        scene.clock.advance(by: .milliseconds(70))
        for _ in 0..<9 {
            let client = Client(scene, "www.example.com")
            #expect(client.addresses == ["192.0.2.10"])
            #expect(client.waited == .zero)
            scene.clock.advance(by: .seconds(1))
        }
        #expect(scene.transport.sent.count { $0.question.type == .aaaa } == 1)
        scene.clock.advance(by: .seconds(2))
        serve(scene, a: addresses(.a, after: .milliseconds(20)), aaaa: addresses(.aaaa, after: .milliseconds(20)))
        let later = Client(scene, "www.example.com")
        scene.clock.advance(by: .milliseconds(20))
        #expect(later.addresses == ["2001:db8::10", "192.0.2.10"])
    }

    @Test func aClientThatWantsTheFailedFamilyAloneIsStillServed() {
        let scene = ResolverScene { $0.fallback = .none }
        serve(scene, a: addresses(.a, after: .milliseconds(20)), aaaa: .reply(200, #"{"Status":2}"#))
        _ = Client(scene, "www.example.com")
        scene.clock.advance(by: .milliseconds(70))
        serve(scene, a: addresses(.a, after: .milliseconds(20)), aaaa: addresses(.aaaa, after: .milliseconds(20)))
        let client = Client(scene, "www.example.com", .ipv6)
        scene.clock.advance(by: .milliseconds(20))
        #expect(client.addresses == ["2001:db8::10"])
    }

    @Test func aNameThatDoesNotExistIsSaidSoAndRemembered() {
        let scene = ResolverScene()
        serve(scene, a: noSuchName(.a), aaaa: noSuchName(.aaaa))
        let client = Client(scene, "www.example.com")
        scene.clock.advance(by: .milliseconds(20))
        #expect(client.failure == .noSuchName)
        #expect(client.failure?.rcode == "NXDOMAIN")
        scene.clock.advance(by: .seconds(29))
        #expect(Client(scene, "www.example.com").failure == .noSuchName)
        #expect(scene.transport.sent.count == 2)
        #expect(scene.local.asked.isEmpty, "an answer is no reason to ask elsewhere")
        scene.clock.advance(by: .seconds(1))
        #expect(Client(scene, "www.example.com").isWaiting)
    }

    @Test func negativeOutcomesCombine() {
        for (a, aaaa, expected) in [
            (noRecord(.a), noRecord(.aaaa), ResolutionFailure.noRecord), (noSuchName(.a), noRecord(.aaaa), .noSuchName),
            (noRecord(.a), noSuchName(.aaaa), .noSuchName),
        ] {
            let scene = ResolverScene()
            serve(scene, a: a, aaaa: aaaa)
            let client = Client(scene, "www.example.com")
            scene.clock.advance(by: .milliseconds(20))
            #expect(client.failure == expected)
        }
    }

    @Test func aFamilyThatCouldNotBeAskedIsNotANegativeAnswer() {
        let scene = ResolverScene { $0.fallback = .none }
        serve(scene, a: .reply(200, #"{"Status":2}"#), aaaa: noRecord(.aaaa))
        let client = Client(scene, "www.example.com")
        scene.clock.advance(by: .milliseconds(20))
        #expect(client.failure == .serverFailure(rcode: "SERVFAIL"))
        #expect(client.failure?.rcode == "SERVFAIL")
    }

    @Test func anAnswerWithoutTTLIsKeptForAMinuteAndTTLZeroNotAtAll() {
        for (ttl, held) in [(nil as String?, true), (#""TTL":0,"#, false)] {
            let scene = ResolverScene()
            let body = #"{"Status":0,"Answer":[{"name":"www.example.com.",\#(ttl ?? "")"type":1,"data":"192.0.2.10"}]}"#
            scene.transport.script = { _ in .reply(200, body) }
            let client = Client(scene, "www.example.com", .ipv4)
            scene.clock.advance(by: .milliseconds(20))
            #expect(client.addresses == ["192.0.2.10"])
            #expect(client.resolution?.ttl == (held ? .seconds(60) : .zero))
            #expect(Client(scene, "www.example.com", .ipv4).isWaiting == !held)
        }
    }

    @Test func longTTLsAreCutToTheConfiguredMaximum() {
        let scene = ResolverScene { $0.maximumTTL = .seconds(100) }
        scene.transport.script = { .reply(200, ServiceBodies.addresses($0.question, ["192.0.2.10"], ttl: 86400)) }
        let client = Client(scene, "www.example.com", .ipv4)
        scene.clock.advance(by: .milliseconds(20))
        #expect(client.resolution?.ttl == .seconds(100))
    }
}
