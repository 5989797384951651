import EventLoop
import HTTP1
import Net
import Testing

@testable import ProxyServer

/// How the bytes of a body arrive.
enum Arrival: CaseIterable, Sendable {
    case whole
    case byteByByte

    func pieces(_ bytes: [UInt8]) -> [[UInt8]] { self == .whole ? [bytes] : bytes.map { [$0] } }
}

@Suite("Relaying requests")
struct RequestRelayTests {
    private let scene: RelayScene

    init() throws { scene = try RelayScene() }

    /// Lets the client send `pieces` one after the other and pumps; gives the stop that ended it, `.quiet` when everything was relayed.
    private func relay(_ relay: RequestRelay, _ pieces: [[UInt8]], _ end: (Peer) -> Void = { _ in }) -> RequestRelay.Stop {
        var rest = pieces[...]
        var hasEnded = false
        var last = RequestRelay.Stop.quiet
        _ = scene.loop.turn(within: .seconds(10)) {
            last = relay.pump()
            scene.origin.peer.receive()
            if last == .busy { return false }
            if last != .quiet || relay.isDone { return true }
            if let piece = rest.popFirst() {
                scene.client.peer.send(piece)
            } else if !hasEnded {
                hasEnded = true
                end(scene.client.peer)
            }
            return false
        }
        _ = scene.loop.turn(within: .milliseconds(20)) {
            scene.origin.peer.receive()
            return false
        }
        return last
    }

    @Test("a head without body is all there is")
    func noBody() throws {
        let request = scene.requestRelay(.none, head: "GET / HTTP/1.1\r\n\r\n")
        #expect(!request.isDone)
        #expect(relay(request, []) == .quiet)
        #expect(request.isDone && request.isRead && !request.hasTakenBody)
        #expect(scene.origin.peer.text == "GET / HTTP/1.1\r\n\r\n")
    }

    @Test("a body of known length passes unchanged; what follows it stays with the client", arguments: Arrival.allCases)
    func length(arrival: Arrival) throws {
        let request = scene.requestRelay(.length(11), head: "HEAD\r\n")
        #expect(relay(request, arrival.pieces(Array("hello worldGET /next".utf8))) == .quiet)
        #expect(request.isDone && request.hasTakenBody)
        #expect(scene.origin.peer.text == "HEAD\r\nhello world")
        _ = scene.loop.turn(within: .milliseconds(20)) {
            if arrival == .byteByByte { _ = scene.clientInput.fill() }
            return false
        }
        let left = String(decoding: scene.clientInput.bytes, as: UTF8.self)
        #expect(arrival == .whole ? left == "GET /next" : "GET /next".hasPrefix(left))
    }

    @Test("a chunked body passes with its content and its harmless trailers, however it arrives", arguments: Arrival.allCases)
    func chunked(arrival: Arrival) throws {
        let wire = "4\r\nWiki\r\n5;note=\"a b\"\r\npedia\r\n000E\r\n in\r\n\r\nchunks.\r\n0\r\nX-Sum: 7\r\nContent-Length: 3\r\n\r\nGET"
        let request = scene.requestRelay(.chunked, head: "")
        #expect(relay(request, arrival.pieces(Array(wire.utf8))) == .quiet)
        #expect(request.isDone)
        let sent = try #require(dechunked(scene.origin.peer.received))
        #expect(String(decoding: sent.body, as: UTF8.self) == "Wikipedia in\r\n\r\nchunks.")
        #expect(sent.trailers == "X-Sum: 7\r\n")
        #expect(!scene.origin.peer.text.contains("note"))
    }

    @Test("an empty chunked body ends at once", arguments: Arrival.allCases)
    func emptyChunked(arrival: Arrival) throws {
        let request = scene.requestRelay(.chunked, head: "")
        #expect(relay(request, arrival.pieces(Array("0\r\n\r\n".utf8))) == .quiet)
        #expect(scene.origin.peer.text == "0\r\n\r\n")
    }

    @Test(
        "a client that ends within the body has not sent it",
        arguments: [
            (BodyFraming.length(10), "12345"), (.chunked, "5\r\n123"), (.chunked, "5\r\n12345\r\n"), (.chunked, "0\r\n"), (.chunked, ""),
        ])
    func ended(framing: BodyFraming, wire: String) throws {
        let request = scene.requestRelay(framing)
        #expect(relay(request, [Array(wire.utf8)]) { $0.finishWriting() } == .clientEnded)
        #expect(!request.isDone)
    }

    @Test("a client that resets has failed", arguments: [BodyFraming.length(10), .chunked])
    func reset(framing: BodyFraming) throws {
        #expect(relay(scene.requestRelay(framing), []) { $0.reset() } == .clientFailed)
    }

    @Test("broken chunks are named", arguments: ["x\r\n", "5\r\n12345678", "5 \r\n12345\r\n0\r\n\r\n", "-1\r\n\r\n", "5\n12345\n0\n\n"])
    func malformed(wire: String) throws {
        let request = scene.requestRelay(.chunked)
        guard case .malformed(let sentence) = relay(request, [Array(wire.utf8)]) else {
            Issue.record("taken")
            return
        }
        #expect(!sentence.isEmpty)
    }

    @Test("an origin that takes no more leaves the client's body where it is")
    func originFailed() throws {
        scene.origin.peer.reset()
        let request = scene.requestRelay(.length(1_000_000))
        #expect(relay(request, [pattern(100_000), pattern(100_000)]) == .originFailed)
        #expect(request.hasOriginFailed)
        #expect(!request.isDone)
    }

    @Test("a long body passes a slow origin whole, and little of it waits in between", arguments: [BodyFraming.length(16 << 20), .chunked])
    func slowOrigin(framing: BodyFraming) throws {
        let body = pattern(16 << 20)
        let relayed = scene.requestRelay(framing, head: "")
        let chunk = 50_000
        var wire = body
        if framing == .chunked {
            wire = []
            for start in stride(from: 0, to: body.count, by: chunk) {
                let part = body[start..<min(body.count, start + chunk)]
                wire += Array("\(String(part.count, radix: 16))\r\n".utf8) + part + [13, 10]
            }
            wire += Array("0\r\n\r\n".utf8)
        }
        var sent = 0
        var largest = 0
        var wasBlocked = false
        let isWhole = scene.loop.turn {
            if sent < wire.count { sent += scene.client.peer.send(wire[sent..<min(wire.count, sent + 500_000)]) }
            let stop = relayed.pump()
            guard stop == .quiet || stop == .busy else { return true }
            largest = max(largest, scene.clientInput.count)
            if relayed.isBlockedByOrigin { wasBlocked = true }
            // The origin begins to read when the proxy is held up.
            if wasBlocked || sent == wire.count { scene.origin.peer.receive(300_000) }
            return relayed.isDone
        }
        #expect(isWhole)
        #expect(wasBlocked)
        #expect(largest <= 128 * 1024)
        let expected = framing == .chunked ? 0 : body.count
        _ = scene.loop.turn(within: .seconds(5)) {
            scene.origin.peer.receive()
            return expected > 0
                ? scene.origin.peer.received.count >= expected : scene.origin.peer.received.suffix(5) == Array("0\r\n\r\n".utf8)[...]
        }
        let received = framing == .chunked ? dechunked(scene.origin.peer.received)?.body ?? [] : scene.origin.peer.received
        #expect(firstDifference(received, body) == nil)
    }

    @Test("others have their turn between the pumps of a busy relay")
    func busy() throws {
        let request = scene.requestRelay(.length(64 << 20))
        let part = pattern(1 << 20)
        var stops: [RequestRelay.Stop] = []
        _ = scene.loop.turn(within: .milliseconds(500)) {
            while scene.client.peer.send(part) > 0 {}
            scene.origin.peer.receive(4 << 20)
            stops.append(request.pump())
            return stops.contains(.busy)
        }
        #expect(stops.allSatisfy { $0 == .busy || $0 == .quiet })
    }
}
