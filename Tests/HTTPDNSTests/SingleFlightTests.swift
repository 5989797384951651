import HTTPDNS
import Net
import Testing

/// Many clients, one query.
@Suite struct SingleFlightTests {
    @Test func aThousandClientsCauseOneQueryPerFamily() {
        let scene = ResolverScene()
        let clients = (0..<1000).map { _ in Client(scene, "www.example.com") }
        #expect(scene.transport.sent.count == 2)
        scene.clock.advance(by: .milliseconds(20))
        #expect(clients.allSatisfy { $0.addresses == ["2001:db8::10", "192.0.2.10"] && $0.results.count == 1 })
        #expect(scene.transport.sent.count == 2)
    }

    @Test func aThousandClientsCauseOneFallbackPerFamily() {
        let scene = ResolverScene()
        scene.transport.script = { _ in .silence }
        let clients = (0..<1000).map { _ in Client(scene, "www.example.com") }
        scene.clock.advance(by: .seconds(4))
        #expect(clients.allSatisfy { $0.resolution?.source == .local })
        #expect(scene.local.asked.count == 2)
    }

    @Test func differentNamesAndFamiliesAreAskedApart() {
        let scene = ResolverScene()
        _ = [Client(scene, "a.example", .ipv4), Client(scene, "b.example", .ipv4), Client(scene, "a.example", .ipv6)]
        #expect(scene.transport.sent.count == 3)
        let joined = Client(scene, "a.example", .both)
        #expect(scene.transport.sent.count == 3)
        scene.clock.advance(by: .milliseconds(20))
        #expect(joined.addresses.count == 2)
    }

    @Test func oneClientLeavingDoesNotDisturbTheOthers() {
        let scene = ResolverScene()
        let (leaver, stayer) = (Client(scene, "www.example.com"), Client(scene, "www.example.com"))
        leaver.lookup?.cancel()
        scene.clock.advance(by: .seconds(1))
        #expect(leaver.results.isEmpty)
        #expect(stayer.addresses.count == 2)
    }

    @Test func anAnswerNobodyWaitsForIsStillKept() {
        let scene = ResolverScene()
        let leaver = Client(scene, "www.example.com")
        leaver.lookup?.cancel()
        leaver.lookup?.cancel()
        scene.clock.advance(by: .seconds(1))
        #expect(leaver.results.isEmpty)
        #expect(Client(scene, "www.example.com").resolution?.fromCache == true)
        #expect(scene.transport.sent.count == 2)
    }

    @Test func aClientMayAskAgainOrLeaveInsideItsCompletion() {
        let scene = ResolverScene()
        var other: (any Cancellable)?
        var otherResults = 0
        var again: [String] = []
        _ = scene.resolver.resolve("www.example.com") { _ in
            other?.cancel()
            _ = scene.resolver.resolve("www.example.com") { again = (try? $0.get().addresses.map(\.description)) ?? [] }
        }
        other = scene.resolver.resolve("www.example.com") { _ in otherResults += 1 }
        scene.clock.advance(by: .milliseconds(20))
        #expect(otherResults == 0)
        #expect(again.count == 2)
    }

    @Test func completionsBeforeTheCallReturnsAreHandled() {
        let scene = ResolverScene()
        scene.transport.script = {
            .replyAtOnce(200, ServiceBodies.addresses($0.question, [ResolverScene.serviceAddress($0.question.type)]))
        }
        #expect(Client(scene, "a.example").addresses.count == 2)
        scene.transport.script = { _ in .failAtOnce(.connectFailed("refused")) }
        scene.local.script = { .replyAtOnce(.addresses([ResolverScene.localAddress($0.type)])) }
        #expect(Client(scene, "b.example").resolution?.source == .local)
        #expect(scene.clock.pendingTimers == 0)
        #expect(scene.transport.running == 0)
    }

    @Test func aFinishedLookupLeavesNothingBehind() {
        let scene = ResolverScene()
        for name in ["a.example", "b.local"] { _ = Client(scene, name) }
        scene.clock.advance(by: .milliseconds(20))
        #expect(scene.clock.pendingTimers == 0)
        #expect(scene.transport.running == 0)
    }

    @Test func clientsAreReleasedAfterTheirLookup() {
        final class Witness {}
        weak var remains: Witness?
        let scene = ResolverScene()
        do {
            let witness = Witness()
            remains = witness
            for name in ["a.example", "b.local", "c.example"] {
                let lookup = scene.resolver.resolve(name) { [witness] _ in _ = witness }
                if name == "c.example" { lookup.cancel() }
            }
        }
        #expect(remains != nil)
        scene.clock.advance(by: .seconds(1))
        #expect(remains == nil)
    }

    @Test func shutdownEndsEveryWaitAndEveryQuery() {
        let scene = ResolverScene()
        scene.transport.script = { _ in .silence }
        scene.local.script = { _ in .dead }
        let waiting = [Client(scene, "a.example"), Client(scene, "b.example", .ipv4), Client(scene, "c.local")]
        scene.resolver.shutdown()
        #expect(waiting.allSatisfy { $0.failure == .cancelled && $0.results.count == 1 })
        #expect(scene.transport.running == 0)
        #expect(scene.local.cancelled == 2)
        #expect(scene.clock.pendingTimers == 0)
        #expect(Client(scene, "d.example").failure == .cancelled)
        scene.resolver.refresh("a.example")
        scene.resolver.shutdown()
        scene.clock.advance(by: .seconds(10))
        #expect(scene.transport.sent.count == 3)
        #expect(waiting.allSatisfy { $0.results.count == 1 })
    }
}
