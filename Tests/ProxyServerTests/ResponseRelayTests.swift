import EventLoop
import HTTP1
import Net
import Testing

@testable import ProxyServer

/// A client's side of a response.
private let get11 = "GET http://origin.test/ HTTP/1.1\r\nHost: origin.test\r\n\r\n"
private let get10 = "GET http://origin.test/ HTTP/1.0\r\nHost: origin.test\r\n\r\n"

@Suite("Relaying responses")
struct ResponseRelayTests {
    private let scene: RelayScene

    init() throws { scene = try RelayScene() }

    /// Lets the origin send `wire` and then end, and pumps until something other than waiting comes of it.
    private func respond(
        _ relay: ResponseRelay, _ wire: String, _ arrival: Arrival = .whole, _ end: (Peer) -> Void = { _ in }
    ) -> ResponseRelay.Stop {
        var rest = arrival.pieces(Array(wire.utf8))[...]
        var hasEnded = false
        var last = ResponseRelay.Stop.quiet
        _ = scene.loop.turn(within: .seconds(5)) {
            last = relay.pump()
            guard last == .quiet || last == .busy else { return true }
            scene.client.peer.receive()
            if let piece = rest.popFirst() {
                scene.origin.peer.send(piece)
            } else if !hasEnded {
                hasEnded = true
                end(scene.origin.peer)
            }
            return false
        }
        _ = scene.clientOutput.flush()
        _ = scene.loop.turn(within: .milliseconds(20)) {
            scene.client.peer.receive()
            return false
        }
        return last
    }

    private var received: [UInt8] { scene.client.peer.received }
    private var receivedBody: String { String(decoding: body(of: received), as: UTF8.self) }
    private var head: String { String(decoding: received.dropLast(body(of: received).count), as: UTF8.self) }

    @Test("a body of known length passes unchanged, bytes behind it stay unread", arguments: Arrival.allCases)
    func length(arrival: Arrival) throws {
        let relay = try scene.responseRelay(to: get11)
        #expect(respond(relay, "HTTP/1.1 200 Fine\r\nContent-Length: 5\r\nX-A: b\r\n\r\nhelloSTRAY", arrival) == .done)
        #expect(receivedBody == "hello")
        #expect(head.hasPrefix("HTTP/1.1 200 Fine\r\n"))
        #expect(head.contains("\r\nX-A: b\r\n"))
        #expect(head.contains("\r\nContent-Length: 5\r\n"))
        #expect(!relay.closesClient)
        if arrival == .whole { #expect(String(decoding: scene.originInput.bytes, as: UTF8.self) == "STRAY") }
    }

    @Test(
        "responses without a body end with their head",
        arguments: [
            ("HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"), ("HEAD", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
            ("GET", "HTTP/1.1 204 No Content\r\n\r\n"), ("GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n"),
            ("GET", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
        ])
    func noBody(method: String, wire: String) throws {
        let relay = try scene.responseRelay(to: "\(method) http://origin.test/ HTTP/1.1\r\nHost: origin.test\r\n\r\n")
        #expect(respond(relay, wire) == .done)
        #expect(receivedBody.isEmpty)
        #expect(head.hasSuffix("\r\n\r\n"))
        #expect(!relay.closesClient)
    }

    private static let chunks =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n00a\r\n0123456789\r\n0\r\nX-Sum: 1\r\n\r\n"

    @Test("chunks stay chunks for HTTP/1.1, trailers included", arguments: Arrival.allCases)
    func chunked(arrival: Arrival) throws {
        let relay = try scene.responseRelay(to: get11)
        #expect(respond(relay, ResponseRelayTests.chunks, arrival) == .done)
        let sent = try #require(dechunked(body(of: received)))
        #expect(sent.body == Array("abc0123456789".utf8))
        #expect(sent.trailers == "X-Sum: 1\r\n")
        #expect(!relay.closesClient && !relay.endsByClosing)
    }

    @Test("a client of HTTP/1.0 gets the content of chunks and an end of the connection", arguments: Arrival.allCases)
    func dechunkedForOldClients(arrival: Arrival) throws {
        let relay = try scene.responseRelay(to: get10)
        #expect(respond(relay, ResponseRelayTests.chunks, arrival) == .done)
        #expect(receivedBody == "abc0123456789")
        #expect(!head.lowercased().contains("transfer-encoding"))
        #expect(relay.closesClient && relay.endsByClosing)
    }

    @Test("a body that ends with the connection becomes chunks for HTTP/1.1", arguments: Arrival.allCases)
    func untilClose(arrival: Arrival) throws {
        let relay = try scene.responseRelay(to: get11)
        #expect(respond(relay, "HTTP/1.1 200 OK\r\n\r\nto the very end", arrival) { $0.leave() } == .done)
        #expect(try #require(dechunked(body(of: received))).body == Array("to the very end".utf8))
        #expect(!relay.closesClient)
    }

    @Test("and stays as it is for HTTP/1.0", arguments: Arrival.allCases)
    func untilCloseForOldClients(arrival: Arrival) throws {
        let relay = try scene.responseRelay(to: get10)
        #expect(respond(relay, "HTTP/1.0 200 OK\r\n\r\nto the very end", arrival) { $0.leave() } == .done)
        #expect(receivedBody == "to the very end")
        #expect(relay.closesClient)
    }

    @Test(
        "a response that ends too early is incomplete, never whole",
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n123",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: y\r\n",
            "HTTP/1.1 200 OK\r\nContent-", "HTTP/1.1 100 Continue\r\n\r\n",
        ], [get11, get10])
    func incomplete(wire: String, request: String) throws {
        let relay = try scene.responseRelay(to: request)
        #expect(respond(relay, wire) { $0.finishWriting() } == .incomplete)
        #expect(!relay.isRead)
        #expect(dechunked(body(of: received)) == nil)
    }

    @Test("a reset is no end of a body that ends with the connection", arguments: [get11, get10])
    func resetIsNoEnd(request: String) throws {
        let relay = try scene.responseRelay(to: request)
        #expect(respond(relay, "HTTP/1.1 200 OK\r\n\r\nhalf of it") { $0.reset() } == .incomplete)
        #expect(dechunked(body(of: received)) == nil)
    }

    @Test("an origin that closes before its first byte has not answered")
    func noAnswer() throws {
        let relay = try scene.responseRelay(to: get11)
        #expect(respond(relay, "") { $0.leave() } == .noAnswer)
        #expect(!relay.hasBegun)
        #expect(received.isEmpty)
    }

    @Test(
        "what is not HTTP is malformed, and nothing of it passes",
        arguments: ["SSH-2.0-x\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nBad Name: x\r\n\r\n"])
    func malformed(wire: String) throws {
        let relay = try scene.responseRelay(to: get11)
        guard case .malformed = respond(relay, wire) else {
            Issue.record("taken")
            return
        }
        #expect(received.isEmpty)
    }

    @Test("broken chunks are named, and the client never sees an end", arguments: ["zz\r\n", "3\r\nabcd\r\n0\r\n\r\n", "3 x\r\nabc\r\n"])
    func malformedChunks(chunks: String) throws {
        let relay = try scene.responseRelay(to: get11)
        guard case .bodyMalformed = respond(relay, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nok!\r\n\(chunks)") else {
            Issue.record("taken")
            return
        }
        #expect(dechunked(body(of: received)) == nil)
    }

    @Test("interim responses reach a client of HTTP/1.1 at once, and one of HTTP/1.0 never", arguments: Arrival.allCases, [get11, get10])
    func interim(arrival: Arrival, request: String) throws {
        let relay = try scene.responseRelay(to: request)
        let early = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
        scene.origin.peer.send(early)
        let wants = request == get11
        _ = scene.loop.turn(within: wants ? .seconds(5) : .milliseconds(50)) {
            #expect(relay.pump() == .quiet)
            scene.client.peer.receive()
            return !received.isEmpty
        }
        #expect(scene.client.peer.text == (wants ? early : ""))
        #expect(respond(relay, "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", arrival) == .done)
        #expect(scene.client.peer.text.contains("102 Processing") == wants)
        #expect(scene.client.peer.text.hasSuffix("\r\n\r\nhi"))
        #expect(relay.head?.status == 200)
    }

    @Test("an upgrade that was asked for hands the connection over, with what comes behind the head")
    func upgraded() throws {
        let relay = try scene.responseRelay(
            to: "GET http://origin.test/ HTTP/1.1\r\nHost: origin.test\r\nConnection: upgrade\r\nUpgrade: chat\r\n\r\n")
        #expect(respond(relay, "HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: chat\r\n\r\nfirst words") == .upgraded)
        #expect(head.contains("\r\nUpgrade: chat\r\n"))
        #expect(String(decoding: scene.originInput.bytes, as: UTF8.self) == "first words")
    }

    @Test("an upgrade that nobody asked for is refused")
    func notUpgraded() throws {
        let relay = try scene.responseRelay(to: get11)
        #expect(respond(relay, "HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: chat\r\n\r\n") == .notUpgraded)
        #expect(received.isEmpty)
    }

    @Test("a client that wants no further response is told that the connection ends")
    func mustClose() throws {
        let relay = try scene.responseRelay(to: "GET http://origin.test/ HTTP/1.1\r\nHost: origin.test\r\nConnection: close\r\n\r\n")
        #expect(respond(relay, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi") == .done)
        #expect(relay.closesClient)
        #expect(head.contains("\r\nConnection: close\r\n"))
    }

    @Test("a client that goes away is noticed")
    func clientGone() throws {
        let relay = try scene.responseRelay(to: get11)
        scene.client.peer.reset()
        #expect(
            respond(relay, "HTTP/1.1 200 OK\r\nContent-Length: 500000\r\n\r\n\(String(repeating: "x", count: 100_000))") == .clientFailed)
    }
}

@Suite("Relaying responses to slow clients")
struct SlowClientTests {
    /// The ways a long body may come and go.
    enum Form: CaseIterable, Sendable {
        case length, chunks, tinyChunks, dechunked, untilClose, untilCloseForOldClients

        var request: String { self == .dechunked || self == .untilCloseForOldClients ? get10 : get11 }
        var isChunkedOnTheWire: Bool { self == .chunks || self == .tinyChunks || self == .dechunked }
        var isChunkedForTheClient: Bool { self == .chunks || self == .tinyChunks || self == .untilClose }
        var chunk: Int { self == .tinyChunks ? 1 : 30_000 }
        var size: Int { self == .tinyChunks ? 1 << 20 : 16 << 20 }

        func wire(_ body: [UInt8]) -> [UInt8] {
            switch self {
            case .length: return Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
            case .untilClose, .untilCloseForOldClients: return Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + body
            case .chunks, .tinyChunks, .dechunked:
                var wire = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
                wire.reserveCapacity(body.count * 7)
                for start in stride(from: 0, to: body.count, by: chunk) {
                    let part = body[start..<min(body.count, start + chunk)]
                    wire += Array(String(part.count, radix: 16).utf8)
                    wire += [13, 10]
                    wire += part
                    wire += [13, 10]
                }
                return wire + Array("0\r\n\r\n".utf8)
            }
        }
    }

    @Test("everything arrives in order, and what waits in between stays small", arguments: Form.allCases)
    func bounded(form: Form) throws {
        let scene = try RelayScene()
        let relay = try scene.responseRelay(to: form.request)
        let content = pattern(form.size)
        let wire = form.wire(content)
        var sent = 0
        var largest = 0
        var pauses = 0
        var stop = ResponseRelay.Stop.quiet
        let ended = scene.loop.turn(within: .seconds(60)) {
            if sent < wire.count {
                sent += scene.origin.peer.send(wire[sent..<min(wire.count, sent + 400_000)])
                if sent == wire.count { scene.origin.peer.finishWriting() }
            }
            stop = relay.pump()
            largest = max(largest, scene.originInput.count + (scene.clientOutput.isEmpty ? 0 : scene.clientOutput.open().count))
            if stop == .quiet { pauses += 1 }
            // The client reads nothing until the proxy has long been held up.
            if pauses > 50 { scene.client.peer.receive(200_000) }
            return stop != .quiet && stop != .busy
        }
        #expect(ended)
        #expect(stop == .done)
        #expect(largest <= 256 * 1024)
        _ = scene.loop.turn(within: .milliseconds(300)) {
            scene.client.peer.receive()
            return false
        }
        let received = body(of: scene.client.peer.received)
        #expect(firstDifference(form.isChunkedForTheClient ? dechunked(received)?.body ?? [] : received, content) == nil)
    }
}
