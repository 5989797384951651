import EventLoop
import Glibc
import Net
import Testing
import Upstream

@Suite("Dials leave no descriptor behind")
struct DescriptorTests {
    @Test("however they end: connected, refused, raced, timed out, given up, in TLS or not")
    func dials() async {
        await #expect(processExitsWith: .success) {
            let scene = try DialScene { $0.timeout = .milliseconds(60) }
            let origin = try Origin(on: scene.loop)
            let mute = try Origin("127.0.0.2:0", on: scene.loop)
            let rude = try Origin(
                "127.0.0.3:0", on: scene.loop,
                received: {
                    $0.send("what?\r\n\r\n")
                    $0.close()
                })
            let hole = try BlackHole(SocketAddress(address: .loopback(4), port: origin.address.port))
            func round() throws {
                for _ in 0..<5 {
                    try scene.connect(.plain("a.test", origin.address), [.loopback()]).stream.close()
                    try scene.connect(.plain("b.test", origin.address), [.loopback(40), .loopback()]).stream.close()
                    #expect(scene.failure(.plain("c.test", origin.address), [.loopback(41), .loopback(42)]) != nil)
                    #expect(scene.failure(.tls("d.test", origin.address.port), [.loopback(43)]) != nil)
                    #expect(scene.failure(.tls("e.test", rude.address.port), [.loopback(3)]) != nil)
                }
                #expect(scene.failure(.plain("f.test", origin.address), [.loopback(4)]) != nil)
                #expect(scene.failure(.tls("g.test", mute.address.port), [.loopback(2)]) != nil)
                for (target, address) in [
                    (DialTarget.plain("h.test", origin.address), IPAddress.loopback(4)), (.tls("i.test", mute.address.port), .loopback(2)),
                ] {
                    scene.isWanted = true
                    let outcome = scene.start(target, [address])
                    scene.loop.turn(for: .milliseconds(5))
                    scene.isWanted = false
                    scene.signal.raise()
                    #expect(scene.loop.turn { outcome.content != nil })
                    scene.isWanted = true
                }
                #expect(
                    scene.loop.turn {
                        for server in [origin, mute, rude] {
                            for connection in server.connections where connection.sawEnd { connection.close() }
                        }
                        return [origin, mute, rude].allSatisfy { $0.connections.allSatisfy(\.isOver) }
                    })
            }
            // The first round makes what is kept for good.
            try round()
            let before = descriptorCount()
            for _ in 0..<8 { try round() }
            #expect(descriptorCount() <= before)
            withExtendedLifetime(hole) {}
        }
    }

    @Test("nor do TLS connections, refused certificates or an end by the server")
    func encrypted() async {
        await #expect(processExitsWith: .success) {
            let server = try TLSServer()
            let trusting = try DialScene { $0.certificateBundle = server.trusted }
            let distrusting = try DialScene { $0.certificateBundle = server.foreign }
            func round() throws {
                for _ in 0..<4 {
                    let stream = try trusting.connect(.tls("origin.test", server.port), [.loopback()]).stream
                    #expect(stream.write([0x78]) == .bytes(1))
                    stream.close()
                    #expect(distrusting.failure(.tls("origin.test", server.port), [.loopback()]) != nil)
                    try trusting.connect(.tls("origin.test", server.port), [.loopback()]).stream.abort()
                }
            }
            try round()
            let before = descriptorCount()
            for _ in 0..<5 { try round() }
            #expect(descriptorCount() <= before)
        }
    }

    @Test("without descriptors a dial says so, and works again when there are some")
    func exhausted() async {
        await #expect(processExitsWith: .success) {
            let scene = try DialScene()
            let origin = try Origin(on: scene.loop)
            try scene.connect(.plain("a.test", origin.address), [.loopback()]).stream.close()
            scene.loop.turn(for: .milliseconds(5))
            for connection in origin.connections { connection.close() }
            var limit = rlimit()
            try #require(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            let probe = dup(0)
            close(probe)
            var lowered = limit
            lowered.rlim_cur = rlim_t(probe)
            try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &lowered) == 0)
            let failure = scene.failure(.plain("b.test", origin.address), [.loopback()])
            #expect(failure == .exhausted(SystemError(call: "socket", number: EMFILE)))
            try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            #expect(try scene.connect(.plain("b.test", origin.address), [.loopback()]).address == .loopback())
        }
    }
}
