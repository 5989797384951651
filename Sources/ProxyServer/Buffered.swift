import EventLoop
import HTTP1

/// What comes from a stream, through a buffer that is borrowed only while bytes are in it.
final class BufferedInput {
    let stream: ByteStream
    private let stock: BufferStock
    private var buffer: ByteBuffer?
    /// Bytes read so far.
    private(set) var total: UInt64 = 0
    /// Room that a read finds at least, so that a full buffer does not dwindle to reads of a few bytes.
    private static let leastRoom = 4096

    init(_ stream: ByteStream, stock: BufferStock) {
        self.stream = stream
        self.stock = stock
    }

    deinit { release() }

    var isEmpty: Bool { buffer == nil }
    var count: Int { buffer?.count ?? 0 }

    /// The bytes at hand. Valid until the next call.
    var bytes: ByteBuffer.Bytes { buffer?.readable ?? ByteBuffer.noBytes }

    /// Reads once and keeps what came.
    func fill() -> IOResult {
        guard stream.isReadable else { return .wouldBlock }
        let target = buffer ?? stock.borrow()
        target.reserve(BufferedInput.leastRoom)
        let result = stream.read(into: target.writable)
        if case .bytes(let count) = result {
            target.commit(count)
            total += UInt64(count)
            buffer = target
        } else if buffer == nil {
            stock.giveBack(target)
        }
        return result
    }

    /// Drops bytes from the front.
    func consume(_ count: Int) {
        guard let buffer else { return }
        buffer.consume(count)
        if buffer.isEmpty { release() }
    }

    /// Counts bytes that went past the buffer.
    func count(passed: Int) { total += UInt64(passed) }

    func release() {
        guard let buffer else { return }
        self.buffer = nil
        stock.giveBack(buffer)
    }
}

/// What goes to a stream, gathered in a borrowed buffer until the stream takes it.
final class BufferedOutput {
    enum Flushed: Equatable {
        /// Everything has left.
        case done
        /// The peer takes no more now.
        case blocked
        case failed
    }

    let stream: ByteStream
    private let stock: BufferStock
    private var buffer: ByteBuffer?
    /// Bytes written so far.
    private(set) var total: UInt64 = 0
    /// Up to this size bytes are copied behind those waiting, which is cheaper than a gathering system call.
    private static let copiedUpTo = 4096

    init(_ stream: ByteStream, stock: BufferStock) {
        self.stream = stream
        self.stock = stock
    }

    deinit { release() }

    var isEmpty: Bool { buffer == nil }

    /// Whether the peer has left so much that nothing should be added before it takes some.
    var isBacklogged: Bool { (buffer?.count ?? 0) >= BufferStock.size / 2 }

    /// The buffer to append to.
    func open() -> ByteBuffer {
        if let buffer { return buffer }
        let borrowed = stock.borrow()
        buffer = borrowed
        return borrowed
    }

    /// Writes what is waiting.
    func flush() -> Flushed {
        var taken = 0
        return flush(followedBy: ByteBuffer.noBytes, taken: &taken)
    }

    /// Writes what is waiting and then `bytes`, of which `taken` tells how many left or are kept here.
    func flush(followedBy bytes: ByteBuffer.Bytes, taken: inout Int) -> Flushed {
        taken = 0
        // Not over TLS: a write that was blocked has to be repeated with the same memory.
        if let buffer, bytes.count > 0, bytes.count <= BufferedOutput.copiedUpTo, stream.isPlain {
            buffer.append(bytes)
            taken = bytes.count
        }
        while buffer != nil || taken < bytes.count {
            guard !stream.waitsToWrite else { return .blocked }
            let rest = ByteBuffer.Bytes(rebasing: bytes[taken...])
            switch stream.write(buffer?.readable ?? ByteBuffer.noBytes, rest) {
            case .bytes(let count): account(count, &taken)
            case .wouldBlock: return .blocked
            case .end, .failed: return .failed
            }
        }
        return .done
    }

    /// Counts bytes that went past the buffer.
    func count(passed: Int) { total += UInt64(passed) }

    func release() {
        guard let buffer else { return }
        self.buffer = nil
        stock.giveBack(buffer)
    }

    private func account(_ count: Int, _ taken: inout Int) {
        total += UInt64(count)
        let waiting = buffer?.count ?? 0
        guard count >= waiting else {
            buffer?.consume(count)
            return
        }
        release()
        taken += count - waiting
    }
}
