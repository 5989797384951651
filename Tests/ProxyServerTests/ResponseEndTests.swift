import EventLoop
import HTTP1
import Net
import Testing

@testable import ProxyServer

@Suite("What a response's end means for the connections")
struct ResponseEndTests {
    private let scene: RelayScene

    init() throws { scene = try RelayScene() }

    private func get(_ version: String = "1.1", _ lines: String = "") -> String {
        "GET http://origin.test/ HTTP/\(version)\r\nHost: origin.test\r\n\(lines)\r\n"
    }

    /// Lets the origin send `wire`, then `end`, and pumps to the relay's last word; waits for all that was written.
    private func respond(_ relay: ResponseRelay, _ wire: [UInt8], _ end: @escaping (Peer) -> Void = { _ in }) -> ResponseRelay.Stop {
        var rest = wire[...]
        var hasEnded = false
        var last = ResponseRelay.Stop.quiet
        _ = scene.loop.turn(within: .seconds(5)) {
            rest = rest.dropFirst(scene.origin.peer.send(rest))
            if rest.isEmpty, !hasEnded {
                hasEnded = true
                end(scene.origin.peer)
            }
            last = relay.pump()
            scene.client.peer.receive()
            return last != .quiet && last != .busy
        }
        _ = scene.loop.turn(within: .seconds(5)) {
            scene.client.peer.receive()
            return UInt64(scene.client.peer.received.count) >= scene.clientOutput.total
        }
        return last
    }

    private func respond(_ relay: ResponseRelay, _ wire: String, _ end: @escaping (Peer) -> Void = { _ in }) -> ResponseRelay.Stop {
        respond(relay, Array(wire.utf8), end)
    }

    private var text: String { scene.client.peer.text }

    @Test("an answer to half a request closes the client's connection, because the rest may still come")
    func early() throws {
        let request = try RelayScene.request("POST http://origin.test/ HTTP/1.1\r\nHost: origin.test\r\nContent-Length: 10\r\n\r\n")
        let requestRelay = scene.requestRelay(.length(10))
        let relay = ResponseRelay(
            request, requestRelay, scene.worker, input: scene.originInput, output: scene.clientOutput,
            parser: scene.worker.parsers.takeResponseParser())
        #expect(requestRelay.pump() == .quiet)
        #expect(respond(relay, "HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno") == .done)
        #expect(relay.closesClient)
        #expect(text.contains("\r\nConnection: close\r\n"))
        #expect(text.hasSuffix("\r\n\r\nno"))
    }

    @Test("a client of HTTP/1.0 keeps the length and loses the connection")
    func oldClient() throws {
        let relay = try scene.responseRelay(to: get("1.0"))
        #expect(respond(relay, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi") == .done)
        #expect(text.contains("\r\nContent-Length: 2\r\n"))
        #expect(relay.closesClient && !relay.endsByClosing)
    }

    @Test("a body that ends with the connection does not end the client's", arguments: ["HTTP/1.0", "HTTP/1.1"])
    func untilClose(version: String) throws {
        let relay = try scene.responseRelay(to: get())
        #expect(respond(relay, "\(version) 200 OK\r\n\r\n") { $0.finishWriting() } == .done)
        #expect(!relay.closesClient && !relay.endsByClosing)
        #expect(relay.head?.persistent == false)
        #expect(text.hasSuffix("\r\n\r\n0\r\n\r\n"))
    }

    @Test("trailers that could be taken for head fields do not pass")
    func trailers() throws {
        let relay = try scene.responseRelay(to: get())
        let trailers = "Content-Length: 9\r\nX-Sum: 1\r\nTransfer-Encoding: chunked\r\nHost: b.test\r\n"
        #expect(respond(relay, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\(trailers)\r\n") == .done)
        #expect(text.hasSuffix("1\r\na\r\n0\r\nX-Sum: 1\r\n\r\n"))
    }

    @Test("a long body that breaks off inside the kernel's pipe is incomplete", arguments: [true, false])
    func longTruncated(byReset: Bool) throws {
        let relay = try scene.responseRelay(to: get())
        let part = pattern(400_000)
        let wire = Array("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n".utf8) + part
        var rest = wire[...]
        let hasPassed = scene.loop.turn(within: .seconds(5)) {
            rest = rest.dropFirst(scene.origin.peer.send(rest))
            guard relay.pump() == .quiet || !rest.isEmpty else { return false }
            scene.client.peer.receive()
            return body(of: scene.client.peer.received).count == part.count
        }
        #expect(hasPassed)
        #expect(body(of: scene.client.peer.received).elementsEqual(part) == true)
        if byReset { scene.origin.peer.reset() } else { scene.origin.peer.finishWriting() }
        var last = ResponseRelay.Stop.quiet
        _ = scene.loop.turn(within: .seconds(5)) {
            last = relay.pump()
            return last != .quiet && last != .busy
        }
        #expect(last == .incomplete)
    }

    @Test(
        "a switch that names no protocol, or that HTTP/1.0 or a body rules out, is none",
        arguments: [
            ("1.1", "Connection: upgrade\r\nUpgrade: chat\r\n", "HTTP/1.1 101 Go\r\n\r\n"),
            ("1.1", "Connection: upgrade\r\nUpgrade: chat\r\n", "HTTP/1.1 101 Go\r\nUpgrade: chat\r\n\r\n"),
            ("1.0", "Connection: upgrade\r\nUpgrade: chat\r\n", "HTTP/1.1 101 Go\r\nConnection: upgrade\r\nUpgrade: chat\r\n\r\n"),
            ("1.1", "Upgrade: chat\r\n", "HTTP/1.1 101 Go\r\nConnection: upgrade\r\nUpgrade: chat\r\n\r\n"),
            ("1.1", "Connection: upgrade\r\nUpgrade: h2c\r\n", "HTTP/1.1 101 Go\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n"),
        ])
    func noSwitch(version: String, lines: String, wire: String) throws {
        let relay = try scene.responseRelay(to: get(version, lines))
        #expect(respond(relay, wire) == .notUpgraded)
        #expect(text.isEmpty)
    }

    @Test("a switch to a protocol that was not offered is none (RFC 9110 section 7.8)")
    func otherProtocol() throws {
        let relay = try scene.responseRelay(to: get("1.1", "Connection: upgrade\r\nUpgrade: websocket\r\n"))
        let stop = respond(relay, "HTTP/1.1 101 Go\r\nConnection: upgrade\r\nUpgrade: smtp\r\n\r\n")
        #expect(stop == .notUpgraded)
    }
}
