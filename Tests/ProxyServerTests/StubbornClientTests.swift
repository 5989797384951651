import EventLoop
import HTTP1
import Net
import Testing

@testable import ProxyServer

@Suite("Responses for a client that reads nothing at all")
struct StubbornClientTests {
    private let scene: RelayScene

    init() throws {
        scene = try RelayScene()
        // The kernel takes megabytes on its own: what waits in the proxy shows only once both socket buffers are full.
        let filler = pattern(BufferStock.size)
        var blocked = 0
        _ = scene.loop.turn(within: .seconds(10)) {
            if scene.clientOutput.isEmpty { filler.withUnsafeBytes { scene.clientOutput.open().append($0) } }
            blocked = scene.clientOutput.flush() == .blocked ? blocked + 1 : 0
            return blocked > 20
        }
        try #require(!scene.clientOutput.isEmpty)
    }

    private var held: Int { scene.originInput.count + (scene.clientOutput.isEmpty ? 0 : scene.clientOutput.open().count) }

    /// What became of a flood.
    private struct Flood {
        var largest = 0
        var isHeldUp = false
        var stop = ResponseRelay.Stop.quiet
    }

    /// Lets the origin send `first` and then `piece` over and over. It sends the next one when the last has been read, which decides where
    /// a read ends.
    private func flood(_ relay: ResponseRelay, _ first: String, _ piece: String) -> Flood {
        scene.origin.peer.send(first)
        let piece = Array(piece.utf8)
        var unsent = piece[...]
        var flood = Flood()
        var refused = 0
        var passed = 0
        _ = scene.loop.turn(within: .seconds(10)) {
            flood.stop = relay.pump()
            flood.largest = max(flood.largest, held)
            guard flood.stop == .quiet || flood.stop == .busy else { return true }
            let count = scene.origin.stream.isReadable ? 0 : scene.origin.peer.send(unsent)
            passed += count
            unsent = unsent.dropFirst(count)
            if unsent.isEmpty { unsent = piece[...] }
            refused = count == 0 ? refused + 1 : 0
            flood.isHeldUp = refused > 50
            return flood.isHeldUp || passed > 4 << 20
        }
        return flood
    }

    @Test(
        "what waits stays small wherever the pieces of a chunked body are cut",
        // Within the digits of a size line, within its line end, in the middle of a chunk, within the line end behind it.
        arguments: [1, 5, 2_000, 0x1000 + 7], ["1.1", "1.0"])
    func chunks(cut: Int, version: String) throws {
        let relay = try scene.responseRelay(to: "GET http://origin.test/ HTTP/\(version)\r\nHost: origin.test\r\n\r\n")
        let bytes = Array("1000\r\n\(String(repeating: "x", count: 0x1000))\r\n".utf8)
        let start = String(decoding: bytes[..<cut], as: UTF8.self)
        let rest = String(decoding: bytes[cut...], as: UTF8.self)
        let flood = flood(relay, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + start, rest + start)
        #expect(flood.stop == .quiet)
        #expect(flood.isHeldUp)
        #expect(flood.largest <= 256 * 1024)
    }

    @Test("interim responses wait at the origin, not here")
    func interim() throws {
        let relay = try scene.responseRelay(to: "GET http://origin.test/ HTTP/1.1\r\nHost: origin.test\r\n\r\n")
        let hint = "HTTP/1.1 103 Early Hints\r\nLink: </\(String(repeating: "a", count: 4_000))>\r\n\r\n"
        let flood = flood(relay, "", hint)
        #expect(flood.stop == .quiet)
        #expect(flood.isHeldUp)
        #expect(flood.largest <= 256 * 1024)
    }
}
