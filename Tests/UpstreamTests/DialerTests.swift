import EventLoop
import Glibc
import Net
import Testing
import Upstream

@Suite("Dialling plain connections")
struct DialerTests {
    private let scene: DialScene

    init() throws { scene = try DialScene() }

    @Test("gives a connection whose bytes go both ways, though the name exists nowhere")
    func connects() throws {
        let origin = try Origin(on: scene.loop, accepted: { $0.send("pong") })
        let dialled = try scene.connect(.plain("nowhere.invalid", origin.address), [.loopback()])
        #expect(dialled.address == .loopback())
        #expect(dialled.failedAddresses == 0)
        #expect(dialled.stream.isPlain)
        #expect(dialled.stream.write(Array("ping".utf8)) == .bytes(4))
        #expect(scene.loop.turn { origin.connections.first?.text == "ping" })
        #expect(scene.read(4, from: dialled.stream) == Array("pong".utf8))
        dialled.stream.close()
        #expect(scene.loop.turn { origin.connections.first?.sawEnd == true })
    }

    @Test("literals of both families are dialled like names", arguments: ["127.0.0.1", "::1"])
    func literals(text: String) throws {
        let address = try #require(IPAddress(text))
        let origin = try Origin("\(address.uriHost):0", on: scene.loop)
        let dialled = try scene.connect(.plain(text, origin.address), [address])
        #expect(dialled.address == address)
        #expect(scene.loop.turn { origin.connections.count == 1 })
    }

    @Test("the next address is tried at once when one refuses")
    func secondAddress() throws {
        let origin = try Origin(on: scene.loop)
        let start = MonotonicTime.read()
        let dialled = try scene.connect(.plain("two.test", origin.address), [.loopback(9), .loopback(10), .loopback()])
        #expect(dialled.address == .loopback())
        #expect(dialled.failedAddresses == 2)
        #expect(MonotonicTime.read() - start < .milliseconds(240))
    }

    @Test("the next address is tried beside one that says nothing, after a quarter of a second")
    func silentAddress() throws {
        let origin = try Origin(on: scene.loop)
        let hole = try BlackHole(SocketAddress(address: .loopback(2), port: origin.address.port))
        let start = MonotonicTime.read()
        let dialled = try scene.connect(.plain("silent.test", origin.address), [.loopback(2), .loopback()])
        let elapsed = MonotonicTime.read() - start
        #expect(dialled.address == .loopback())
        #expect(dialled.failedAddresses == 1)
        #expect(elapsed >= .milliseconds(240))
        #expect(elapsed < .seconds(3))
        withExtendedLifetime(hole) {}
    }

    @Test("an answer after the delay still wins over nothing, and exactly one connection is left")
    func exactlyOne() throws {
        let origin = try Origin(on: scene.loop)
        let dialled = try scene.connect(.plain("one.test", origin.address), [.loopback(), .loopback(11), .loopback(12)])
        #expect(dialled.address == .loopback())
        scene.loop.turn(for: .milliseconds(20))
        #expect(origin.connections.count == 1)
        #expect(origin.connections.first?.sawEnd == false)
    }

    @Test("refused everywhere is refused")
    func refused() throws {
        let origin = try Origin(on: scene.loop)
        let target = DialTarget.plain("no.test", origin.address)
        guard case .failure(let failure) = scene.dial(target, [.loopback(7), .loopback(8)]) else {
            Issue.record("connected")
            return
        }
        #expect([.refused(.loopback(7)), .refused(.loopback(8))].contains(failure.reason))
        #expect(failure.address == .loopback(8))
        #expect(failure.triedAddresses == 2)
    }

    @Test("no answer from anywhere is a time-out after the dial's limit")
    func timedOut() throws {
        let scene = try DialScene { $0.timeout = .milliseconds(400) }
        let origin = try Origin(on: scene.loop)
        let holes = try [UInt32(3), 4].map { try BlackHole(SocketAddress(address: .loopback($0), port: origin.address.port)) }
        let start = MonotonicTime.read()
        let failure = scene.failure(.plain("late.test", origin.address), [.loopback(3), .loopback(4)])
        guard case .timedOut = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(MonotonicTime.read() - start >= .milliseconds(380))
        #expect(MonotonicTime.read() - start < .seconds(5))
        withExtendedLifetime(holes) {}
    }

    @Test("a refusal says more than the silence of another address")
    func worstOfMany() throws {
        let scene = try DialScene { $0.timeout = .milliseconds(400) }
        let origin = try Origin(on: scene.loop)
        let hole = try BlackHole(SocketAddress(address: .loopback(5), port: origin.address.port))
        #expect(scene.failure(.plain("mixed.test", origin.address), [.loopback(5), .loopback(6)]) == .refused(.loopback(6)))
        withExtendedLifetime(hole) {}
    }

    @Test("a network without a route is told from a refusal")
    func unreachable() throws {
        let address = try #require(IPAddress("255.255.255.255"))
        let failure = scene.failure(.plain("far.test", try #require(SocketAddress("255.255.255.255:80"))), [address])
        guard case .unreachable(address, _) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    @Test("without an address nothing is dialled")
    func noAddress() throws {
        let origin = try Origin(on: scene.loop)
        #expect(scene.failure(.plain("none.test", origin.address), []) == .fault("no address to dial"))
        #expect(origin.connections.isEmpty)
    }

    @Test("a dial that nobody wants any more ends when the signal is raised, and its connections close")
    func cancelled() throws {
        let origin = try Origin(on: scene.loop)
        let hole = try BlackHole(SocketAddress(address: .loopback(13), port: origin.address.port))
        let outcome = scene.start(.plain("gone.test", origin.address), [.loopback(13), .loopback(14)])
        scene.loop.turn(for: .milliseconds(20))
        scene.signal.raise()
        scene.loop.turn(for: .milliseconds(5))
        #expect(outcome.content == nil)
        scene.isWanted = false
        scene.signal.raise()
        #expect(scene.loop.turn(within: .seconds(1)) { outcome.content != nil })
        guard case .failure(let failure) = outcome.content, failure.reason == .cancelled else {
            Issue.record("\(String(describing: outcome.content))")
            return
        }
        withExtendedLifetime(hole) {}
    }

    @Test("what a server says first is not lost, however early it says it", arguments: [true, false])
    func serverSpeaksFirst(beforeTheLoopWaits: Bool) throws {
        let greeting = "220 ready\r\n"
        if beforeTheLoopWaits {
            let listener = try Socket.listen(.init(address: .loopback(), port: 0))
            let address = try #require(Socket.localAddress(listener))
            var accepted: Int32 = -1
            // The connection is accepted and greeted between libcurl's connect and the loop's first look at it.
            scene.loop.beforeWaiting = {
                guard accepted < 0 else { return }
                accepted = accept(listener, nil, nil)
                if accepted >= 0 { _ = send(accepted, greeting, greeting.utf8.count, Int32(MSG_NOSIGNAL)) }
            }
            let dialled = try scene.connect(.plain("mail.test", address), [.loopback()])
            #expect(scene.read(greeting.utf8.count, from: dialled.stream) == Array(greeting.utf8))
            scene.loop.beforeWaiting = {}
            for socket in [listener, accepted] { close(socket) }
        } else {
            let origin = try Origin(on: scene.loop, accepted: { $0.send(greeting) })
            let dialled = try scene.connect(.plain("mail.test", origin.address), [.loopback()])
            #expect(scene.read(greeting.utf8.count, from: dialled.stream) == Array(greeting.utf8))
        }
    }

    @Test("the end of a server that greets and leaves is seen too")
    func serverLeavesAtOnce() throws {
        let origin = try Origin(
            on: scene.loop,
            accepted: {
                $0.send("bye")
                $0.close()
            })
        let dialled = try scene.connect(.plain("short.test", origin.address), [.loopback()])
        #expect(scene.read(3, from: dialled.stream) == Array("bye".utf8))
        #expect(scene.loop.turn { dialled.stream.read().result == .end })
    }

    @Test("many dials at the same time all arrive where they should")
    func manyAtOnce() throws {
        let origins = try (1...8).map { try Origin("127.0.0.\($0):0", on: scene.loop) }
        var outcomes: [(Int, Outcome<DialScene.Result>)] = []
        for round in 0..<80 {
            let index = round % origins.count
            let target = DialTarget.plain("host-\(index).test", origins[index].address)
            let signal = Signal(loop: scene.loop)
            let outcome = scene.loop.start(with: (scene.dialer, signal)) { dialer, signal -> DialScene.Result in
                do throws(FailedDial) {
                    return .success(try await dialer.dial(target, addresses: [.loopback(UInt32(index + 1))], signal: signal) { true })
                } catch { return .failure(error) }
            }
            outcomes.append((index, outcome))
        }
        #expect(scene.loop.turn { outcomes.allSatisfy { $0.1.content != nil } })
        for (index, outcome) in outcomes {
            let dialled = try #require(outcome.content).get()
            #expect(dialled.address == .loopback(UInt32(index + 1)))
            dialled.stream.close()
        }
        #expect(scene.loop.turn { origins.allSatisfy { $0.connections.count == 10 } })
        #expect(scene.loop.turn { origins.allSatisfy { $0.connections.allSatisfy(\.sawEnd) } })
    }
}
