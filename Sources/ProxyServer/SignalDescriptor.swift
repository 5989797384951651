import CLinux
import EventLoop
import Glibc

/// Signals as readiness of a descriptor: nothing runs inside a signal handler.
final class SignalDescriptor: Descriptor {
    typealias Set = sigset_t

    private let received: () -> Void

    /// Keeps SIGTERM and SIGINT from ending the process, and SIGPIPE from ending it when a reader goes away. Call it before any thread
    /// starts: threads inherit it.
    static func block() -> Set {
        signal(SIGPIPE, SIG_IGN)
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGTERM)
        sigaddset(&set, SIGINT)
        pthread_sigmask(SIG_BLOCK, &set, nil)
        return set
    }

    /// `received` is called on the loop for each signal of `set`.
    init(_ set: Set, received: @escaping () -> Void) throws(SystemError) {
        self.received = received
        var set = set
        let number = signalfd(-1, &set, Int32(SFD_NONBLOCK) | Int32(SFD_CLOEXEC))
        guard number >= 0 else { throw SystemError(call: "signalfd", number: errno) }
        super.init(number)
    }

    override func ready(_ readiness: Readiness) {
        var information = signalfd_siginfo()
        while read(number, &information, MemoryLayout<signalfd_siginfo>.size) > 0 { received() }
    }
}
