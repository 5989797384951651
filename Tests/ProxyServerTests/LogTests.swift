import HTTP1
import Net
import Testing

@testable import ProxyServer

@Suite("Log lines")
struct LogTests {
    private func text(_ fill: (ByteBuffer) -> Void) -> String {
        let buffer = ByteBuffer(capacity: 0)
        fill(buffer)
        return String(decoding: buffer.readable, as: UTF8.self)
    }

    @Test(
        "one record stays one line and commands no terminal",
        arguments: [
            ("plain", "\"plain\""), ("say \"hi\" \\", "\"say \\\"hi\\\" \\\\\""), ("a\nb\tc", "\"a\\x0ab\\x09c\""),
            ("\u{1b}[2J", "\"\\x1b[2J\""), ("caf\u{e9}", "\"caf\\xc3\\xa9\""), ("\u{7f}\u{85}", "\"\\x7f\\xc2\\x85\""), ("", "\"\""),
        ])
    func quoting(raw: String, quoted: String) {
        #expect(text { $0.append(quoted: raw) } == quoted)
    }

    @Test(
        "milliseconds with one decimal",
        arguments: [
            (Duration.zero, "0.0"), (.microseconds(50), "0.0"), (.microseconds(150), "0.1"), (.milliseconds(12), "12.0"),
            (.seconds(3), "3000.0"), (.milliseconds(-5), "0.0"),
        ])
    func milliseconds(duration: Duration, written: String) {
        #expect(text { $0.append(milliseconds: duration) } == written)
    }

    @Test("dates have the forms that HTTP and RFC 3339 ask for")
    func dates() throws {
        let date = DateText()
        let http = date.http()
        #expect(http.utf8.count == 29)
        #expect(http.hasSuffix(" GMT"))
        #expect(try /(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT/.wholeMatch(in: http) != nil)
        let stamp = text { date.appendTimestamp(to: $0) }
        #expect(try /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/.wholeMatch(in: stamp) != nil)
    }
}
