import HTTPDNS
import Net
import Testing

/// Seeded random lives: whatever service, LocalDNS and clients do, every client is told once, in bounded time, and nothing stays behind.
@Suite struct ResolverPropertyTests {
    private static func service(_ random: inout SeededRandom, _ query: ScriptedTransport.Sent) -> ScriptedTransport.Behaviour {
        let delay = Duration.milliseconds(Int.random(in: 0...3500, using: &random))
        let good = ServiceBodies.addresses(
            query.question, [ResolverScene.serviceAddress(query.question.type)], ttl: Int.random(in: 0...20, using: &random))
        let choices: [ScriptedTransport.Behaviour] = [
            .reply(200, good, after: delay), .reply(200, good, after: .milliseconds(10)), .replyAtOnce(200, good),
            .reply(200, ServiceBodies.noSuchName(query.question), after: delay), .reply(200, ServiceBodies.noRecord(query.question)),
            .reply(200, ServiceBodies.status(query.question, 2)), .reply(401, ""), .reply(400, ""), .reply(500, "", after: delay),
            .reply(200, "junk"), .fail(.connectFailed("refused"), after: delay), .failAtOnce(.other("reset")), .silence, .dead,
        ]
        return choices[Int.random(in: 0..<choices.count, using: &random)]
    }

    private static func localDNS(_ random: inout SeededRandom, _ question: Question) -> ScriptedLocalDNS.Behaviour {
        let good = Answer.Outcome.addresses([ResolverScene.localAddress(question.type)])
        let choices: [ScriptedLocalDNS.Behaviour] = [
            .reply(good, ttl: Int64.random(in: 0...10, using: &random)), .replyAtOnce(good), .reply(.noRecord),
            .fail(.timedOut, after: .seconds(2)),
            .fail(.noSuchName), .dead,
        ]
        return choices[Int.random(in: 0..<choices.count, using: &random)]
    }

    @Test(arguments: 1...25 as ClosedRange<UInt64>)
    func everyClientIsToldOnceInBoundedTime(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var inner = SeededRandom(seed: seed &+ 1000)
        let scene = ResolverScene(endpoints: Int.random(in: 1...4, using: &random)) {
            $0.fallback = Bool.random(using: &random) ? .local : .none
            $0.cacheSize = [0, 3, 100][Int.random(in: 0...2, using: &random)]
            $0.expiredAnswers = .seconds(Int.random(in: 0...10, using: &random))
        }
        let clock = scene.clock
        scene.transport.script = { Self.service(&inner, $0) }
        scene.transport.date = { clock.epochSeconds + (clock.elapsed > .seconds(60) ? 100 : 0) }
        scene.local.script = { Self.localDNS(&inner, $0) }
        var stayed: [Client] = []
        var left: [(client: Client, told: Int)] = []
        for _ in 0..<600 {
            let name = ["a.example", "b.example", "c.example", "d.local", "e.example", "localhost"][Int.random(in: 0..<6, using: &random)]
            let client = Client(scene, name, FamilyPreference.allCases[Int.random(in: 0..<4, using: &random)])
            if Int.random(in: 0..<6, using: &random) == 0 {
                client.lookup?.cancel()
                left.append((client, client.results.count))
            } else {
                stayed.append(client)
            }
            scene.clock.advance(by: .milliseconds(Int.random(in: 0...800, using: &random)))
        }
        scene.clock.advance(by: .seconds(20))
        #expect(stayed.allSatisfy { $0.results.count == 1 })
        #expect(stayed.allSatisfy { $0.waited ?? .seconds(99) <= .seconds(8) }, "one budget for the service and one for LocalDNS")
        #expect(stayed.allSatisfy { $0.resolution?.addresses.isEmpty != true })
        #expect(left.allSatisfy { $0.client.results.count == $0.told })
        #expect(scene.clock.pendingTimers == 0)
        #expect(scene.transport.running == 0)
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func damagedBodiesAreReadOrRefusedButNeverTrap(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let question = Question(name: "www.example.com", type: .a)
        let provider = AlibabaPublicDNS(hostHasIPv6: false)
        let bodies = [
            ServiceBodies.addresses(question, ["192.0.2.1", "192.0.2.2"]), ServiceBodies.noSuchName(question),
            ServiceBodies.noRecord(question),
        ]
        for _ in 0..<800 {
            var body = Array(bodies[Int.random(in: 0..<bodies.count, using: &random)].utf8)
            for _ in 0...Int.random(in: 0...3, using: &random) {
                let place = Int.random(in: 0..<body.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: body[place] = UInt8.random(in: 0...255, using: &random)
                case 1: body.remove(at: place)
                case 2: body.insert(contentsOf: Array("9999999999".utf8), at: place)
                default: body.removeSubrange(place...)
                }
                if body.isEmpty { break }
            }
            guard let answer = try? provider.answer(question, status: 200, body: body) else { continue }
            #expect(answer.ttl ?? 0 >= 0)
            if case .addresses(let addresses) = answer.outcome {
                #expect(!addresses.isEmpty && addresses.allSatisfy { $0.family == .ipv4 })
            }
        }
    }
}
