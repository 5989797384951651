import CLinux
import Glibc

/// Moves bytes between two plain streams inside the kernel, through a pipe that is borrowed only while bytes are in flight.
package final class Splice {
    /// What a call of `move` came to.
    package enum Outcome: Equatable, Sendable {
        /// So many bytes left towards the target; more may be possible at once.
        case moved(Int)
        /// Nothing moves until one of the streams raises its signal.
        case wouldBlock
        /// The source has ended and everything it sent has left.
        case end
        case sourceFailed(SystemError)
        case targetFailed(SystemError)
        /// No pipe is to be had, or the kernel cannot splice these: use reads and writes. Nothing is lost.
        case unavailable
    }

    private let pool: PipePool
    private var pipe: PipePool.Pipe?
    private var held = 0

    package init(pool: PipePool) { self.pool = pool }

    deinit { giveBack() }

    /// Whether bytes have been taken from the source that have not reached the target.
    package var holdsBytes: Bool { held > 0 }

    /// Moves at most `limit` bytes once.
    package func move(from source: ByteStream, to target: ByteStream, limit: Int) -> Outcome {
        var ended = false
        if held == 0 {
            switch fill(source, limit) {
            case .moved: break
            case .end: ended = true
            case let other: return other
            }
        }
        return ended ? .end : drain(to: target)
    }

    private func fill(_ source: ByteStream, _ limit: Int) -> Outcome {
        guard source.isReadable else { return .wouldBlock }
        guard let pipe = pipe ?? pool.borrow() else { return .unavailable }
        self.pipe = pipe
        let wanted = min(limit, pipe.capacity)
        let count = linux_splice(source.number, pipe.write, wanted)
        if count > 0 {
            held = count
            return .moved(count)
        }
        defer { giveBack() }
        if count == 0 { return .end }
        switch errno {
        case EAGAIN, EINTR:
            source.isReadable = false
            return .wouldBlock
        case EINVAL: return .unavailable
        default: return .sourceFailed(SystemError(call: "splice", number: errno))
        }
    }

    private func drain(to target: ByteStream) -> Outcome {
        guard let pipe, held > 0 else { return .wouldBlock }
        let count = linux_splice(pipe.read, target.number, held)
        guard count > 0 else {
            if count == 0 || errno == EAGAIN || errno == EINTR {
                target.waitsToWrite = true
                return .wouldBlock
            }
            return .targetFailed(SystemError(call: "splice", number: errno))
        }
        held -= count
        if held == 0 { giveBack() }
        return .moved(count)
    }

    private func giveBack() {
        guard let pipe else { return }
        self.pipe = nil
        // A pipe that still holds a broken connection's bytes must not reach another.
        if held > 0 { pool.discard(pipe) } else { pool.giveBack(pipe) }
        held = 0
    }
}

/// A loop's pipes for splicing. They are few: a tunnel holds one only while bytes are inside.
package final class PipePool {
    struct Pipe {
        let read: Int32
        let write: Int32
        let capacity: Int
    }

    private var idle: [Pipe] = []
    private static let wanted = 1 << 20
    private static let kept = 16

    package init() {}

    deinit { for pipe in idle { discard(pipe) } }

    func borrow() -> Pipe? {
        if let pipe = idle.popLast() { return pipe }
        var ends: [Int32] = [0, 0]
        guard pipe2(&ends, O_CLOEXEC | O_NONBLOCK) == 0 else { return nil }
        // Unprivileged users have a budget of pipe pages (pipe(7)); beyond it the pipe keeps the size it has.
        let size = linux_set_pipe_size(ends[1], Int32(PipePool.wanted))
        return Pipe(read: ends[0], write: ends[1], capacity: size > 0 ? Int(size) : 1 << 16)
    }

    func giveBack(_ pipe: Pipe) {
        guard idle.count < PipePool.kept else { return discard(pipe) }
        idle.append(pipe)
    }

    func discard(_ pipe: Pipe) {
        close(pipe.read)
        close(pipe.write)
    }
}
