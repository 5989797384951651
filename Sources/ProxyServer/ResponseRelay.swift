import EventLoop
import HTTP1
import Net
import Policy

/// The response's way: heads and body from the origin to the client.
final class ResponseRelay {
    /// What stopped a pump.
    enum Stop: Equatable {
        /// Nothing can move now.
        case quiet
        /// There is more to do, but others should have their turn.
        case busy
        /// The whole response has left for the client.
        case done
        /// The origin switches protocols; its head waits in the output.
        case upgraded
        /// The origin closed before the first byte of an answer.
        case noAnswer
        case incomplete
        case malformed(HeadError)
        case bodyMalformed(String)
        case notUpgraded
        case clientFailed
    }

    private let request: RequestHead
    private let requestRelay: RequestRelay
    private let worker: Worker
    private let input: BufferedInput
    private let output: BufferedOutput
    private let parser: HeadParser
    private var splice: Splice?
    private var framing = BodyFraming.none
    private var delivery = Forwarding.Delivery.asReceived
    private var decoder = ChunkedDecoder()
    private var bodyIsRead = false
    /// The final response's head, once it has come.
    private(set) var head: ResponseHead?
    /// Whether anything of an answer has come, interim responses included.
    private(set) var hasBegun = false
    /// Whether the client was told that its connection ends.
    private(set) var closesClient = false
    private(set) var hasMoved = false

    init(
        _ request: RequestHead, _ requestRelay: RequestRelay, _ worker: Worker, input: BufferedInput, output: BufferedOutput,
        parser: HeadParser
    ) {
        self.request = request
        self.requestRelay = requestRelay
        self.worker = worker
        self.input = input
        self.output = output
        self.parser = parser
    }

    /// Whether the client's connection has to end after this response.
    private var mustClose: Bool {
        !request.keepAlive || worker.isDraining || !requestRelay.isRead || requestRelay.hasOriginFailed
    }

    /// Whether the origin has sent its whole response.
    var isRead: Bool { bodyIsRead }

    /// Whether the client takes the end of the connection for the end of the body, so that a broken one needs a reset.
    var endsByClosing: Bool { delivery == .closeDelimited }

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
        // A client that does not read must not make bytes pile up here, whatever the origin sends: the origin has to wait.
        if output.isBacklogged, let stop = flushed() { return stop }
        guard head != nil else { return stepHead() }
        if bodyIsRead {
            switch output.flush() {
            case .done: return .done
            case .blocked: return .quiet
            case .failed: return .clientFailed
            }
        }
        return stepBody()
    }

    // MARK: - Heads

    private func stepHead() -> Stop? {
        do {
            if !input.isEmpty, let length = try parser.parse(input.bytes) { return try take(length) }
        } catch { return .malformed(error) }
        switch input.fill() {
        case .bytes:
            hasBegun = true
            return nil
        case .wouldBlock: return waitingForHead()
        case .end, .failed: return hasBegun ? .incomplete : .noAnswer
        }
    }

    /// Interim responses do not wait for the final one.
    private func waitingForHead() -> Stop {
        output.isEmpty || output.flush() != .failed ? .quiet : .clientFailed
    }

    private func take(_ length: Int) throws(HeadError) -> Stop? {
        let received = try ResponseHead(parser, input.bytes, requestMethod: request.method)
        if received.status == 101 { return takeSwitch(received, length) }
        if received.status < 200 {
            // A client of HTTP/1.0 knows no interim responses (RFC 9110 section 15.2).
            if request.minorVersion >= 1 { Forwarding.appendInterim(received, fields: parser, bytes: input.bytes, to: output.open()) }
            input.consume(length)
            parser.reset()
            return nil
        }
        takeFinal(received)
        input.consume(length)
        return nil
    }

    private func takeFinal(_ received: ResponseHead) {
        framing = received.framing
        bodyIsRead = framing == .none || framing == .length(0)
        delivery = delivery(framing)
        closesClient = delivery == .closeDelimited || mustClose
        append(received, close: closesClient)
        head = received
    }

    private func delivery(_ framing: BodyFraming) -> Forwarding.Delivery {
        switch framing {
        case .none, .length: .asReceived
        case .chunked, .untilClose: request.minorVersion >= 1 ? .chunked : .closeDelimited
        }
    }

    private func takeSwitch(_ received: ResponseHead, _ length: Int) -> Stop {
        guard request.upgrade, received.upgrade, received.chosenProtocols.isChosen(from: request.offeredProtocols) else {
            return .notUpgraded
        }
        append(received, close: false)
        head = received
        input.consume(length)
        return .upgraded
    }

    private func append(_ received: ResponseHead, close: Bool) {
        Forwarding.appendResponse(
            received, fields: parser, bytes: input.bytes, delivery: delivery, close: close,
            date: received.hasDate ? "" : worker.date.http(),
            pseudonym: worker.shared.pseudonym.text, to: output.open())
    }

    // MARK: - Body

    private func stepBody() -> Stop? {
        if input.isEmpty {
            if let stop = spliced() { return stop == .busy ? nil : stop }
            switch input.fill() {
            case .bytes: break
            case .wouldBlock: return flushed() ?? .quiet
            case .end: return end()
            case .failed: return .incomplete
            }
        }
        return takeBody()
    }

    private func takeBody() -> Stop? {
        switch framing {
        case .length(let remaining): return takeLength(remaining)
        case .chunked: return takeChunks()
        case .untilClose: return takeRest()
        case .none:
            bodyIsRead = true
            return nil
        }
    }

    private func takeLength(_ remaining: UInt64) -> Stop? {
        let count = input.count
        let stop = pass(ByteBuffer.Bytes(rebasing: input.bytes.prefix(Int(clamping: remaining))))
        passed(count - input.count, of: remaining)
        return bodyIsRead && stop != .clientFailed ? nil : stop
    }

    private func passed(_ count: Int, of remaining: UInt64) {
        let left = remaining - UInt64(count)
        framing = .length(left)
        if left == 0 { bodyIsRead = true }
        if count > 0 { hasMoved = true }
    }

    /// Gives bytes to the client as they are.
    private func pass(_ bytes: ByteBuffer.Bytes) -> Stop? {
        var taken = 0
        let flushed = output.flush(followedBy: bytes, taken: &taken)
        input.consume(taken)
        switch flushed {
        case .done: return nil
        case .blocked: return .quiet
        case .failed: return .clientFailed
        }
    }

    private func takeRest() -> Stop? {
        guard delivery == .chunked else { return pass(input.bytes) }
        Relay.appendChunk(input.bytes, 0..<input.count, to: output.open())
        input.release()
        return flushed()
    }

    private func takeChunks() -> Stop? {
        do throws(ChunkError) {
            var offset = 0
            var isWaiting = false
            while !isWaiting, !bodyIsRead {
                switch try decoder.next(input.bytes, &offset) {
                case .data(let range): appendData(range)
                case .end(let trailers):
                    if delivery == .chunked { Relay.appendLastChunk(input.bytes, trailers, to: output.open()) }
                    bodyIsRead = true
                case .needMore: isWaiting = true
                }
            }
            input.consume(offset)
            if isWaiting, offset == 0, let stop = waitForMore() { return stop }
        } catch {
            return .bodyMalformed(error.sentence)
        }
        return bodyIsRead ? nil : flushed()
    }

    private func appendData(_ range: Range<Int>) {
        if delivery == .chunked {
            Relay.appendChunk(input.bytes, range, to: output.open())
        } else {
            output.open().append(ByteBuffer.Bytes(rebasing: input.bytes[range]))
        }
    }

    private func waitForMore() -> Stop? {
        switch input.fill() {
        case .bytes: nil
        case .wouldBlock: flushed() ?? .quiet
        case .end, .failed: .incomplete
        }
    }

    private func flushed() -> Stop? {
        switch output.flush() {
        case .done: nil
        case .blocked: .quiet
        case .failed: .clientFailed
        }
    }

    /// The origin has closed: that ends a body without other mark, and breaks every other.
    private func end() -> Stop? {
        guard framing == .untilClose else { return .incomplete }
        if delivery == .chunked { output.open().append("0\r\n\r\n") }
        bodyIsRead = true
        return nil
    }

    /// Moves a long body inside the kernel; nil when it is to be read instead, `.busy` when bytes moved.
    private func spliced() -> Stop? {
        guard let limit = spliceLimit else { return nil }
        guard output.isEmpty else { return output.flush() == .failed ? .clientFailed : output.isEmpty ? .busy : .quiet }
        let splice = splice ?? Splice(pool: worker.pipes)
        self.splice = splice
        switch splice.move(from: input.stream, to: output.stream, limit: limit) {
        case .moved(let count):
            input.count(passed: count)
            output.count(passed: count)
            if case .length(let remaining) = framing { passed(count, of: remaining) }
            return .busy
        case .wouldBlock: return .quiet
        case .end: return end() ?? .busy
        case .sourceFailed: return .incomplete
        case .targetFailed: return .clientFailed
        case .unavailable: return nil
        }
    }

    private var spliceLimit: Int? {
        guard delivery != .chunked, input.stream.isPlain, output.stream.isPlain else { return nil }
        switch framing {
        case .length(let remaining) where remaining >= Relay.spliceFrom || splice?.holdsBytes ?? false: return Int(clamping: remaining)
        case .untilClose: return Int.max
        default: return nil
        }
    }
}
