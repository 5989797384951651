import HTTP1
import Testing

/// What a server made of one request of a stream.
struct Served: Equatable {
    var upstream: String
    var body: String
    var trailers = ""
}

/// Takes requests off a connection the way a server does: a head, its body, the next head, as long as the client may go on.
///
/// The bytes come through a `ByteBuffer` in pieces of the given size, so heads, bodies and the next request share memory.
struct StreamServer {
    private let parser = HeadParser(.request)
    private let buffer = ByteBuffer(capacity: 16)
    private var current: Served?
    private var framing = BodyFraming.none
    private var decoder = ChunkedDecoder()
    private var goesOn = true
    private(set) var served: [Served] = []
    private(set) var fault: String?

    /// True when a request has begun whose end has not come.
    var isInsideABody: Bool { current != nil }

    mutating func receive(_ bytes: [UInt8], pieces: Int) {
        var rest = bytes[...]
        while !rest.isEmpty, fault == nil {
            let piece = rest.prefix(pieces)
            rest = rest.dropFirst(pieces)
            buffer.reserve(piece.count)
            buffer.writable.copyBytes(from: piece)
            buffer.commit(piece.count)
            while fault == nil, goesOn, advance() {}
        }
    }

    /// Does one step; false when more bytes are needed.
    private mutating func advance() -> Bool {
        switch (current, framing) {
        case (nil, _): return takeHead()
        case (_, .none), (_, .untilClose), (_, .length(0)):
            finish()
            return true
        case (_, .length(let length)):
            let count = Int(min(length, UInt64(buffer.count)))
            current?.body += latin1(Array(buffer.readable[..<count]))
            buffer.consume(count)
            framing = .length(length - UInt64(count))
            return count > 0
        case (_, .chunked): return takeChunks()
        }
    }

    private mutating func takeHead() -> Bool {
        let bytes = buffer.readable
        do throws(HeadError) {
            guard let length = try parser.parse(bytes) else { return false }
            let head = try RequestHead(parser, bytes)
            let written = ByteBuffer(capacity: 0)
            Forwarding.appendRequest(head, fields: parser, bytes: bytes, absoluteForm: false, pseudonym: "p", to: written)
            current = Served(upstream: latin1(Array(written.readable)), body: "")
            framing = head.framing
            decoder = ChunkedDecoder()
            goesOn = head.keepAlive || head.framing != .none
            buffer.consume(length)
            if !head.keepAlive, head.framing == .none { finish() }
            return true
        } catch {
            fault = "\(error.status): \(error.sentence)"
            return false
        }
    }

    private mutating func takeChunks() -> Bool {
        var offset = 0
        defer { buffer.consume(offset) }
        do throws(ChunkError) {
            switch try decoder.next(buffer.readable, &offset) {
            case .needMore: return false
            case .data(let range): current?.body += latin1(Array(buffer.readable[range]))
            case .end(let trailers):
                let written = ByteBuffer(capacity: 0)
                Forwarding.appendTrailers(UnsafeRawBufferPointer(rebasing: buffer.readable[trailers]), to: written)
                current?.trailers = latin1(Array(written.readable))
                finish()
            }
            return true
        } catch {
            fault = error.sentence
            return false
        }
    }

    private mutating func finish() {
        if let current { served.append(current) }
        current = nil
        parser.reset()
    }
}

/// Whole connections: pipelined requests, bodies between them, and attempts to hide one request inside another.
struct StreamTests {
    private func serve(_ text: String) -> StreamServer {
        var first = StreamServer()
        first.receive(wire(text), pieces: 1 << 20)
        for pieces in [1, 2, 3, 7, 64] {
            var other = StreamServer()
            other.receive(wire(text), pieces: pieces)
            #expect(other.served == first.served, "in pieces of \(pieces)")
            #expect(other.fault == first.fault, "in pieces of \(pieces)")
        }
        return first
    }

    private func upstream(_ line: String, _ fields: String = "") -> String {
        "\(line) HTTP/1.1\r\nHost: o.test\r\n\(fields)Via: 1.1 p\r\n\r\n"
    }

    @Test func pipelinedRequestsAreToldApart() {
        let text = (0..<30).map { get("X-N: \($0)\r\n", path: "/\($0)") }.joined()
        let server = serve(text)
        #expect(server.served == (0..<30).map { Served(upstream: upstream("GET /\($0)", "X-N: \($0)\r\n"), body: "") })
        #expect(server.fault == nil)
    }

    @Test func bodiesOfEveryKindStandBetweenRequests() {
        let server = serve(
            post("Transfer-Encoding: chunked\r\n") + "5;x\r\nhello\r\n6\r\n world\r\n0\r\nX-T: 1\r\nHost: evil.test\r\n\r\n"
                + post("Content-Length: 3\r\n") + "abc" + post("Content-Length: 0\r\n") + post("") + get("Content-Length: 2\r\n") + "\r\n"
                + get(path: "/last"))
        #expect(
            server.served == [
                Served(upstream: upstream("POST /", "Transfer-Encoding: chunked\r\n"), body: "hello world", trailers: "X-T: 1\r\n\r\n"),
                Served(upstream: upstream("POST /", "Content-Length: 3\r\n"), body: "abc"),
                Served(upstream: upstream("POST /", "Content-Length: 0\r\n"), body: ""),
                Served(upstream: upstream("POST /"), body: ""),
                Served(upstream: upstream("GET /", "Content-Length: 2\r\n"), body: "\r\n"),
                Served(upstream: upstream("GET /last"), body: ""),
            ])
        #expect(server.fault == nil)
    }

    @Test func aLineEndTooManyAfterABodyIsForgiven() {
        let server = serve(post("Content-Length: 3\r\n") + "abc\r\n" + get(path: "/two"))
        #expect(server.served.map(\.body) == ["abc", ""])
        #expect(server.served.last?.upstream == upstream("GET /two"))
    }

    @Test func nothingIsReadAfterTheLastRequest() {
        let server = serve(get("Connection: close\r\n") + get(path: "/smuggled"))
        #expect(server.served == [Served(upstream: upstream("GET /"), body: "")])
        #expect(serve(get(version: "HTTP/1.0") + get(path: "/smuggled")).served.count == 1)
    }

    @Test func garbageAfterABodyIsNotForwarded() {
        let server = serve(post("Content-Length: 3\r\n") + "abcGARBAGE\r\n\r\n")
        #expect(server.served.map(\.body) == ["abc"])
        #expect(server.fault?.hasPrefix("400: ") == true)
    }

    /// Each of these has been used to make two servers see different requests. None may let the hidden request through.
    @Test(arguments: [
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
        "Content-Length: 5\r\nTransfer-Encoding: xchunked\r\n",
        "Content-Length: 5\r\nTransfer-Encoding : chunked\r\n",
        "Content-Length: 5\r\nTransfer-Encoding\t: chunked\r\n",
        "Content-Length: 5\r\nTransfer-Encoding:\r\n chunked\r\n",
        "Content-Length: 5\r\n Transfer-Encoding: chunked\r\n",
        "Content-Length: 5\r\nX: y\nTransfer-Encoding: chunked\r\n",
        "Content-Length: 5\r\nX: y\rTransfer-Encoding: chunked\r\n",
        "Content-Length: 5\r\n\u{B}Transfer-Encoding: chunked\r\n",
        "Content-Length: 5\r\nTransfer-Encoding: \u{B}chunked\r\n",
        "Content-Length: 5\r\nTransfer-Encoding: chunked\u{0}\r\n",
        "Content-Length: 5\r\nTransfer-Encoding: \"chunked\"\r\n",
        "Content-Length: 5\r\nTransfer-Encoding: identity\r\n",
        "Content-Length: 5\r\nTransfer-Encoding:\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
        "Transfer-Encoding: identity, chunked\r\n",
        "Transfer-Encoding: chunked, identity\r\n",
        "Transfer-Encoding: chunk\r\n",
        "Content-Length: 5\r\nContent-Length: 48\r\n",
        "Content-Length: 48\r\nContent-Length: 5\r\n",
        "Content-Length: 5, 48\r\n",
        "Content-Length: +5\r\n",
        "Content-Length: 5 \u{0}\r\n",
        "Content-Length: 0x30\r\n",
        "Content-Length: 18446744073709551664\r\n",
    ])
    func noRequestHidesInAnother(lines: String) {
        let server = serve(post(lines) + "0\r\n\r\n" + get(path: "/smuggled"))
        #expect(server.served.isEmpty)
        #expect(server.fault?.hasPrefix("400: ") == true || server.fault?.hasPrefix("501: ") == true)
    }

    @Test(arguments: [
        "0x5\r\nhello\r\n0\r\n\r\n", "5\nhello\n0\n\n", "5\r\nhello!\r\n0\r\n\r\n", "10000000000000005\r\nhello\r\n0\r\n\r\n",
        "-1\r\nhello\r\n0\r\n\r\n", "5;\nx\r\nhello\r\n0\r\n\r\n", "5 \r\nhello\r\n0\r\n\r\n", "\r\n0\r\n\r\n", "0\r\nX\r\n\r\n",
        "0\r\n X: 1\r\n\r\n", "0;\u{0}\r\n\r\n",
    ])
    func noRequestHidesInAChunkedBody(body: String) {
        let server = serve(post("Transfer-Encoding: chunked\r\n") + body + get(path: "/smuggled"))
        #expect(server.served.isEmpty)
        #expect(server.fault != nil)
    }

    @Test(arguments: ["Content-Length: 10\r\n", "Transfer-Encoding: chunked\r\n"])
    func aBodyThatStopsShortIsNotServed(lines: String) {
        let server = serve(post(lines) + "5\r\nhel")
        #expect(server.served.isEmpty)
        #expect(server.isInsideABody)
        #expect(server.fault == nil)
    }

    @Test(arguments: 1...40)
    func randomPipelinesComeOutInOrder(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var text = ""
        var bodies: [String] = []
        for index in 0..<Int.random(in: 1...12, using: &random) {
            let body = String(repeating: "GET / HTTP/1.1\r\n\r\n", count: Int.random(in: 0...4, using: &random))
            let mark = "X-N: \(index)\r\n"
            if Bool.random(using: &random) {
                text += post(mark + "Content-Length: \(wire(body).count)\r\n") + body
            } else {
                let chunk = body.isEmpty ? "" : "\(String(wire(body).count, radix: 16))\r\n\(body)\r\n"
                text += post(mark + "Transfer-Encoding: chunked\r\n") + chunk + "0\r\n\r\n"
            }
            bodies.append(body)
        }
        let server = serve(text)
        #expect(server.fault == nil)
        #expect(server.served.map(\.body) == bodies)
        for (index, request) in server.served.enumerated() { #expect(request.upstream.contains("\r\nX-N: \(index)\r\n")) }
    }

    /// What common clients really send, and what becomes of it.
    @Test(arguments: [
        (
            "GET http://o.test/ HTTP/1.1\r\nHost: o.test\r\nUser-Agent: curl/8.5.0\r\nAccept: */*\r\nProxy-Connection: Keep-Alive\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: o.test\r\nUser-Agent: curl/8.5.0\r\nAccept: */*\r\nVia: 1.1 p\r\n\r\n"
        ),
        (
            "GET http://o.test/debian/InRelease HTTP/1.1\r\nHost: o.test\r\nCache-Control: max-age=0\r\nAccept: text/*\r\nUser-Agent: Debian APT-HTTP/1.3\r\n\r\n",
            "GET /debian/InRelease HTTP/1.1\r\nHost: o.test\r\nCache-Control: max-age=0\r\nAccept: text/*\r\nUser-Agent: Debian APT-HTTP/1.3\r\nVia: 1.1 p\r\n\r\n"
        ),
        (
            "GET http://o.test/ HTTP/1.0\r\nUser-Agent: Wget/1.0\r\nAccept: */*\r\nConnection: Keep-Alive\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: o.test\r\nUser-Agent: Wget/1.0\r\nAccept: */*\r\nVia: 1.0 p\r\n\r\n"
        ),
        (
            "GET http://o.test/ws HTTP/1.1\r\nHost: o.test\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\nOrigin: http://o.test\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            "GET /ws HTTP/1.1\r\nHost: o.test\r\nUpgrade: websocket\r\nOrigin: http://o.test\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nVia: 1.1 p\r\nConnection: upgrade\r\n\r\n"
        ),
        (
            "GET http://o.test/ HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\nHost: o.test\r\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\nUpgrade: h2c\r\nUser-Agent: Java-http-client/21\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: o.test\r\nUser-Agent: Java-http-client/21\r\nVia: 1.1 p\r\n\r\n"
        ),
        (
            "POST http://o.test/rpc HTTP/1.1\r\nTE: trailers\r\nConnection: TE\r\nHost: o.test\r\nContent-Type: application/grpc-web\r\nTransfer-Encoding: chunked\r\n\r\n",
            "POST /rpc HTTP/1.1\r\nHost: o.test\r\nContent-Type: application/grpc-web\r\nTransfer-Encoding: chunked\r\nVia: 1.1 p\r\nConnection: TE\r\nTE: trailers\r\n\r\n"
        ),
        (
            "PUT http://o.test:8080/up HTTP/1.1\r\nHost: o.test:8080\r\nContent-Length: 1048576\r\nExpect: 100-continue\r\nProxy-Authorization: Basic dTpw\r\n\r\n",
            "PUT /up HTTP/1.1\r\nHost: o.test:8080\r\nContent-Length: 1048576\r\nExpect: 100-continue\r\nVia: 1.1 p\r\n\r\n"
        ),
    ])
    func realClientsAreForwardedFaithfully(text: String, expected: String) throws {
        #expect(try Request(text).forwarded() == expected)
    }

    /// An origin's answers to one request after another on a connection, interim ones included.
    @Test func answersAreToldApart() throws {
        let parser = HeadParser(.response)
        let buffer = ByteBuffer(capacity: 0)
        let text =
            "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHTTP/HTTP/1.1 304 NM\r\nContent-Length: 9\r\n\r\nHTTP/1.1 204 N\r\n\r\n"
        buffer.append(text)
        var seen: [Int] = []
        while !buffer.isEmpty {
            let length = try #require(try parser.parse(buffer.readable))
            let head = try ResponseHead(parser, buffer.readable, requestMethod: .get)
            seen.append(head.status)
            buffer.consume(length)
            if case .length(let count) = head.framing { buffer.consume(Int(count)) }
            parser.reset()
        }
        #expect(seen == [103, 200, 304, 204])
    }
}
