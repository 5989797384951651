import Glibc
import Synchronization

/// A value that one thread makes and another waits for, once: how a loop's thread tells whoever started it that it is ready.
package final class OnceValue<Value: Sendable>: Sendable {
    private let content = Mutex<Value?>(nil)
    private let pipe: (read: Int32, write: Int32)

    /// Throws `SystemError` when the kernel has no descriptor left.
    package init() throws(SystemError) {
        var ends: [Int32] = [0, 0]
        _ = try SystemError.check("pipe", Glibc.pipe(&ends))
        pipe = (ends[0], ends[1])
    }

    deinit {
        close(pipe.read)
        close(pipe.write)
    }

    /// Sets the value.
    package func finish(_ value: Value) {
        content.withLock { $0 = value }
        var byte: UInt8 = 1
        _ = write(pipe.write, &byte, 1)
    }

    /// Blocks the calling thread until the value is there.
    package func wait() -> Value {
        while true {
            var byte: UInt8 = 0
            _ = read(pipe.read, &byte, 1)
            if let value = content.withLock({ $0 }) { return value }
        }
    }
}
