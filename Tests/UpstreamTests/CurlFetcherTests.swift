import EventLoop
import Net
import Testing
import Upstream

/// A loop with a fetcher and what its fetches came to.
private final class FetchScene {
    typealias Result = Swift.Result<FetchResponse, FetchFailure>

    let fetcher: CurlFetcher
    let loop: EventLoop

    init(certificateBundle: String? = nil) throws {
        loop = try EventLoop()
        fetcher = CurlFetcher(loop: loop, certificateBundle: certificateBundle)
    }

    func request(
        _ server: SocketAddress, path: String = "/resolve?name=a.test", scheme: String = "http", host: String = "dns.test",
        headers: [String] = [], timeout: Duration = .seconds(10), bodyLimit: Int = 65_536
    ) -> FetchRequest {
        let literal = IPAddress(host)
        return FetchRequest(
            url: "\(scheme)://\(literal?.uriHost ?? host):\(server.port)\(path)", host: literal.map(Host.address) ?? .name(host),
            port: server.port, address: server.address, headers: headers, timeout: timeout, bodyLimit: bodyLimit)
    }

    func fetch(_ request: FetchRequest) -> Result? {
        var outcome: Result?
        let fetch = fetcher.fetch(request) { outcome = $0 }
        _ = loop.turn { outcome != nil }
        withExtendedLifetime(fetch) {}
        return outcome
    }
}

/// A server that answers each request by its path.
private func server(_ scene: FetchScene, _ address: String = "127.0.0.1:0", _ answer: @escaping (String) -> String?) throws -> Origin {
    try Origin(
        address, on: scene.loop,
        received: { connection in
            while let request = connection.takeRequest() {
                guard let text = answer(request) else { return }
                connection.send(text)
            }
        })
}

private func response(_ body: String, status: String = "200 OK", fields: String = "") -> String {
    "HTTP/1.1 \(status)\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
}

@Suite("Fetching whole documents")
struct CurlFetcherTests {
    private let scene: FetchScene

    init() throws { scene = try FetchScene() }

    @Test("a GET goes to the given address with the name in the Host field and the given fields")
    func get() throws {
        var seen = ""
        let server = try server(scene) {
            seen = $0
            return response("{\"Status\":0}", fields: "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n")
        }
        let result = try #require(scene.fetch(scene.request(server.address, headers: ["X-Signature: abc"]))).get()
        #expect(result.status == 200)
        #expect(result.body == Array("{\"Status\":0}".utf8))
        #expect(result.date == 784_111_777)
        #expect(result.elapsed > .zero && result.elapsed < .seconds(10))
        #expect(seen.hasPrefix("GET /resolve?name=a.test HTTP/1.1\r\n"))
        #expect(seen.contains("\r\nHost: dns.test:\(server.address.port)\r\n"))
        #expect(seen.contains("\r\nX-Signature: abc\r\n"))
    }

    @Test("literals of both families are fetched from", arguments: ["127.0.0.1", "::1"])
    func literals(text: String) throws {
        let address = try #require(IPAddress(text))
        let server = try server(scene, "\(address.uriHost):0") { _ in response("ok") }
        #expect(try scene.fetch(scene.request(server.address, host: text))?.get().body == Array("ok".utf8))
    }

    @Test("every status is a response", arguments: ["204 No Content", "404 Not Found", "500 Oops", "503 Busy"])
    func statuses(status: String) throws {
        let server = try server(scene) { _ in status.hasPrefix("204") ? "HTTP/1.1 \(status)\r\n\r\n" : response("sorry", status: status) }
        let result = try #require(scene.fetch(scene.request(server.address))).get()
        #expect("\(result.status)" == status.prefix(3))
        #expect(result.date == nil)
    }

    @Test("a date that cannot be read is none", arguments: ["yesterday", ""])
    func unreadableDate(text: String) throws {
        let server = try server(scene) { _ in response("ok", fields: "Date: \(text)\r\n") }
        #expect(try scene.fetch(scene.request(server.address))?.get().date == nil)
    }

    @Test("a redirection is not followed")
    func redirection() throws {
        let server = try server(scene) { _ in response("", status: "302 Found", fields: "Location: http://127.0.0.9/\r\n") }
        #expect(try scene.fetch(scene.request(server.address))?.get().status == 302)
    }

    @Test("a body up to the limit is taken, one byte more is not", arguments: [1_000, 1_001])
    func bodyLimit(size: Int) throws {
        let server = try server(scene) { _ in response(String(repeating: "x", count: size)) }
        let result = scene.fetch(scene.request(server.address, bodyLimit: 1_000))
        switch result {
        case .success(let response): #expect(size == 1_000 && response.body.count == 1_000)
        case .failure(let failure): #expect(size == 1_001 && failure == .tooLarge)
        case nil: Issue.record("no result")
        }
    }

    @Test("a body without announced length is limited too")
    func endlessBody() throws {
        let server = try server(scene) { _ in "HTTP/1.1 200 OK\r\n\r\n\(String(repeating: "y", count: 5_000))" }
        guard case .failure(.tooLarge) = scene.fetch(scene.request(server.address, bodyLimit: 4_000)) else {
            Issue.record("taken")
            return
        }
    }

    @Test("silence ends at the limit")
    func timeout() throws {
        let server = try server(scene) { _ in nil }
        let start = MonotonicTime.read()
        guard case .failure(.timedOut) = scene.fetch(scene.request(server.address, timeout: .milliseconds(150))) else {
            Issue.record("no time-out")
            return
        }
        #expect(MonotonicTime.read() - start >= .milliseconds(140))
        #expect(MonotonicTime.read() - start < .seconds(5))
    }

    @Test("an answer that stops in the middle ends at the limit too")
    func halfAnswer() throws {
        let server = try server(scene) { _ in "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf" }
        guard case .failure(.timedOut) = scene.fetch(scene.request(server.address, timeout: .milliseconds(150))) else {
            Issue.record("no time-out")
            return
        }
    }

    @Test("nobody there is a failure to connect")
    func refused() throws {
        let server = try server(scene) { _ in nil }
        var elsewhere = server.address
        elsewhere.address = .loopback(60)
        guard case .failure(.connectFailed) = scene.fetch(scene.request(elsewhere)) else {
            Issue.record("connected")
            return
        }
    }

    @Test("a cut answer is a failure, not half a document")
    func truncated() throws {
        let server = try Origin(
            on: scene.loop,
            received: {
                $0.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
                $0.close()
            })
        guard case .failure(.other) = scene.fetch(scene.request(server.address)) else {
            Issue.record("taken for whole")
            return
        }
    }

    @Test("given up, a fetch never completes and its connection closes")
    func cancelled() throws {
        let server = try server(scene) { _ in nil }
        var completed = false
        let fetch = scene.fetcher.fetch(scene.request(server.address, timeout: .milliseconds(200))) { _ in completed = true }
        #expect(scene.loop.turn { server.connections.count == 1 })
        scene.loop.turn(for: .milliseconds(10))
        fetch?.cancel()
        fetch?.cancel()
        #expect(scene.loop.turn { server.connections.allSatisfy(\.sawEnd) })
        scene.loop.turn(for: .milliseconds(250))
        #expect(!completed)
    }

    @Test("giving up after the end changes nothing, for this fetch and for the next one with its handle")
    func cancelledLate() throws {
        let server = try server(scene) { _ in response("ok") }
        var count = 0
        let first = scene.fetcher.fetch(scene.request(server.address)) { _ in count += 1 }
        #expect(scene.loop.turn { count == 1 })
        let second = scene.fetcher.fetch(scene.request(server.address)) { _ in count += 1 }
        first?.cancel()
        #expect(scene.loop.turn { count == 2 })
        withExtendedLifetime(second) {}
    }

    @Test("many at the same time all get their own answer")
    func concurrent() throws {
        let server = try server(scene) { request in
            response(String(request.dropFirst("GET /".count).prefix { $0 != " " }))
        }
        var bodies: [Int: String] = [:]
        for index in 0..<40 {
            _ = scene.fetcher.fetch(scene.request(server.address, path: "/n\(index)")) { result in
                if case .success(let response) = result { bodies[index] = String(decoding: response.body, as: UTF8.self) }
            }
        }
        #expect(scene.loop.turn { bodies.count == 40 })
        for index in 0..<40 { #expect(bodies[index] == "n\(index)") }
    }
}

@Suite("Connections that are kept between fetches")
struct KeptFetchConnectionTests {
    private let scene: FetchScene

    init() throws { scene = try FetchScene() }

    @Test("one fetch after the other uses one connection")
    func reused() throws {
        let server = try server(scene) { _ in response("ok") }
        for _ in 0..<5 { #expect(try scene.fetch(scene.request(server.address))?.get().status == 200) }
        #expect(server.connections.count == 1)
    }

    @Test("the same name at another address has a connection of its own")
    func perAddress() throws {
        let first = try server(scene) { _ in response("first") }
        let second = try server(scene, "127.0.0.2:\(first.address.port)") { _ in response("second") }
        for _ in 0..<3 {
            #expect(try scene.fetch(scene.request(first.address))?.get().body == Array("first".utf8))
            #expect(try scene.fetch(scene.request(second.address))?.get().body == Array("second".utf8))
        }
        #expect(first.connections.count == 1)
        #expect(second.connections.count == 1)
    }

    @Test("a kept connection that the server has closed costs a new one, not a failure")
    func closedMeanwhile() throws {
        let server = try server(scene) { _ in response("ok") }
        #expect(try scene.fetch(scene.request(server.address))?.get().status == 200)
        server.connections.first?.close()
        scene.loop.turn(for: .milliseconds(10))
        #expect(try scene.fetch(scene.request(server.address))?.get().status == 200)
        #expect(server.connections.count == 2)
    }

    @Test("after a time-out no kept connection is trusted: the next fetch makes a fresh one")
    func freshAfterTimeout() throws {
        var isMute = false
        let server = try server(scene) { request in isMute && request.contains("/slow") ? nil : response("ok") }
        // Two fetches at once leave two kept connections.
        var done = 0
        for _ in 0..<2 { _ = scene.fetcher.fetch(scene.request(server.address)) { _ in done += 1 } }
        #expect(scene.loop.turn { done == 2 })
        let before = server.connections.count
        isMute = true
        guard case .failure(.timedOut) = scene.fetch(scene.request(server.address, path: "/slow", timeout: .milliseconds(120))) else {
            Issue.record("no time-out")
            return
        }
        #expect(try scene.fetch(scene.request(server.address, path: "/fast"))?.get().status == 200)
        #expect(server.connections.count == before + 1)
    }
}

@Suite("Fetching over TLS")
struct EncryptedFetchTests {
    @Test("the server is checked against the domain and the given bundle")
    func checked() throws {
        let server = try TLSServer("-www")
        let address = SocketAddress(address: .loopback(), port: server.port)
        let trusting = try FetchScene(certificateBundle: server.trusted)
        let good = trusting.fetch(trusting.request(address, path: "/", scheme: "https", host: "origin.test"))
        #expect(try good?.get().status == 200)
        for (bundle, host) in [(server.foreign, "origin.test"), (server.foreign, "elsewhere.test"), (nil, "origin.test")] {
            let scene = try FetchScene(certificateBundle: bundle)
            guard case .failure(.tls) = scene.fetch(scene.request(address, path: "/", scheme: "https", host: host)) else {
                Issue.record("\(host) was accepted")
                continue
            }
        }
    }
}
