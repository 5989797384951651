import CLinux
import Glibc

/// POSIX threads for the loops.
enum Thread {
    private final class Body {
        let name: String
        let run: @Sendable () -> Void
        init(_ name: String, _ run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    /// Starts a detached thread. Throws `SystemError` when the system has none left.
    static func start(name: String, _ run: @escaping @Sendable () -> Void) throws(SystemError) {
        var thread = pthread_t()
        let body = Unmanaged.passRetained(Body(name, run))
        let code = pthread_create(
            &thread, nil,
            { raw in
                guard let raw else { return nil }
                let body = Unmanaged<Body>.fromOpaque(raw).takeRetainedValue()
                linux_name_thread(String(body.name.prefix(15)))
                body.run()
                return nil
            }, body.toOpaque())
        guard code == 0 else {
            body.release()
            throw SystemError(call: "pthread_create", number: code)
        }
        pthread_detach(thread)
    }
}
