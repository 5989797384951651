import EventLoop
import HTTP1
import Net
import Testing

@testable import ProxyServer

@Suite("Free buffers and parsers")
struct BufferStockTests {
    @Test("what is given back is lent again, empty")
    func reuse() {
        let stock = BufferStock()
        let buffer = stock.borrow()
        #expect(buffer.capacity == BufferStock.size)
        buffer.append("left over")
        stock.giveBack(buffer)
        let again = stock.borrow()
        #expect(again === buffer)
        #expect(again.isEmpty)
        #expect(stock.borrow() !== buffer)
    }

    @Test("a buffer that has grown is not kept")
    func grown() {
        let stock = BufferStock()
        let buffer = stock.borrow()
        buffer.reserve(BufferStock.size + 1)
        stock.giveBack(buffer)
        #expect(stock.borrow() !== buffer)
    }

    @Test("a burst does not leave more behind than a few megabytes")
    func bounded() {
        let stock = BufferStock()
        let burst = (0..<200).map { _ in stock.borrow() }
        for buffer in burst { stock.giveBack(buffer) }
        let known = Set(burst.map(ObjectIdentifier.init))
        let again = (0..<200).map { _ in stock.borrow() }
        #expect(again.filter { known.contains(ObjectIdentifier($0)) }.count == 64)
    }

    @Test("parsers are lent again for what they read, and begin anew")
    func parsers() throws {
        let stock = ParserStock(limits: HeadLimits())
        let request = stock.takeRequestParser()
        let half = Array("GET http://a.test/ HT".utf8)
        #expect(try half.withUnsafeBytes { try request.parse($0) } == nil)
        stock.giveBack(request)
        let response = stock.takeResponseParser()
        #expect(response !== request)
        #expect(response.kind == .response)
        stock.giveBack(response)
        #expect(stock.takeRequestParser() === request)
        #expect(stock.takeResponseParser() === response)
        let whole = Array("GET http://a.test/ HTTP/1.1\r\n\r\n".utf8)
        #expect(try whole.withUnsafeBytes { try request.parse($0) } == whole.count)
    }
}

@Suite("An output whose peer takes no more")
struct BlockedOutputTests {
    @Test("keeps order and count when it goes on, whatever the size of the pieces", arguments: [1, 4_096, 4_097, 60_000])
    func resumes(size: Int) throws {
        let loop = try EventLoop()
        let pair = try Pair(on: loop)
        defer { pair.stream.close() }
        let output = BufferedOutput(pair.stream, stock: BufferStock())
        let bytes = pattern(32 << 20)
        var offset = 0
        var pieces = 0
        var wasBlocked = false
        let isWhole = loop.turn {
            // As a relay does: nothing is added while the peer has left much.
            while pieces < 200, !output.isBacklogged {
                var taken = 0
                let part = bytes[offset..<min(bytes.count, offset + (wasBlocked ? size : 60_000))]
                let flushed = part.withUnsafeBytes { output.flush(followedBy: $0, taken: &taken) }
                offset += taken
                if wasBlocked, taken > 0 { pieces += 1 }
                if flushed == .blocked { wasBlocked = true }
                if flushed != .done { break }
            }
            _ = output.flush()
            // The far end begins to read when it has held the output up.
            if wasBlocked { pair.peer.receive() }
            return pieces == 200 && output.isEmpty && pair.peer.received.count == offset
        }
        #expect(isWhole)
        #expect(output.total == UInt64(offset))
        #expect(pair.peer.received.elementsEqual(bytes[..<offset]) == true)
    }
}
