import HTTPDNS
import Net
import Testing

/// Expired answers: served while a new one is fetched, never for longer than configured.
@Suite struct ExpiredAnswerTests {
    private func scene(expired: Duration = .seconds(30), families: FamilyPreference = .ipv4) -> ResolverScene {
        let scene = ResolverScene {
            $0.expiredAnswers = expired
            $0.families = families
        }
        _ = Client(scene, "www.example.com")
        scene.clock.advance(by: .seconds(1))
        return scene
    }

    private func moveService(_ scene: ResolverScene, to address: String) {
        scene.transport.script = { .reply(200, ServiceBodies.addresses($0.question, [address], ttl: 600)) }
    }

    @Test func theOldAnswerIsGivenAtOnceAndTheNewOneNext() {
        let scene = scene()
        scene.clock.advance(by: .seconds(60))
        moveService(scene, to: "192.0.2.99")
        let old = Client(scene, "www.example.com")
        #expect(old.addresses == ["192.0.2.10"])
        #expect(old.resolution?.stale == true)
        #expect(old.resolution?.ttl == .zero)
        scene.clock.advance(by: .milliseconds(20))
        let new = Client(scene, "www.example.com")
        #expect(new.addresses == ["192.0.2.99"])
        #expect(new.resolution?.stale == false)
        #expect(scene.observer.events.contains(.servedExpired(name: "www.example.com")))
    }

    @Test func oneRefreshServesEveryone() {
        let scene = scene(families: .both)
        scene.clock.advance(by: .seconds(60))
        let before = scene.transport.sent.count
        for _ in 0..<100 { #expect(Client(scene, "www.example.com").resolution?.stale == true) }
        for _ in 0..<100 { scene.resolver.refresh("www.example.com") }
        #expect(scene.transport.sent.count == before + 2)
        scene.clock.advance(by: .milliseconds(20))
        for second in 0..<59 {
            #expect(Client(scene, "www.example.com").resolution?.stale == false, "second \(second)")
            scene.clock.advance(by: .seconds(1))
        }
        #expect(scene.transport.sent.count == before + 2)
    }

    @Test func refreshFetchesOnlyWhatHasExpired() {
        let scene = scene(families: .both)
        let before = scene.transport.sent.count
        scene.resolver.refresh("www.example.com")
        scene.resolver.refresh("unknown.example")
        #expect(scene.transport.sent.count == before)
    }

    @Test func afterTheWindowTheClientWaitsForTheNewAnswer() {
        let scene = scene()
        scene.clock.advance(by: .seconds(90))
        moveService(scene, to: "192.0.2.99")
        let client = Client(scene, "www.example.com")
        #expect(client.isWaiting)
        scene.clock.advance(by: .milliseconds(20))
        #expect(client.addresses == ["192.0.2.99"])
    }

    @Test func withoutWindowNothingExpiredIsGiven() {
        let scene = scene(expired: .zero)
        scene.clock.advance(by: .seconds(60))
        #expect(Client(scene, "www.example.com").isWaiting)
    }

    @Test func aNameThatIsGoneReplacesTheOldAnswer() {
        let scene = scene()
        scene.clock.advance(by: .seconds(60))
        scene.transport.script = { .reply(200, ServiceBodies.noSuchName($0.question)) }
        #expect(Client(scene, "www.example.com").resolution?.stale == true)
        scene.clock.advance(by: .milliseconds(20))
        #expect(Client(scene, "www.example.com").failure == .noSuchName)
    }

    @Test func aFailedRefreshKeepsTheOldAnswerToTheEndOfTheWindowOnly() {
        let scene = scene()
        scene.clock.advance(by: .seconds(60))
        scene.transport.script = { _ in .reply(200, #"{"Status":2}"#) }
        scene.local.script = { _ in .fail(.serverFailure(rcode: "SERVFAIL")) }
        for _ in 0..<29 {
            #expect(Client(scene, "www.example.com").resolution?.stale == true)
            scene.clock.advance(by: .seconds(1))
        }
        #expect(scene.transport.sent.count <= 5, "a failing name is asked again every ten seconds, not by every client")
        scene.clock.advance(by: .seconds(1))
        let client = Client(scene, "www.example.com")
        scene.clock.advance(by: .seconds(1))
        #expect(client.failure == .serverFailure(rcode: "SERVFAIL"))
    }

    @Test func aRefreshThatFallsBackBringsLocalAnswers() {
        let scene = scene()
        scene.clock.advance(by: .seconds(60))
        scene.transport.script = { _ in .reply(500, "") }
        _ = Client(scene, "www.example.com")
        scene.clock.advance(by: .milliseconds(60))
        let client = Client(scene, "www.example.com")
        #expect(client.addresses == ["198.51.100.1"])
        #expect(client.resolution?.stale == false)
    }

    @Test func anExpiredFamilyIsServedWhileTheOtherIsAsked() {
        let scene = scene(families: .ipv4)
        scene.clock.advance(by: .seconds(60))
        let client = Client(scene, "www.example.com", .both)
        scene.clock.advance(by: .milliseconds(20))
        #expect(client.addresses == ["2001:db8::10", "192.0.2.10"])
        #expect(client.results.count == 1)
        #expect(scene.transport.sent.map(\.question.type) == [.a, .aaaa, .a])
    }

    @Test func aWorkerThatServedAnExpiredAnswerHasItRefreshed() {
        let scene = scene()
        scene.clock.advance(by: .seconds(60))
        guard case .stale(let old) = scene.cache.resolution(name: "www.example.com", families: .ipv4, now: scene.clock.now) else {
            Issue.record("not stale")
            return
        }
        #expect(old.addresses.map(\.description) == ["192.0.2.10"])
        moveService(scene, to: "192.0.2.99")
        scene.resolver.refresh("www.example.com")
        scene.clock.advance(by: .milliseconds(20))
        guard case .fresh(let new) = scene.cache.resolution(name: "www.example.com", families: .ipv4, now: scene.clock.now) else {
            Issue.record("not fresh")
            return
        }
        #expect(new.addresses.map(\.description) == ["192.0.2.99"])
    }

    @Test func withoutCacheEveryLookupAsks() {
        let scene = ResolverScene {
            $0.cacheSize = 0
            $0.families = .ipv4
        }
        for count in 1...3 {
            let client = Client(scene, "www.example.com")
            scene.clock.advance(by: .milliseconds(20))
            #expect(client.addresses == ["192.0.2.10"])
            #expect(scene.transport.sent.count == count)
        }
    }
}
