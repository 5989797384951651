import EventLoop
import HTTP1
import HTTPDNS
import Net

/// What is remembered of one request until its line is written.
struct AccessRecord {
    /// How the address was found.
    enum DNS: String { case cache, httpdns, local, literal, hosts, parent }

    var method = ""
    var authority = ""
    var status = 0
    /// Bytes towards the client and from it, heads included.
    var sent: UInt64 = 0
    var received: UInt64 = 0
    var started = MonotonicTime(nanoseconds: 0)
    var dns: DNS?
    var isExpired = false
    var address: IPAddress?
    var dnsTime = Duration.zero
    var connectTime = Duration.zero
    var isReused = false
    /// Whether a connection to the origin was had at all.
    var isConnected = false
    /// Addresses that were tried in vain before.
    var failedAddresses = 0
    var errorLabel: String?
    var reason: String?

    init() {}
}

/// Writes one line for each request and each tunnel.
final class AccessLog {
    private let sink: LogSink
    private let date: DateText

    init(sink: LogSink, date: DateText) {
        self.sink = sink
        self.date = date
    }

    func write(_ record: AccessRecord, client: SocketAddress, now: MonotonicTime) {
        sink.line { line in
            line.append("time=")
            date.appendTimestamp(to: line)
            line.append(key: "client")
            line.append(client.description)
            AccessLog.appendExchange(record, now, to: line)
            AccessLog.appendUpstream(record, to: line)
            guard let label = record.errorLabel else { return }
            line.append(key: "error")
            line.append(label)
            line.append(key: "reason")
            line.append(quoted: record.reason ?? "")
        }
    }

    func flush() { sink.flush() }

    private static func appendExchange(_ record: AccessRecord, _ now: MonotonicTime, to line: ByteBuffer) {
        line.append(key: "method")
        line.append(record.method.isEmpty ? "-" : record.method)
        line.append(key: "authority")
        line.append(record.authority.isEmpty ? "-" : record.authority)
        line.append(key: "status")
        line.append(decimal: UInt64(record.status))
        line.append(key: "sent")
        line.append(decimal: record.sent)
        line.append(key: "received")
        line.append(decimal: record.received)
        line.append(key: "duration_ms")
        line.append(milliseconds: now - record.started)
    }

    private static func appendUpstream(_ record: AccessRecord, to line: ByteBuffer) {
        line.append(key: "dns")
        line.append(record.dns?.rawValue ?? "-")
        if record.isExpired { line.append("(expired)") }
        line.append(key: "addr")
        line.append(record.address?.description ?? "-")
        line.append(key: "dns_ms")
        line.append(milliseconds: record.dnsTime)
        line.append(key: "connect_ms")
        line.append(milliseconds: record.connectTime)
        line.append(key: "upstream")
        line.append(record.isConnected ? (record.isReused ? "reused" : "new") : "-")
        guard record.failedAddresses > 0 else { return }
        line.append(key: "failed_addresses")
        line.append(decimal: UInt64(record.failedAddresses))
    }
}
