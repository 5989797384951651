import EventLoop
import HTTP1
import Net
import Testing

@testable import ProxyServer

/// A chunked message with everything that may stand in one.
private let chunks = "4;a=\"b;c\"\r\nWiki\r\n05\r\npedia\r\nE\r\n in\r\n\r\nchunks.\r\n00\r\nX-Sum: 7\r\nX-End: 8\r\n\r\n"
private let content = "Wikipedia in\r\n\r\nchunks."

@Suite("Chunked bodies that arrive in two pieces, cut at every byte")
struct SplitBodyTests {
    private let scene: RelayScene

    init() throws { scene = try RelayScene() }

    /// Sends `bytes` in two pieces from `peer`; the second leaves when the relay has taken all of the first.
    private func send(
        _ bytes: [UInt8], cutAt cut: Int, from peer: Peer, into input: BufferedInput, pump: () -> Void, until isOver: () -> Bool
    ) -> Bool {
        let start = input.total
        peer.send(bytes[..<cut])
        let hasBegun = scene.loop.turn(within: .seconds(5)) {
            pump()
            return input.total - start == UInt64(cut)
        }
        peer.send(bytes[cut...])
        return hasBegun
            && scene.loop.turn(within: .seconds(5)) {
                pump()
                return isOver()
            }
    }

    @Test("requests")
    func requests() throws {
        let bytes = Array(chunks.utf8)
        for cut in 0..<bytes.count {
            let start = scene.origin.peer.received.count
            let relay = scene.requestRelay(.chunked, head: "")
            let isDone = send(
                bytes, cutAt: cut, from: scene.client.peer, into: scene.clientInput,
                pump: {
                    let stop = relay.pump()
                    #expect(stop == .quiet || stop == .busy, "cut at \(cut)")
                }, until: { relay.isDone })
            try #require(isDone, "cut at \(cut)")
            #expect(scene.clientInput.isEmpty)
            let received = scene.origin.peer
            _ = scene.loop.turn(within: .seconds(5)) {
                received.receive()
                return dechunked(received.received[start...]) != nil
            }
            let sent = try #require(dechunked(received.received[start...]), "cut at \(cut)")
            #expect(String(decoding: sent.body, as: UTF8.self) == content, "cut at \(cut)")
            #expect(sent.trailers == "X-Sum: 7\r\nX-End: 8\r\n", "cut at \(cut)")
        }
    }

    @Test("responses, for both versions of a client", arguments: ["1.1", "1.0"])
    func responses(version: String) throws {
        let bytes = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)".utf8)
        for cut in 0..<bytes.count {
            let start = scene.client.peer.received.count
            let sentBefore = scene.clientOutput.total
            let relay = try scene.responseRelay(to: "GET http://origin.test/ HTTP/\(version)\r\nHost: origin.test\r\n\r\n")
            var last = ResponseRelay.Stop.quiet
            let isDone = send(
                bytes, cutAt: cut, from: scene.origin.peer, into: scene.originInput, pump: { if last != .done { last = relay.pump() } },
                until: { last != .quiet && last != .busy })
            #expect(last == .done, "cut at \(cut)")
            try #require(isDone, "cut at \(cut)")
            #expect(scene.originInput.isEmpty)
            _ = scene.loop.turn(within: .seconds(5)) {
                scene.client.peer.receive()
                return UInt64(scene.client.peer.received.count) == scene.clientOutput.total
            }
            let received = Array(scene.client.peer.received[start...])
            #expect(UInt64(received.count) == scene.clientOutput.total - sentBefore)
            if version == "1.1" {
                let sent = try #require(dechunked(body(of: received)), "cut at \(cut)")
                #expect(String(decoding: sent.body, as: UTF8.self) == content, "cut at \(cut)")
                #expect(sent.trailers == "X-Sum: 7\r\nX-End: 8\r\n", "cut at \(cut)")
            } else {
                #expect(String(decoding: body(of: received), as: UTF8.self) == content, "cut at \(cut)")
            }
        }
    }
}
