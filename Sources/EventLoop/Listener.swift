import CLinux
import Glibc
package import Net

/// A listening socket on one loop. Out of descriptors, it stops accepting and tries again later; what is established goes on.
package final class Listener: Descriptor {
    private let loop: EventLoop
    private let accepted: (Int32, SocketAddress) -> Void
    private let refused: (SystemError) -> Void
    private let pause = Timer()
    private var closed = false
    /// How long accepting rests after the descriptors ran out.
    private static let rest = Duration.milliseconds(100)

    // Level-triggered: what one turn leaves in the queue is announced again, so a flood of connections cannot starve the established ones.
    override public var interest: UInt32 { linux_epoll_in }

    /// Starts accepting. `accepted` owns the descriptor that it is given; `refused` hears of every pause.
    package init(
        _ socket: Int32, loop: EventLoop, accepted: @escaping (Int32, SocketAddress) -> Void, refused: @escaping (SystemError) -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.accepted = accepted
        self.refused = refused
        super.init(socket)
        pause.action = { [unowned self] in resume() }
        try loop.add(self)
    }

    override public func ready(_ readiness: Readiness) {
        for _ in 0..<32 {
            guard !closed, accept() else { return }
        }
    }

    /// Stops accepting for good and closes the socket.
    package func close() {
        guard !closed else { return }
        closed = true
        loop.timers.cancel(pause)
        loop.remove(self)
        Glibc.close(number)
    }

    private func accept() -> Bool {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let flags = Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let socket = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { accept4(number, $0, &length, flags) }
        }
        guard socket >= 0 else { return acceptFailed(SystemError(call: "accept4", number: errno)) }
        guard let peer = SocketAddress(storage) else {
            Glibc.close(socket)
            return true
        }
        accepted(socket, peer)
        return true
    }

    private func acceptFailed(_ error: SystemError) -> Bool {
        if error.number == EAGAIN { return false }
        // A connection that died in the queue, or a passing network error (accept(2)): the next one may be fine.
        guard error.isOutOfDescriptors else { return true }
        loop.remove(self)
        loop.timers.schedule(pause, at: loop.now + Listener.rest)
        refused(error)
        return false
    }

    private func resume() {
        guard !closed else { return }
        do { try loop.add(self) } catch { loop.timers.schedule(pause, at: loop.now + Listener.rest) }
    }
}
