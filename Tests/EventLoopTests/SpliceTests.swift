import EventLoop
import Glibc
import Net
import Testing

@Suite("Splicing")
struct SpliceTests {
    private let loop: EventLoop
    private let pool = PipePool()

    init() throws {
        // A splice into a broken socket raises it; the proxy ignores it from its start.
        signal(SIGPIPE, SIG_IGN)
        loop = try EventLoop()
    }

    private func pair(_ kind: Pair.Kind = .tcp) throws -> Pair {
        let pair = try Pair(kind, on: loop)
        loop.turn(for: .zero)
        return pair
    }

    /// Moves until nothing moves; gives how it stopped.
    private func moveAll(_ splice: Splice, _ source: ByteStream, _ target: ByteStream, limit: Int = 1 << 20) -> Splice.Outcome {
        while true {
            let outcome = splice.move(from: source, to: target, limit: limit)
            guard case .moved = outcome else { return outcome }
        }
    }

    @Test("moves everything through a slow and small target, then tells the end", arguments: Pair.Kind.allCases)
    func movesEverything(kind: Pair.Kind) throws {
        let source = try pair(kind)
        let target = try pair(kind)
        let splice = Splice(pool: pool)
        let bytes = pattern(16 << 20)
        var sent = 0
        var received: [UInt8] = []
        var partial = 0
        var random = SeededRandom(seed: 5)
        let ended = loop.turn {
            if sent < bytes.count {
                sent += source.peer.send(Array(bytes[sent..<min(bytes.count, sent + 400_000)]))
                if sent == bytes.count { source.peer.finishWriting() }
            }
            let outcome = moveAll(splice, source.stream, target.stream, limit: Int.random(in: 1...300_000, using: &random))
            if splice.holdsBytes { partial += 1 }
            received += target.peer.receive(Int.random(in: 1...250_000, using: &random))
            return outcome == .end
        }
        #expect(ended)
        #expect(
            loop.turn {
                received += target.peer.receive()
                return received.count >= bytes.count
            })
        #expect(firstDifference(received, bytes) == nil)
        #expect(partial > 0)
        #expect(!splice.holdsBytes)
    }

    @Test("waits for the source without holding a pipe, and starts again when bytes come")
    func waitsForSource() throws {
        let source = try pair()
        let target = try pair()
        let splice = Splice(pool: pool)
        #expect(splice.move(from: source.stream, to: target.stream, limit: 100) == .wouldBlock)
        source.peer.send("abc")
        #expect(loop.turn { source.stream.isReadable })
        #expect(splice.move(from: source.stream, to: target.stream, limit: 100) == .moved(3))
        #expect(splice.move(from: source.stream, to: target.stream, limit: 100) == .wouldBlock)
        #expect(!source.stream.isReadable)
        #expect(!splice.holdsBytes)
        #expect(loop.turn { target.peer.receive() == Array("abc".utf8) })
    }

    @Test("takes no more than the limit from the source")
    func limit() throws {
        let source = try pair()
        let target = try pair()
        let splice = Splice(pool: pool)
        source.peer.send("0123456789")
        #expect(loop.turn { source.stream.isReadable })
        #expect(splice.move(from: source.stream, to: target.stream, limit: 4) == .moved(4))
        #expect(source.stream.read().bytes == Array("456789".utf8))
        #expect(loop.turn { target.peer.receive() == Array("0123".utf8) })
    }

    @Test("a target that is full says so when it takes more again")
    func targetFull() throws {
        let source = try pair(.local)
        let target = try pair(.local)
        let splice = Splice(pool: pool)
        let stuffing = fill(target.stream)
        source.peer.send("waiting")
        #expect(loop.turn { source.stream.isReadable })
        #expect(splice.move(from: source.stream, to: target.stream, limit: 100) == .wouldBlock)
        #expect(splice.holdsBytes)
        #expect(target.stream.waitsToWrite)
        var received: [UInt8] = []
        #expect(
            loop.turn {
                received += target.peer.receive()
                return !target.stream.waitsToWrite
            })
        #expect(splice.move(from: source.stream, to: target.stream, limit: 100) == .moved(7))
        #expect(
            loop.turn {
                received += target.peer.receive()
                return received.count == stuffing + 7
            })
        #expect(received.suffix(7) == Array("waiting".utf8))
    }

    @Test("a broken target is told apart from a broken source")
    func broken() throws {
        let source = try pair()
        let splice = Splice(pool: pool)
        let deaf = try pair(.local)
        deaf.peer.leave()
        source.peer.send("lost")
        #expect(loop.turn { source.stream.isReadable })
        #expect(splice.move(from: source.stream, to: deaf.stream, limit: 100) == .targetFailed(SystemError(call: "splice", number: EPIPE)))

        let target = try pair()
        let broken = try pair()
        broken.peer.reset()
        #expect(loop.turn { broken.stream.hasFailed })
        let outcome = Splice(pool: pool).move(from: broken.stream, to: target.stream, limit: 100)
        #expect(outcome == .sourceFailed(SystemError(call: "splice", number: ECONNRESET)))
    }

    @Test("bytes that are stuck in a pipe never reach another connection", arguments: [true, false])
    func noForeignBytes(broken: Bool) throws {
        do {
            let source = try pair(.local)
            let splice = Splice(pool: pool)
            source.peer.send("secret of another")
            #expect(loop.turn { source.stream.isReadable })
            if broken {
                let deaf = try pair(.local)
                deaf.peer.leave()
                _ = splice.move(from: source.stream, to: deaf.stream, limit: 100)
            } else {
                let target = try pair(.local)
                _ = fill(target.stream)
                #expect(splice.move(from: source.stream, to: target.stream, limit: 100) == .wouldBlock)
            }
            #expect(splice.holdsBytes)
        }
        for _ in 0..<3 {
            let source = try pair(.local)
            let target = try pair(.local)
            source.peer.send("mine")
            #expect(loop.turn { source.stream.isReadable })
            #expect(Splice(pool: pool).move(from: source.stream, to: target.stream, limit: 100) == .moved(4))
            #expect(target.peer.receive() == Array("mine".utf8))
        }
    }

    @Test("what cannot be spliced is left to reading and writing, with nothing lost")
    func unavailable() throws {
        let target = try pair(.local)
        let number = open("/dev/null", O_WRONLY | O_CLOEXEC)
        let odd = ByteStream(number, loop: loop)
        odd.isReadable = true
        let outcome = Splice(pool: pool).move(from: odd, to: target.stream, limit: 100)
        #expect(outcome == .unavailable || outcome == .sourceFailed(SystemError(call: "splice", number: EBADF)))
    }

    @Test("without descriptors for a pipe it says so, and the bytes are still in the source")
    func withoutPipes() async {
        await #expect(processExitsWith: .success) {
            let loop = try EventLoop()
            let source = try Pair(on: loop)
            let target = try Pair(on: loop)
            source.peer.send("still here")
            #expect(loop.turn { source.stream.isReadable })
            var limit = rlimit()
            try #require(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            let free = dup(0)
            close(free)
            limit.rlim_cur = rlim_t(free)
            try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            #expect(Splice(pool: PipePool()).move(from: source.stream, to: target.stream, limit: 100) == .unavailable)
            #expect(source.stream.read().bytes == Array("still here".utf8))
        }
    }

    @Test("pipes are used again and closed with their pool")
    func pipesAreFew() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_IGN)
            let loop = try EventLoop()
            let source = try Pair(on: loop)
            let target = try Pair(on: loop)
            let before = pipeEndCount()
            do {
                let pool = PipePool()
                for _ in 0..<300 {
                    let splice = Splice(pool: pool)
                    source.peer.send("x")
                    #expect(loop.turn { source.stream.isReadable })
                    #expect(splice.move(from: source.stream, to: target.stream, limit: 10) == .moved(1))
                    #expect(target.peer.receive() == Array("x".utf8))
                }
                #expect(pipeEndCount() == before + 2)
            }
            #expect(pipeEndCount() == before)
        }
    }

    /// Writes until the kernel takes no more and returns how much that was.
    private func fill(_ stream: ByteStream) -> Int {
        var count = 0
        for size in [100_000, 1] {
            while case .bytes(let taken) = stream.write(pattern(size)) { count += taken }
        }
        stream.waitsToWrite = false
        return count
    }
}

/// How many ends of pipes this process has open.
private func pipeEndCount() -> Int {
    (Int32(0)..<256).count { number in
        var status = stat()
        return fstat(number, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }
}
