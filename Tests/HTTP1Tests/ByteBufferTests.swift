import HTTP1
import Testing

/// The byte queue: what is written comes out in order, whatever moves below.
struct ByteBufferTests {
    private func text(_ buffer: ByteBuffer) -> String { latin1(Array(buffer.readable)) }

    private func fill(_ buffer: ByteBuffer, _ text: String) {
        let bytes = wire(text)
        buffer.reserve(bytes.count)
        buffer.writable.copyBytes(from: bytes)
        buffer.commit(bytes.count)
    }

    @Test func anEmptyBufferHoldsNothing() {
        for capacity in [-1, 0, 16] {
            let buffer = ByteBuffer(capacity: capacity)
            #expect(buffer.isEmpty)
            #expect(buffer.count == 0)
            #expect(buffer.readable.isEmpty)
            #expect(buffer.capacity == max(0, capacity))
            #expect(buffer.writable.count == buffer.writableCount)
            buffer.reserve(0)
            buffer.consume(0)
            buffer.commit(0)
            buffer.clear()
            #expect(buffer.isEmpty)
        }
    }

    @Test func bytesLeaveInTheOrderTheyCame() {
        let buffer = ByteBuffer(capacity: 4)
        fill(buffer, "abcdef")
        buffer.consume(2)
        fill(buffer, "ghi")
        #expect(text(buffer) == "cdefghi")
        buffer.consume(7)
        #expect(buffer.isEmpty)
        #expect(buffer.writableCount == buffer.capacity)
    }

    @Test func roomIsFoundAtTheFrontBeforeMemoryGrows() {
        let buffer = ByteBuffer(capacity: 100)
        fill(buffer, String(repeating: "x", count: 60) + String(repeating: "y", count: 40))
        buffer.consume(60)
        buffer.reserve(60)
        #expect(buffer.capacity == 100)
        #expect(buffer.writableCount == 60)
        #expect(text(buffer) == String(repeating: "y", count: 40))
        buffer.reserve(61)
        #expect(buffer.capacity >= 200)
        #expect(buffer.writableCount >= 61)
        #expect(text(buffer) == String(repeating: "y", count: 40))
    }

    @Test func clearKeepsTheMemory() {
        let buffer = ByteBuffer(capacity: 0)
        fill(buffer, "abc")
        let capacity = buffer.capacity
        buffer.clear()
        #expect(buffer.isEmpty)
        #expect(buffer.capacity == capacity)
        #expect(buffer.writableCount == capacity)
    }

    @Test func textOfEveryKindIsAppended() {
        let buffer = ByteBuffer(capacity: 0)
        buffer.append("literal ")
        buffer.append("caf\u{E9}, " as StaticString)
        buffer.append(String(repeating: "long ", count: 20))
        buffer.append("")
        buffer.append("" as String)
        buffer.append(byte: 0)
        wire("raw").withUnsafeBytes { buffer.append($0) }
        buffer.append(UnsafeRawBufferPointer(start: nil, count: 0))
        #expect(text(buffer) == "literal caf\u{C3}\u{A9}, " + String(repeating: "long ", count: 20) + "\u{0}raw")
    }

    @Test(arguments: [0, 1, 9, 10, 15, 16, 99, 100, 255, 256, 4095, 4096, 65535, 1_000_000, UInt64(Int64.max), .max])
    func numbersAreWrittenWithoutLeadingZeros(value: UInt64) {
        let buffer = ByteBuffer(capacity: 0)
        buffer.append(decimal: value)
        buffer.append(byte: UInt8(ascii: " "))
        buffer.append(hex: value)
        #expect(text(buffer) == "\(value) \(String(value, radix: 16))")
    }

    @Test(arguments: 1...20)
    func randomUseGivesBackWhatWentIn(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let buffer = ByteBuffer(capacity: Int.random(in: 0...32, using: &random))
        var model: [UInt8] = []
        for _ in 0..<500 {
            let count = Int.random(in: 0...40, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
                bytes.withUnsafeBytes { buffer.append($0) }
                model += bytes
            case 1:
                buffer.reserve(count)
                #expect(buffer.writableCount >= count)
            case 2:
                let byte = UInt8.random(in: 0...255, using: &random)
                buffer.append(byte: byte)
                model.append(byte)
            default:
                let taken = min(count, model.count)
                buffer.consume(taken)
                model.removeFirst(taken)
            }
            #expect(Array(buffer.readable) == model)
            #expect(buffer.count == model.count)
            #expect(buffer.writable.count == buffer.writableCount)
        }
    }
}
