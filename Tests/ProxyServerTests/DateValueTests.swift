import Glibc
import HTTP1
import Testing

@testable import ProxyServer

@Suite("Dates tell the time of this host's clock")
struct DateValueTests {
    /// What the C library makes of a time, in UTC and in its own locale, which is that of HTTP.
    private func formatted(_ seconds: time_t, _ format: String) -> String {
        var seconds = seconds
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var bytes = [CChar](repeating: 0, count: 64)
        let count = strftime(&bytes, bytes.count, format, &parts)
        return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    @Test("in HTTP's form and in that of the log")
    func values() {
        let date = DateText()
        let line = ByteBuffer(capacity: 0)
        // The coarse clock of `time` may be a tick behind.
        let before = time(nil)
        let http = date.http()
        date.appendTimestamp(to: line)
        let seconds = before...time(nil) + 1
        let stamp = String(decoding: line.readable, as: UTF8.self)
        #expect(seconds.map { formatted($0, "%a, %d %b %Y %H:%M:%S GMT") }.contains(http))
        #expect(seconds.map { formatted($0, "%Y-%m-%dT%H:%M:%S") }.contains(String(stamp.dropLast(5))))
        #expect(stamp.utf8.count == 24)
    }
}
