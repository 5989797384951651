import Glibc

/// A system call that failed, with the kernel's reason.
public struct SystemError: Error, Equatable, Sendable {
    /// The call's name.
    package let call: String
    /// The error number (errno).
    package let number: Int32

    /// Names a failure.
    package init(call: String, number: Int32) {
        self.call = call
        self.number = number
    }

    /// The kernel's words, such as "Address already in use".
    package var reason: String { String(cString: strerror(number)) }

    /// Whether the process or the machine has no descriptor left.
    package var isOutOfDescriptors: Bool { number == EMFILE || number == ENFILE || number == ENOBUFS || number == ENOMEM }

    /// Passes a call's result on, or throws what errno says when it is -1.
    static func check(_ call: String, _ result: Int32) throws(SystemError) -> Int32 {
        guard result >= 0 else { throw SystemError(call: call, number: errno) }
        return result
    }
}
