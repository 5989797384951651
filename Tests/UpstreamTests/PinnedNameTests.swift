import EventLoop
import Glibc
import Net
import Testing

@testable import Upstream

@Suite("Names are never resolved by libcurl")
struct PinnedNameTests {
    private let scene: DialScene

    init() throws { scene = try DialScene() }

    @Test("a handle without a vetted address fails at once instead of asking", arguments: ["nowhere.invalid", "localhost", "127.0.0.1"])
    func noAddress(name: String) throws {
        let origin = try Origin(on: scene.loop)
        let multi = try CurlMulti(loop: scene.loop, watching: .edge)
        let handles = HandleStock(certificateBundle: nil, timeout: .seconds(5), parent: nil)
        let start = MonotonicTime.read()
        var finished = false
        let attempt = try DialAttempt(.plain(name, origin.address), address: nil, multi: multi, handles: handles) { finished = true }
        #expect(scene.loop.turn(within: .seconds(2)) { finished })
        guard case .failure = attempt.result else {
            Issue.record("\(String(describing: attempt.result))")
            return
        }
        #expect(MonotonicTime.read() - start < .seconds(1))
        scene.loop.turn(for: .milliseconds(10))
        #expect(origin.connections.isEmpty)
    }

    @Test("a handle that was used for a target serves it again, and another target as if it were new")
    func recycled() throws {
        let multi = try CurlMulti(loop: scene.loop, watching: .edge)
        let handles = HandleStock(certificateBundle: nil, timeout: .seconds(5), parent: nil)
        let origin = try Origin(on: scene.loop)
        let elsewhere = try Origin("127.0.0.2:0", on: scene.loop)
        // More targets than handles are kept, each dialled twice.
        for round in 0..<160 {
            let target = DialTarget.plain("name-\(round % 80).test", round.isMultiple(of: 2) ? origin.address : elsewhere.address)
            let address = IPAddress.loopback(round.isMultiple(of: 2) ? 1 : 2)
            var finished = false
            let attempt = try DialAttempt(target, address: address, multi: multi, handles: handles) { finished = true }
            #expect(scene.loop.turn { finished })
            let stream = try #require(attempt.takeStream())
            stream.close()
        }
        #expect(scene.loop.turn { origin.connections.count == 80 && elsewhere.connections.count == 80 })
        #expect(multi.handleCount == 0)
    }

    @Test("a name whose address has changed is dialled at the new one, at once and back again")
    func changedAddress() throws {
        let first = try Origin("127.0.0.1:0", on: scene.loop)
        let second = try Origin("127.0.0.2:\(first.address.port)", on: scene.loop)
        let target = DialTarget.plain("moved.test", first.address)
        for (round, last) in [UInt32(1), 2, 2, 1, 2, 1].enumerated() {
            let dialled = try scene.connect(target, [.loopback(last)])
            #expect(dialled.address == .loopback(last))
            #expect(scene.loop.turn { first.connections.count + second.connections.count == round + 1 })
            dialled.stream.close()
        }
        #expect(first.connections.count == 3)
        #expect(second.connections.count == 3)
    }

    @Test("the addresses of one name that race do not mix")
    func racingAddresses() throws {
        let first = try Origin("127.0.0.1:0", on: scene.loop)
        let target = DialTarget.plain("race.test", first.address)
        let hole = try BlackHole(SocketAddress(address: .loopback(20), port: first.address.port))
        for _ in 0..<2 {
            #expect(try scene.connect(target, [.loopback(20), .loopback(21), .loopback(1)]).address == .loopback(1))
            #expect(try scene.connect(target, [.loopback(1), .loopback(20)]).address == .loopback(1))
            #expect(scene.failure(target, [.loopback(21)]) == .refused(.loopback(21)))
        }
        withExtendedLifetime(hole) {}
    }

    @Test("an IPv6 literal and a name on the same port keep to their own addresses")
    func literalBesideName() throws {
        let v6 = try Origin("[::1]:0", on: scene.loop)
        let v4 = try Origin("127.0.0.1:\(v6.address.port)", on: scene.loop)
        for round in 1...3 {
            _ = try scene.connect(.plain("::1", v6.address), [v6.address.address])
            _ = try scene.connect(.plain("named.test", v4.address), [v4.address.address])
            _ = try scene.connect(.plain("127.0.0.1", v4.address), [v4.address.address])
            #expect(scene.loop.turn { v6.connections.count == round && v4.connections.count == 2 * round })
        }
    }

    @Test("the environment's proxy settings change nothing")
    func environment() async {
        await #expect(processExitsWith: .success) {
            for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] { setenv(name, "http://127.0.0.1:1", 1) }
            let scene = try DialScene()
            let origin = try Origin(on: scene.loop)
            #expect(try scene.connect(.plain("direct.test", origin.address), [.loopback()]).address == .loopback())
        }
    }
}
