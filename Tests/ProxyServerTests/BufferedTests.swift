import EventLoop
import HTTP1
import Net
import Testing

@testable import ProxyServer

@Suite("Borrowed buffers")
struct BufferedTests {
    @Test("an input without bytes holds no buffer")
    func inputReturnsItsBuffer() throws {
        let loop = try EventLoop()
        let wire = try Wire(loop)
        let stock = BufferStock()
        let first = stock.borrow()
        stock.giveBack(first)
        let input = BufferedInput(wire.stream, stock: stock)
        #expect(input.fill() == .wouldBlock)
        #expect(stock.borrow() === first)
        stock.giveBack(first)
        wire.send("abc")
        loop.turn()
        #expect(input.fill() == .bytes(3))
        #expect(stock.borrow() !== first)
        input.consume(2)
        #expect(String(decoding: input.bytes, as: UTF8.self) == "c")
        input.consume(1)
        #expect(input.isEmpty)
        #expect(input.total == 3)
        #expect(stock.borrow() === first)
    }

    @Test("what waits goes out before what follows", arguments: [5, 5000])
    func order(size: Int) throws {
        let loop = try EventLoop()
        let wire = try Wire(loop)
        let output = BufferedOutput(wire.stream, stock: BufferStock())
        let body = ByteBuffer(capacity: size)
        for _ in 0..<size { body.append(byte: UInt8(ascii: "b")) }
        output.open().append("head-")
        var taken = 0
        #expect(output.flush(followedBy: body.readable, taken: &taken) == .done)
        #expect(taken == size)
        #expect(wire.received() == "head-" + String(repeating: "b", count: size))
        #expect(output.isEmpty)
        #expect(output.total == UInt64(5 + size))
    }

    @Test("a peer that has gone is a failure, not a trap")
    func brokenPeer() throws {
        let loop = try EventLoop()
        var wire: Wire? = try Wire(loop)
        let stream = try #require(wire?.stream)
        let output = BufferedOutput(stream, stock: BufferStock())
        wire = nil
        output.open().append("x")
        #expect(output.flush() == .failed)
    }
}
