import EventLoop
import Glibc
import Net
import Testing

/// `openssl s_server` on loopback, with a certificate for `origin.test` that it shows to those who ask for that name, and one for
/// `stranger.test` for everybody else. One connection at a time: its bytes go through the server's standard input and output.
final class TLSServer {
    let port: UInt16
    private let directory: TemporaryDirectory
    private var child: Child?

    /// The bundle that trusts the certificate for `origin.test`.
    var trusted: String { path("origin.pem") }
    /// A bundle that trusts another one.
    var foreign: String { path("stranger.pem") }

    /// `options`: further options of `openssl s_server`.
    init(_ options: String...) throws {
        directory = try TemporaryDirectory()
        port = try TLSServer.freePort()
        for name in ["origin", "stranger"] {
            let request = [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-keyout", path("\(name).key"), "-out", path("\(name).pem"), "-subj", "/CN=\(name).test",
                "-addext", "subjectAltName=DNS:\(name).test,IP:127.0.0.1",
            ]
            try #require(try Child(request).wait() == 0)
        }
        let serve = [
            "openssl", "s_server", "-accept", "127.0.0.1:\(port)", "-cert", path("stranger.pem"), "-key", path("stranger.key"),
            "-servername", "origin.test", "-cert2", path("origin.pem"), "-key2", path("origin.key"), "-quiet",
        ]
        child = try Child(serve + options)
        try #require(waitUntilListening())
    }

    deinit { child?.stop() }

    /// Sends to the connected client.
    func write(_ bytes: [UInt8]) -> Int { child?.write(bytes) ?? 0 }

    /// What the connected client has sent.
    func read(_ limit: Int = 1 << 20) -> [UInt8] { child?.read(limit) ?? [] }

    private func path(_ name: String) -> String { "\(directory.path)/\(name)" }

    private static func freePort() throws -> UInt16 {
        let probe = try Socket.listen(SocketAddress(address: .loopback(), port: 0))
        defer { close(probe) }
        return try #require(Socket.localAddress(probe)).port
    }

    /// Looks at the kernel's table, because a connection to try would be served first.
    private func waitUntilListening() -> Bool {
        let deadline = MonotonicTime.read() + .seconds(20)
        let port = String(self.port, radix: 16, uppercase: true)
        let listening = ":\(String(repeating: "0", count: 4 - port.count))\(port) 00000000:0000 0A"
        while MonotonicTime.read() < deadline {
            if TLSServer.content("/proc/net/tcp").contains(listening) { return true }
            sched_yield()
        }
        return false
    }

    private static func content(_ path: String) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        var content: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = Glibc.read(file, &part, part.count)
            guard count > 0 else { return String(decoding: content, as: UTF8.self) }
            content += part[..<count]
        }
    }
}
