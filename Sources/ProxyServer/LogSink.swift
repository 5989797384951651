import Glibc
import HTTP1

/// An open descriptor that whole lines are written to. A worker gathers the lines of a turn and writes them in one call.
final class LogSink {
    private let descriptor: Int32
    private let pending = ByteBuffer(capacity: 0)
    /// Lines are written at the end of a turn, or as soon as this much has gathered.
    private static let portion = 32 * 1024
    private static let lineEnd: UInt8 = 10
    /// Whether the last byte written was not a line's end.
    private var isInsideLine = false

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Adds one line; `fill` writes its text without the line end.
    func line(_ fill: (ByteBuffer) -> Void) {
        fill(pending)
        pending.append(byte: LogSink.lineEnd)
        if pending.count >= LogSink.portion { flush() }
    }

    /// Writes what has gathered. A reader that does not keep up or has gone away costs whole lines, never the proxy.
    func flush() {
        while !pending.isEmpty {
            let bytes = pending.readable
            let count = write(descriptor, bytes.baseAddress, bytes.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return dropLines() }
            isInsideLine = bytes[count - 1] != LogSink.lineEnd
            pending.consume(count)
        }
    }

    /// Forgets the lines that nobody takes, except the rest of one that was written in part: the next must not be glued to it.
    private func dropLines() {
        guard isInsideLine, let end = pending.readable.firstIndex(of: LogSink.lineEnd) else { return pending.clear() }
        let rest = ByteBuffer(capacity: end + 1)
        rest.append(ByteBuffer.Bytes(rebasing: pending.readable[...end]))
        pending.clear()
        pending.append(rest.readable)
    }

    /// Opens the target of access lines for appending; nil when they are off.
    static func open(_ target: AccessLogTarget) throws(StartupError) -> Int32? {
        switch target {
        case .off: return nil
        case .standardOutput: return STDOUT_FILENO
        case .file(let path):
            let descriptor = Glibc.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o640)
            guard descriptor >= 0 else {
                throw StartupError("--access-log: \"\(path)\" cannot be opened for writing: \(String(cString: strerror(errno)))")
            }
            return descriptor
        }
    }
}

/// Diagnostics on standard error: one line for each event, written at once.
struct DiagnosticLog: Sendable {
    let level: LogLevel

    /// Writes `time=... level=... event="..."` and the given fields, if the level is on.
    func write(_ level: LogLevel, _ event: String, _ fields: [(StaticString, String)] = []) {
        guard level <= self.level else { return }
        let sink = LogSink(descriptor: STDERR_FILENO)
        sink.line { line in
            line.append("time=")
            DateText().appendTimestamp(to: line)
            line.append(key: "level")
            line.append(level.rawValue)
            line.append(key: "event")
            line.append(quoted: event)
            for (key, value) in fields {
                line.append(key: key)
                line.append(quoted: value)
            }
        }
        sink.flush()
    }
}
