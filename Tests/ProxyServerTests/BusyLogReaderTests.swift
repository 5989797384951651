import Glibc
import HTTP1
import Testing

@testable import ProxyServer

@Suite("A log whose reader is slow")
struct BusyLogReaderTests {
    @Test("on a descriptor that does not block, lines are lost whole or not at all")
    func nonBlocking() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        let sink = LogSink(descriptor: ends[1])
        let line = String(repeating: "a", count: 99)
        // More than any pipe holds.
        for _ in 0..<20_000 { sink.line { $0.append(line) } }
        sink.flush()
        var received = read(ends[0])
        sink.line { $0.append("next") }
        sink.flush()
        received += read(ends[0])
        let lines = String(decoding: received, as: UTF8.self).split(separator: "\n")
        #expect(lines.count > 10)
        #expect(lines.filter { $0 != line && $0 != "next" }.isEmpty)
    }

    private func read(_ end: Int32) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        var received: [UInt8] = []
        while case let count = Glibc.read(end, &bytes, bytes.count), count > 0 { received += bytes[..<count] }
        return received
    }
}
