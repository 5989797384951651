import Glibc

/// How settings reach files; tests put their own files behind it.
struct FileAccess: Sendable {
    /// Reads a whole file of at most `limit` bytes; the problem is a reason such as "No such file or directory".
    let read: @Sendable (_ path: String, _ limit: Int) throws(ValueProblem) -> [UInt8]

    static let system = FileAccess(read: readWhole)

    private static func readWhole(_ path: String, limit: Int) throws(ValueProblem) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable() }
        defer { close(descriptor) }
        var content: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 * 1024)
        let chunkSize = chunk.count
        while true {
            let count = Glibc.read(descriptor, &chunk, chunkSize)
            if count == 0 { return content }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw unreadable()
            }
            content += chunk[..<count]
            guard content.count <= limit else { throw ValueProblem("is larger than \(ByteCountText.describe(limit))") }
        }
    }

    private static func unreadable() -> ValueProblem {
        ValueProblem("cannot be read (\(String(cString: strerror(errno))))")
    }
}
