import EventLoop
import Glibc
import Net
import Testing

@testable import ProxyServer

/// A stream under test and the bare descriptor at its other end.
final class Wire {
    let stream: ByteStream
    private let end: Int32
    // The loop must outlive the stream that is closed with this object.
    private let loop: EventLoop

    init(_ loop: EventLoop) throws {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
        self.loop = loop
        stream = ByteStream(ends[0], loop: loop)
        end = ends[1]
        try stream.register()
    }

    deinit {
        stream.close()
        close(end)
    }

    func send(_ text: String) { _ = text.withCString { Glibc.send(end, $0, strlen($0), 0) } }

    func finish() { shutdown(end, Int32(SHUT_WR)) }

    /// Everything that has arrived at the other end.
    func received() -> String {
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        var text: [UInt8] = []
        while case let count = recv(end, &bytes, bytes.count, Int32(MSG_DONTWAIT)), count > 0 { text += bytes[..<count] }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether the other end was told that nothing more comes.
    var hasEnded: Bool {
        var byte: UInt8 = 0
        return recv(end, &byte, 1, Int32(MSG_DONTWAIT) | Int32(MSG_PEEK)) == 0
    }
}

@Suite("One direction of a tunnel")
struct TunnelDirectionTests {
    private struct Scene {
        let loop: EventLoop
        let source: Wire
        let target: Wire
        let direction: TunnelDirection

        init() throws {
            loop = try EventLoop()
            source = try Wire(loop)
            target = try Wire(loop)
            let stock = BufferStock()
            direction = TunnelDirection(
                from: BufferedInput(source.stream, stock: stock), to: BufferedOutput(target.stream, stock: stock), pipes: PipePool())
        }

        /// Lets the loop hear of what was sent. A timer that is due keeps the turn from waiting.
        func turn() {
            let due = Timer()
            loop.timers.schedule(due, at: loop.now)
            loop.turn()
        }
    }

    @Test("bytes arrive as they are, and the end behind them")
    func bytesAndEnd() throws {
        let scene = try Scene()
        scene.source.send("hello")
        scene.turn()
        #expect(scene.direction.pump(announcesEnd: true) == .quiet)
        #expect(scene.target.received() == "hello")
        #expect(!scene.direction.isDone)
        scene.source.send("bye")
        scene.source.finish()
        scene.turn()
        _ = scene.direction.pump(announcesEnd: true)
        #expect(scene.target.received() == "bye")
        #expect(scene.direction.isDone)
        #expect(scene.target.hasEnded)
    }

    @Test("the end that comes last is not announced")
    func lastEnd() throws {
        let scene = try Scene()
        scene.source.finish()
        scene.turn()
        _ = scene.direction.pump(announcesEnd: false)
        #expect(scene.direction.isDone)
        #expect(!scene.target.hasEnded)
    }

    @Test("a target that takes nothing keeps what is held small, and loses nothing")
    func backPressure() throws {
        let scene = try Scene()
        let block = String(repeating: "0123456789abcdef", count: 4096)
        var sent = 0
        var arrived = 0
        for _ in 0..<200 {
            scene.source.send(block)
            scene.turn()
            _ = scene.direction.pump(announcesEnd: true)
        }
        // Drains both ends; what the kernel did not take of a block was never sent.
        while case let text = scene.target.received(), !text.isEmpty || arrived == 0 {
            arrived += text.utf8.count
            #expect(text.hasPrefix(String("0123456789abcdef".dropFirst(sent % 16))))
            sent += text.utf8.count
            scene.turn()
            _ = scene.direction.pump(announcesEnd: true)
        }
        #expect(arrived > 65_536)
    }
}
