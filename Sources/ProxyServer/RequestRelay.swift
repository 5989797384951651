import EventLoop
import HTTP1

/// The request's way: head and body from the client to the origin, as far as the origin takes them.
final class RequestRelay {
    /// What stopped a pump.
    enum Stop: Equatable {
        /// Nothing can move now, or everything has moved.
        case quiet
        /// There is more to do, but others should have their turn.
        case busy
        case clientEnded
        case clientFailed
        case malformed(String)
        /// The origin takes no more; an answer may still come.
        case originFailed
    }

    private let input: BufferedInput
    private let output: BufferedOutput
    private let pipes: PipePool
    private var splice: Splice?
    private var framing: BodyFraming
    private var decoder = ChunkedDecoder()
    private var bodyIsRead: Bool
    private(set) var hasOriginFailed = false
    /// Whether a byte of the body has been taken from the client: the request cannot be sent again.
    private(set) var hasTakenBody = false
    /// Set by each pump that moved bytes.
    private(set) var hasMoved = false

    init(_ framing: BodyFraming, input: BufferedInput, output: BufferedOutput, pipes: PipePool) {
        self.framing = framing
        self.input = input
        self.output = output
        bodyIsRead = framing == .none || framing == .length(0)
        self.pipes = pipes
    }

    /// Whether the whole request has left for the origin.
    var isDone: Bool { bodyIsRead && output.isEmpty }

    /// Whether the whole request has been taken from the client.
    var isRead: Bool { bodyIsRead }

    /// Whether it is the origin that does not take more.
    var isBlockedByOrigin: Bool { !output.isEmpty || output.stream.waitsToWrite }

    /// Moves what can be moved.
    func pump() -> Stop {
        hasMoved = false
        for _ in 0..<Relay.rounds {
            if let stop = step() { return stop }
            hasMoved = true
        }
        return .busy
    }

    private func step() -> Stop? {
        // A head whose body is at hand leaves together with it.
        if !output.isEmpty, bodyIsRead || input.isEmpty || framing == .chunked {
            switch output.flush() {
            case .done: if bodyIsRead { hasMoved = true }
            case .blocked: return .quiet
            case .failed: return originFailed()
            }
        }
        guard !bodyIsRead else { return .quiet }
        if input.isEmpty {
            if case .length(let remaining) = framing, let stop = spliced(remaining) { return stop == .busy ? nil : stop }
            switch input.fill() {
            case .bytes: break
            case .wouldBlock: return .quiet
            case .end: return .clientEnded
            case .failed: return .clientFailed
            }
        }
        hasTakenBody = true
        return takeBody()
    }

    private func takeBody() -> Stop? {
        switch framing {
        case .length(let remaining): return takeLength(remaining)
        case .chunked: return takeChunks()
        case .none, .untilClose:
            bodyIsRead = true
            return nil
        }
    }

    private func takeLength(_ remaining: UInt64) -> Stop? {
        let part = ByteBuffer.Bytes(rebasing: input.bytes.prefix(Int(clamping: remaining)))
        var taken = 0
        let flushed = output.flush(followedBy: part, taken: &taken)
        input.consume(taken)
        passed(taken, of: remaining)
        switch flushed {
        case .done: return nil
        case .blocked: return .quiet
        case .failed: return originFailed()
        }
    }

    private func passed(_ count: Int, of remaining: UInt64) {
        let left = remaining - UInt64(count)
        framing = .length(left)
        if left == 0 { bodyIsRead = true }
        if count > 0 { hasMoved = true }
    }

    private func takeChunks() -> Stop? {
        do throws(ChunkError) {
            var offset = 0
            defer { input.consume(offset) }
            while true {
                switch try decoder.next(input.bytes, &offset) {
                case .data(let range): Relay.appendChunk(input.bytes, range, to: output.open())
                case .end(let trailers):
                    Relay.appendLastChunk(input.bytes, trailers, to: output.open())
                    bodyIsRead = true
                    return nil
                case .needMore: return offset > 0 ? nil : waitForMore()
                }
            }
        } catch {
            return .malformed(error.sentence)
        }
    }

    /// A size line or trailer section that is not whole yet stays in the input; more has to come behind it.
    private func waitForMore() -> Stop? {
        switch input.fill() {
        case .bytes: nil
        case .wouldBlock: .quiet
        case .end: .clientEnded
        case .failed: .clientFailed
        }
    }

    /// Moves a long body inside the kernel; nil when it is to be read instead, `.busy` when bytes moved.
    private func spliced(_ remaining: UInt64) -> Stop? {
        guard remaining >= Relay.spliceFrom || splice?.holdsBytes ?? false, input.stream.isPlain, output.stream.isPlain else { return nil }
        let splice = splice ?? Splice(pool: pipes)
        self.splice = splice
        switch splice.move(from: input.stream, to: output.stream, limit: Int(clamping: remaining)) {
        case .moved(let count):
            hasTakenBody = true
            input.count(passed: count)
            output.count(passed: count)
            passed(count, of: remaining)
            return .busy
        case .wouldBlock: return .quiet
        case .end: return .clientEnded
        case .sourceFailed: return .clientFailed
        case .targetFailed: return originFailed()
        case .unavailable: return nil
        }
    }

    private func originFailed() -> Stop {
        hasOriginFailed = true
        output.release()
        return .originFailed
    }
}

/// What both directions have in common.
enum Relay {
    /// Rounds of one pump before others have their turn.
    static let rounds = 16
    /// Bodies with at least this much left move by splice: below it a read and a write cost less than a pipe.
    static let spliceFrom: UInt64 = 128 * 1024

    /// One chunk (RFC 9112 section 7.1).
    static func appendChunk(_ bytes: ByteBuffer.Bytes, _ range: Range<Int>, to buffer: ByteBuffer) {
        guard !range.isEmpty else { return }
        buffer.append(hex: UInt64(range.count))
        buffer.append("\r\n")
        buffer.append(ByteBuffer.Bytes(rebasing: bytes[range]))
        buffer.append("\r\n")
    }

    /// The last chunk with the trailers that pass.
    static func appendLastChunk(_ bytes: ByteBuffer.Bytes, _ trailers: Range<Int>, to buffer: ByteBuffer) {
        buffer.append("0\r\n")
        Forwarding.appendTrailers(ByteBuffer.Bytes(rebasing: bytes[trailers]), to: buffer)
    }
}
