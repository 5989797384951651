import HTTPDNS
import Net
import Testing

/// How the service comes back.
@Suite struct RecoveryTests {
    private func brokenScene() -> ResolverScene {
        let scene = ResolverScene(endpoints: 1) { $0.families = .ipv4 }
        scene.transport.script = { _ in .fail(.connectFailed("refused")) }
        _ = Client(scene, "first.example")
        scene.clock.advance(by: .milliseconds(5010))
        return scene
    }

    @Test func clientsDoNotWaitForTheProbe() {
        let scene = brokenScene()
        scene.transport.script = { _ in .silence }
        let client = Client(scene, "probe.example")
        #expect(scene.transport.sent.count == 2)
        scene.clock.advance(by: .milliseconds(10))
        #expect(client.resolution?.source == .local)
        #expect(client.waited == .milliseconds(10))
    }

    @Test func thereIsOneProbeAtATime() {
        let scene = brokenScene()
        scene.transport.script = { _ in .silence }
        for number in 0..<20 { _ = Client(scene, "n\(number).example") }
        #expect(scene.transport.sent.count == 2)
    }

    @Test func aGoodProbeBringsTheServiceBackAndItsAnswerIsKept() {
        let scene = brokenScene()
        scene.transport.script = ResolverScene.service
        _ = Client(scene, "probe.example")
        scene.clock.advance(by: .milliseconds(20))
        #expect(Client(scene, "probe.example").resolution?.source == .httpdns)
        let client = Client(scene, "next.example")
        scene.clock.advance(by: .milliseconds(20))
        #expect(client.resolution?.source == .httpdns)
        #expect(scene.observer.closed == scene.endpoints)
    }

    @Test func aProbeThatIsFasterThanLocalDNSServesTheClient() {
        let scene = brokenScene()
        scene.transport.script = ResolverScene.service
        scene.local.script = { _ in .dead }
        let client = Client(scene, "probe.example")
        scene.clock.advance(by: .milliseconds(20))
        #expect(client.resolution?.source == .httpdns)
        #expect(scene.local.cancelled == 1)
        #expect(scene.clock.pendingTimers == 0)
    }

    @Test func aProbeThatIsAnsweredAtOnceIsEnough() {
        let scene = brokenScene()
        scene.transport.script = { .replyAtOnce(200, ServiceBodies.addresses($0.question, ["192.0.2.10"])) }
        let (asked, sent) = (scene.local.asked.count, scene.transport.sent.count)
        #expect(Client(scene, "probe.example").addresses == ["192.0.2.10"])
        #expect(scene.local.asked.count == asked)
        #expect(scene.transport.sent.count == sent + 1)
        #expect(scene.clock.pendingTimers == 0)
    }

    @Test func aProbeWhoseTransportForgetsItIsGivenUp() {
        let scene = brokenScene()
        scene.transport.script = { _ in .dead }
        _ = Client(scene, "probe.example")
        scene.clock.advance(by: .seconds(3))
        #expect(scene.transport.running == 0)
        #expect(scene.observer.opened.map(\.duration) == [.seconds(5), .seconds(10)])
    }

    @Test func aHealthyEndpointServesWhileAnotherIsProbed() {
        let scene = ResolverScene { $0.families = .ipv4 }
        let first = scene.endpoints[0]
        scene.transport.script = {
            $0.endpoint == first ? .fail(.connectFailed("refused")) : ResolverScene.service($0)
        }
        _ = Client(scene, "first.example")
        scene.clock.advance(by: .milliseconds(5010))
        let client = Client(scene, "probe.example")
        #expect(scene.askedEndpoints == [0, 1, 0, 1])
        scene.clock.advance(by: .milliseconds(20))
        #expect(client.resolution?.source == .httpdns)
        #expect(scene.local.asked.isEmpty)
    }
}
