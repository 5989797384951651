import EventLoop
import Glibc
import Net
import Testing

@Suite("A stream of bytes: reading")
struct ByteStreamReadingTests {
    private let loop: EventLoop

    init() throws { loop = try EventLoop() }

    @Test("a short read says that the socket is empty, a full one that there may be more", arguments: Pair.Kind.allCases)
    func shortRead(kind: Pair.Kind) throws {
        let pair = try connect(kind)
        let (stream, peer) = (pair.stream, pair.peer)
        #expect(!stream.isReadable)
        peer.send("0123456789")
        #expect(loop.turn { stream.isReadable })
        #expect(stream.read(4).bytes == Array("0123".utf8))
        #expect(stream.isReadable)
        #expect(stream.read(6).bytes == Array("456789".utf8))
        #expect(stream.isReadable)
        #expect(stream.read().result == .wouldBlock)
        #expect(!stream.isReadable)
        peer.send("ab")
        #expect(loop.turn { stream.isReadable })
        #expect(stream.read(3).bytes == Array("ab".utf8))
        #expect(!stream.isReadable)
    }

    @Test("the signal is raised by bytes, by an end and by a reset", arguments: Pair.Kind.allCases)
    func signal(kind: Pair.Kind) throws {
        let signal = Signal(loop: loop)
        let pair = try connect(kind, signal: signal)
        let (stream, peer) = (pair.stream, pair.peer)
        for event in [{ peer.send("x") }, { peer.finishWriting() }] {
            let waiting = loop.start(with: signal) { await $0.wait(until: .distantFuture) }
            loop.turn(for: .milliseconds(2))
            #expect(waiting.content == nil)
            event()
            #expect(loop.turn { waiting.content == .raised })
        }
        #expect(stream.peerFinished)
    }

    @Test("a peer that has finished is read to its last byte, and can still be written to", arguments: Pair.Kind.allCases)
    func halfClose(kind: Pair.Kind) throws {
        let pair = try connect(kind)
        let (stream, peer) = (pair.stream, pair.peer)
        peer.send("last words")
        peer.finishWriting()
        #expect(loop.turn { stream.peerFinished })
        #expect(!stream.hasFailed)
        // The end has been announced already: a short read must not make the reader wait for an edge that never comes.
        #expect(stream.read(100).bytes == Array("last words".utf8))
        #expect(stream.isReadable)
        #expect(stream.read().result == .end)
        #expect(stream.write(Array("answer".utf8)) == .bytes(6))
        #expect(peer.awaitBytes() == Array("answer".utf8))
        stream.finishWriting()
        #expect(peer.sawEnd)
    }

    @Test("finishing to write ends the peer's reading alone", arguments: Pair.Kind.allCases)
    func finishWriting(kind: Pair.Kind) throws {
        let pair = try connect(kind)
        let (stream, peer) = (pair.stream, pair.peer)
        #expect(stream.write(Array("request".utf8)) == .bytes(7))
        stream.finishWriting()
        #expect(peer.awaitBytes() == Array("request".utf8))
        #expect(peer.sawEnd)
        peer.send("answer")
        #expect(loop.turn { stream.isReadable })
        #expect(stream.read().bytes == Array("answer".utf8))
    }

    @Test("a reset by the peer fails the stream")
    func resetByPeer() throws {
        let pair = try Pair(.tcp, on: loop)
        let stream = pair.stream
        pair.peer.reset()
        #expect(loop.turn { stream.hasFailed })
        #expect(stream.read().result == .failed(SystemError(call: "recv", number: ECONNRESET)))
        #expect(!stream.isUndisturbed(asksKernel: true))
        #expect(!stream.isQuiet())
    }

    private func connect(_ kind: Pair.Kind, signal: Signal? = nil) throws -> Pair {
        let pair = try Pair(kind, on: loop, signal: signal)
        loop.turn(for: .zero)
        return pair
    }
}

@Suite("A stream of bytes: writing")
struct ByteStreamWritingTests {
    private let loop: EventLoop

    init() throws { loop = try EventLoop() }

    @Test("two parts go out in one piece and in order", arguments: [(3, 5), (0, 4), (4, 0), (1, 1), (1_000, 2_000)])
    func gather(first: Int, second: Int) throws {
        let pair = try Pair(on: loop)
        let bytes = pattern(first + second)
        #expect(pair.stream.write(Array(bytes[..<first]), Array(bytes[first...])) == .bytes(first + second))
        #expect(pair.peer.receive() == bytes)
    }

    @Test("a full peer takes a part, then nothing until it has read; nothing is lost", arguments: Pair.Kind.allCases)
    func backPressure(kind: Pair.Kind) throws {
        let signal = Signal(loop: loop)
        let pair = try Pair(kind, on: loop, signal: signal)
        let bytes = pattern(16 << 20)
        var sent = 0
        var received: [UInt8] = []
        var blocked = 0
        while received.count < bytes.count {
            if sent < bytes.count, !pair.stream.waitsToWrite {
                // In two parts, cut anywhere.
                let cut = min(bytes.count, sent + 1_000)
                switch pair.stream.write(Array(bytes[sent..<cut]), Array(bytes[cut..<min(bytes.count, cut + 300_000)])) {
                case .bytes(let count): sent += count
                case .wouldBlock: blocked += 1
                case let other: Issue.record("\(other)")
                }
                continue
            }
            received += pair.peer.receive(200_000)
            let before = received.count
            try #require(
                loop.turn {
                    received += pair.peer.receive(200_000)
                    return received.count > before || !pair.stream.waitsToWrite
                })
        }
        #expect(firstDifference(received, bytes) == nil)
        #expect(blocked > 0)
    }

    @Test("the signal is raised when a full peer has made room")
    func roomAgain() throws {
        let signal = Signal(loop: loop)
        let pair = try Pair(on: loop, signal: signal)
        while case .bytes = pair.stream.write(pattern(100_000)) {}
        #expect(pair.stream.waitsToWrite)
        let waiting = loop.start(with: signal) { await $0.wait(until: .distantFuture) }
        loop.turn(for: .milliseconds(5))
        #expect(waiting.content == nil)
        #expect(
            loop.turn {
                _ = pair.peer.receive()
                return waiting.content == .raised
            })
        #expect(!pair.stream.waitsToWrite)
        #expect(pair.stream.write([1]) == .bytes(1))
    }

    @Test("room to write does not raise the signal of a stream that has nothing to write")
    func noNeedlessWake() throws {
        let signal = Signal(loop: loop)
        let pair = try Pair(on: loop, signal: signal)
        let waiting = loop.start(with: signal) { await $0.wait(until: .distantFuture) }
        _ = pair.stream.write(pattern(50_000))
        _ = pair.peer.receive()
        loop.turn(for: .milliseconds(10))
        #expect(waiting.content == nil)
        signal.raise()
        #expect(loop.turn { waiting.content == .raised })
    }

    @Test("writing to a peer that is gone fails and does not end the process")
    func brokenPipe() throws {
        let pair = try Pair(on: loop)
        let stream = pair.stream
        pair.peer.leave()
        #expect(stream.write([1, 2, 3]) == .failed(SystemError(call: "send", number: EPIPE)))
        #expect(stream.write([1], [2]) == .failed(SystemError(call: "send", number: EPIPE)))
        #expect(loop.turn { stream.hasFailed })
    }
}

@Suite("A stream of bytes: keeping and ending")
struct ByteStreamEndTests {
    private let loop: EventLoop

    init() throws { loop = try EventLoop() }

    @Test("an idle stream is quiet and undisturbed", arguments: Pair.Kind.allCases)
    func idle(kind: Pair.Kind) throws {
        let pair = try Pair(kind, on: loop)
        loop.turn(for: .milliseconds(2))
        #expect(pair.stream.isQuiet())
        #expect(pair.stream.isUndisturbed(asksKernel: true))
    }

    @Test("a read that emptied the socket leaves a quiet stream, even without a further read", arguments: [6, 100])
    func quietAfterReading(limit: Int) throws {
        let pair = try Pair(on: loop)
        pair.peer.send("answer")
        #expect(loop.turn { pair.stream.isReadable })
        #expect(pair.stream.read(limit).bytes == Array("answer".utf8))
        #expect(pair.stream.isQuiet())
        #expect(pair.stream.isUndisturbed(asksKernel: true))
    }

    @Test("bytes that nobody asked for disturb; they stay to be read", arguments: [true, false])
    func disturbedByBytes(turned: Bool) throws {
        let pair = try Pair(on: loop)
        loop.turn(for: .zero)
        pair.peer.send("stray")
        if turned { #expect(loop.turn { pair.stream.isReadable }) }
        #expect(!pair.stream.isUndisturbed(asksKernel: true))
        if turned {
            #expect(!pair.stream.isQuiet())
            #expect(pair.stream.read().bytes == Array("stray".utf8))
        }
    }

    @Test("a peer that went away disturbs, whether the loop has heard of it or not", arguments: [true, false], Pair.Kind.allCases)
    func disturbedByEnd(turned: Bool, kind: Pair.Kind) throws {
        let pair = try Pair(kind, on: loop)
        let stream = pair.stream
        loop.turn(for: .zero)
        pair.peer.leave()
        if turned {
            #expect(loop.turn { stream.peerFinished })
            #expect(!stream.isQuiet())
        }
        // The end needs a moment to cross the loopback; the stream is asked as often as that takes, but the loop does not turn.
        let deadline = MonotonicTime.read() + .seconds(10)
        while stream.isUndisturbed(asksKernel: true), MonotonicTime.read() < deadline { sched_yield() }
        #expect(!stream.isUndisturbed(asksKernel: true))
    }

    @Test("closing lets out what was written; closing twice is harmless", arguments: Pair.Kind.allCases)
    func close(kind: Pair.Kind) throws {
        let signal = Signal(loop: loop)
        let pair = try Pair(kind, on: loop, signal: signal)
        #expect(pair.stream.write(Array("to the end".utf8)) == .bytes(10))
        pair.stream.close()
        pair.stream.close()
        #expect(pair.stream.isClosed)
        #expect(pair.peer.awaitBytes() == Array("to the end".utf8))
        #expect(pair.peer.sawEnd)
        #expect(pair.stream.signal == nil)
    }

    @Test("aborting resets: the peer cannot take what it has for the whole")
    func abort() throws {
        let pair = try Pair(.tcp, on: loop)
        #expect(pair.stream.write(Array("half of it".utf8)) == .bytes(10))
        pair.stream.abort()
        var byte: UInt8 = 0
        var count = 1
        while count > 0 {
            pair.peer.waitUntilReadable()
            count = recv(pair.peer.number, &byte, 1, 0)
        }
        #expect(count == -1)
        #expect(errno == ECONNRESET)
    }

    @Test("a stream that nobody holds any more closes its socket")
    func released() throws {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        let peer = Peer(ends[1])
        do { _ = ByteStream(ends[0], loop: loop) }
        #expect(peer.sawEnd)
    }

    @Test("what a subclass holds is released once, before the socket closes")
    func release() throws {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        let peer = Peer(ends[1])
        let stream = FarewellStream(ends[0], loop: loop)
        try stream.register()
        stream.close()
        stream.abort()
        #expect(peer.awaitBytes() == Array("bye".utf8))
        #expect(peer.sawEnd)
    }

    @Test("plain bytes may be spliced")
    func isPlain() throws {
        let pair = try Pair(on: loop)
        #expect(pair.stream.isPlain)
    }
}

/// Says goodbye while it is released.
private final class FarewellStream: ByteStream {
    override func release() { _ = write(Array("bye".utf8)) }
}
