import Glibc
import HTTP1
import Net

/// Wall-clock time as text, made once a second at most.
final class DateText {
    private var second: Int = -1
    private var httpText = ""
    private var logText = ""

    /// IMF-fixdate, 29 bytes (RFC 9110 section 5.6.7).
    func http() -> String {
        update()
        return httpText
    }

    /// Appends RFC 3339 in UTC with milliseconds.
    func appendTimestamp(to line: ByteBuffer) {
        let milliseconds = update()
        line.append(logText)
        line.append(byte: UInt8(ascii: "."))
        line.append(byte: 0x30 + UInt8(milliseconds / 100))
        line.append(byte: 0x30 + UInt8(milliseconds / 10 % 10))
        line.append(byte: 0x30 + UInt8(milliseconds % 10))
        line.append(byte: UInt8(ascii: "Z"))
    }

    @discardableResult
    private func update() -> Int {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        if now.tv_sec != second {
            second = now.tv_sec
            var parts = tm()
            gmtime_r(&now.tv_sec, &parts)
            httpText = DateText.httpDate(parts)
            logText = DateText.logDate(parts)
        }
        return now.tv_nsec / 1_000_000
    }

    private static func httpDate(_ parts: tm) -> String {
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let day = "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(parts.tm_year + 1900)"
        return "\(day) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
    }

    private static func logDate(_ parts: tm) -> String {
        "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))T\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
    }

    private static func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension ByteBuffer {
    /// ` key=` and nothing else.
    func append(key: StaticString) {
        append(byte: UInt8(ascii: " "))
        append(key)
        append(byte: UInt8(ascii: "="))
    }

    /// A duration in milliseconds with one decimal.
    func append(milliseconds duration: Duration) {
        let tenths = UInt64(max(0, duration.nanosecondsClamped)) / 100_000
        append(decimal: tenths / 10)
        append(byte: UInt8(ascii: "."))
        append(decimal: tenths % 10)
    }

    /// Text between quotes. Quotes, backslashes and everything outside printable ASCII are escaped, so that one record stays one line and
    /// nothing reaches a terminal that could command it.
    func append(quoted text: String) {
        append(byte: UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                append(byte: UInt8(ascii: "\\"))
                append(byte: byte)
            case 0x20...0x7e: append(byte: byte)
            default:
                append("\\x")
                append(hex: UInt64(byte >> 4))
                append(hex: UInt64(byte & 15))
            }
        }
        append(byte: UInt8(ascii: "\""))
    }
}
