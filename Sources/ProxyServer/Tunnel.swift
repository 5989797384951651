import EventLoop
import HTTP1
import Net
import Policy

/// Bytes both ways between a client and an origin, unread by us: CONNECT and protocols after an Upgrade.
final class Tunnel {
    private let connection: ClientConnection
    private let origin: ByteStream
    private let upwards: TunnelDirection
    private let downwards: TunnelDirection

    /// `fromOrigin` may hold bytes that came behind the origin's head; what waits for the client goes out first.
    init(_ connection: ClientConnection, _ origin: ByteStream, fromOrigin: BufferedInput) {
        self.connection = connection
        self.origin = origin
        let worker = connection.worker
        upwards = TunnelDirection(from: connection.input, to: BufferedOutput(origin, stock: worker.buffers), pipes: worker.pipes)
        downwards = TunnelDirection(from: fromOrigin, to: connection.output, pipes: worker.pipes)
    }

    /// Relays until both directions have ended, one has failed, or nothing has moved for too long.
    func run() async {
        let loop = connection.worker.loop
        var lastActivity = loop.now
        relaying: while !(upwards.isDone && downwards.isDone) {
            // The end that comes last needs no announcement: both sockets are closed right after it.
            let up = upwards.pump(announcesEnd: !downwards.isDone)
            let down = downwards.pump(announcesEnd: !upwards.isDone)
            if up == .failed || down == .failed || connection.worker.isCutting { break }
            if upwards.hasMoved || downwards.hasMoved { lastActivity = loop.now }
            if upwards.isDone && downwards.isDone { break }
            if up == .busy || down == .busy {
                await connection.signal.yield()
            } else if await connection.signal.wait(until: lastActivity + idleLimit) == .deadline, loop.now >= lastActivity + idleLimit {
                noteIdle()
                break
            }
        }
        end()
    }

    /// One direction that has ended leaves the other a shorter time: peers that never close their half would pile up otherwise.
    private var idleLimit: Duration {
        let limit = connection.settings.tunnelIdleTimeout
        return upwards.isDone || downwards.isDone ? min(limit, Tunnel.halfClosedLimit) : limit
    }

    private static let halfClosedLimit = Duration.seconds(60)

    private func noteIdle() {
        connection.record.errorLabel = "tunnel_idle"
        connection.record.reason = "nothing moved through the tunnel for too long"
    }

    private func end() {
        // A reset on one side reaches the other as one; an orderly end as an orderly end.
        if upwards.isDone && downwards.isDone {
            origin.close()
        } else {
            origin.abort()
            connection.client.abort()
        }
        connection.log()
    }
}

/// One direction of a tunnel.
final class TunnelDirection {
    enum Stop { case quiet, busy, failed }

    private let input: BufferedInput
    private let output: BufferedOutput
    private let pipes: PipePool
    private var splice: Splice?
    private var moved: UInt64 = 0
    private var announcesEnd = true
    private(set) var hasMoved = false
    /// Whether the source has ended and everything it sent has left.
    private(set) var isDone = false
    /// A direction that carries more than this is bulk and moves by splice.
    private static let bulk: UInt64 = 128 * 1024

    init(from input: BufferedInput, to output: BufferedOutput, pipes: PipePool) {
        self.input = input
        self.output = output
        self.pipes = pipes
    }

    /// Moves what can be moved. `announcesEnd`: the target is told when the source has ended.
    func pump(announcesEnd: Bool) -> Stop {
        self.announcesEnd = announcesEnd
        hasMoved = false
        guard !isDone else { return .quiet }
        let before = moved
        defer { hasMoved = moved != before || isDone }
        for _ in 0..<Relay.rounds {
            if let stop = step() { return stop }
            if isDone { return .quiet }
        }
        return .busy
    }

    private func step() -> Stop? {
        if !output.isEmpty || !input.isEmpty { return pushOut() }
        return isBulk ? spliced() : read()
    }

    private var isBulk: Bool {
        splice?.holdsBytes ?? false || moved >= TunnelDirection.bulk && input.stream.isPlain && output.stream.isPlain
    }

    private func pushOut() -> Stop? {
        var taken = 0
        let flushed = output.flush(followedBy: input.bytes, taken: &taken)
        input.consume(taken)
        moved += UInt64(taken)
        switch flushed {
        case .done: return nil
        case .blocked: return .quiet
        case .failed: return .failed
        }
    }

    private func read() -> Stop? {
        switch input.fill() {
        case .bytes: return nil
        case .wouldBlock: return .quiet
        case .end: return finish()
        case .failed: return .failed
        }
    }

    private func spliced() -> Stop? {
        let splice = splice ?? Splice(pool: pipes)
        self.splice = splice
        switch splice.move(from: input.stream, to: output.stream, limit: 1 << 20) {
        case .moved(let count):
            moved += UInt64(count)
            input.count(passed: count)
            output.count(passed: count)
            return nil
        case .wouldBlock: return .quiet
        case .end: return finish()
        case .sourceFailed, .targetFailed: return .failed
        case .unavailable: return read()
        }
    }

    private func finish() -> Stop? {
        if announcesEnd { output.stream.finishWriting() }
        isDone = true
        return nil
    }
}
