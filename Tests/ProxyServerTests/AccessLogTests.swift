import EventLoop
import Glibc
import HTTP1
import HTTPDNS
import Net
import Testing

@testable import ProxyServer

/// A pipe whose reading end shows what was logged.
private final class LogPipe {
    let write: Int32
    private let read: Int32
    private var isOpen = true

    init() throws {
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        (read, write) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(read, F_SETFL, O_NONBLOCK)
    }

    deinit {
        stopReading()
        close(write)
    }

    func stopReading() {
        if isOpen { close(read) }
        isOpen = false
    }

    var text: String {
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = Glibc.read(read, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}

@Suite("Access lines")
struct AccessLogTests {
    private let pipe: LogPipe
    private let log: AccessLog
    private let client = SocketAddress(address: IPAddress(ipv4: 0x7f00_0001), port: 40_000)

    init() throws {
        pipe = try LogPipe()
        log = AccessLog(sink: LogSink(descriptor: pipe.write), date: DateText())
    }

    /// The line of `record` without its time.
    private func line(_ record: AccessRecord, client: SocketAddress? = nil) throws -> String {
        log.write(record, client: client ?? self.client, now: MonotonicTime(nanoseconds: 12_345_678))
        log.flush()
        let text = pipe.text
        #expect(text.hasSuffix("\n"))
        let match = try #require(try /time=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (.*)\n/.wholeMatch(in: text))
        return String(match.1)
    }

    @Test("tell all that is known of a request that was served")
    func served() throws {
        var record = AccessRecord()
        record.method = "GET"
        record.authority = "www.example:8080"
        record.status = 200
        record.sent = 1_234
        record.received = 56
        record.dns = .httpdns
        record.address = IPAddress(ipv4: 0xc000_0201)
        record.dnsTime = .microseconds(2_340)
        record.connectTime = .milliseconds(17)
        record.isConnected = true
        #expect(
            try line(record)
                == "client=127.0.0.1:40000 method=GET authority=www.example:8080 status=200 sent=1234 received=56 duration_ms=12.3 "
                + "dns=httpdns addr=192.0.2.1 dns_ms=2.3 connect_ms=17.0 upstream=new")
    }

    @Test("have a dash for what there was not")
    func empty() throws {
        let client = SocketAddress(address: IPAddress(ipv6High: 0, low: 1), port: 5)
        #expect(
            try line(AccessRecord(), client: client)
                == "client=[::1]:5 method=- authority=- status=0 sent=0 received=0 duration_ms=12.3 dns=- addr=- dns_ms=0.0 "
                + "connect_ms=0.0 upstream=-")
    }

    @Test("mark expired answers, kept connections and addresses tried in vain")
    func marks() throws {
        var record = AccessRecord()
        record.dns = .cache
        record.isExpired = true
        record.isConnected = true
        record.isReused = true
        record.failedAddresses = 2
        let text = try line(record)
        #expect(text.contains(" dns=cache(expired) "))
        #expect(text.hasSuffix(" upstream=reused failed_addresses=2"))
    }

    @Test("end with the failure's label and its reason, whatever bytes that holds")
    func failure() throws {
        var record = AccessRecord()
        record.status = 502
        record.errorLabel = "tls_certificate"
        record.reason = "no \"match\"\r\ntime=forged \u{1b}[31m"
        #expect(
            try line(record).hasSuffix(" error=tls_certificate reason=\"no \\\"match\\\"\\x0d\\x0atime=forged \\x1b[31m\""))
    }

    @Test("name the source of the address", arguments: [AccessRecord.DNS.cache, .httpdns, .local, .literal, .hosts, .parent])
    func sources(dns: AccessRecord.DNS) throws {
        var record = AccessRecord()
        record.dns = dns
        #expect(try line(record).contains(" dns=\(dns.rawValue) "))
    }

    @Test("wait until they are flushed, and stay in their order")
    func gathered() throws {
        for status in 1...5 {
            var record = AccessRecord()
            record.status = status
            log.write(record, client: client, now: MonotonicTime(nanoseconds: 0))
        }
        #expect(pipe.text.isEmpty)
        log.flush()
        let lines = pipe.text.split(separator: "\n")
        #expect(lines.count == 5)
        for (index, line) in lines.enumerated() { #expect(line.contains(" status=\(index + 1) ")) }
    }

    @Test("are written without waiting when many have gathered")
    func portions() {
        for _ in 0..<200 { log.write(AccessRecord(), client: client, now: MonotonicTime(nanoseconds: 0)) }
        #expect(pipe.text.split(separator: "\n").count > 100)
    }

    @Test("are dropped when nobody reads them any more; the proxy goes on")
    func readerGone() {
        pipe.stopReading()
        for _ in 0..<1_000 { log.write(AccessRecord(), client: client, now: MonotonicTime(nanoseconds: 0)) }
        log.flush()
        log.flush()
    }
}

@Suite("Where access lines go")
struct LogTargetTests {
    @Test("a file is appended to")
    func file() throws {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? P_tmpdir
        var template = Array("\(base)/httpdns-proxy-log-XXXXXX".utf8CString)
        let existing = mkstemp(&template)
        try #require(existing >= 0)
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer {
            unlink(path)
            close(existing)
        }
        _ = write(existing, "before\n", 7)
        let descriptor = try #require(try LogSink.open(.file(path)))
        let sink = LogSink(descriptor: descriptor)
        sink.line { $0.append("after") }
        sink.flush()
        close(descriptor)
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = pread(existing, &bytes, 100, 0)
        #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "before\nafter\n")
    }

    @Test("a path that cannot be written to refuses the start and says why")
    func unwritable() {
        let error = #expect(throws: StartupError.self) { try LogSink.open(.file("/nowhere/access.log")) }
        #expect(error?.sentence.contains("/nowhere/access.log") == true)
        #expect(error?.sentence.contains("No such file or directory") == true)
    }

    @Test("off is nowhere")
    func off() throws {
        #expect(try LogSink.open(.off) == nil)
    }
}
