import HTTP1
import Testing

/// The first line of a request: what is taken, what is refused, and with which status.
struct RequestLineTests {
    @Test func partsAreFoundWhereTheyStand() throws {
        let request = try Request("GET http://o.test/p?q=1 HTTP/1.1\r\nHost: o.test\r\n\r\n")
        #expect(request.message.text(request.head.methodRange) == "GET")
        #expect(request.message.text(request.head.targetRange) == "http://o.test/p?q=1")
        #expect(request.message.text(request.head.authorityRange) == "o.test")
        #expect(request.message.text(request.head.pathRange) == "/p?q=1")
        #expect(request.head.method == .get)
        #expect(request.head.minorVersion == 1)
        #expect(request.message.length == request.message.bytes.count)
    }

    @Test(arguments: [
        ("GET", HTTP1.Method.get), ("HEAD", .head), ("POST", .post), ("PUT", .put), ("DELETE", .delete), ("OPTIONS", .options),
        ("TRACE", .trace), ("PATCH", .patch), ("get", .other), ("FROB", .other), ("M-SEARCH2", .other), ("PROPFIND", .other),
        ("GETX", .other), ("PU", .other), ("Delete", .other), ("!#$%&'*+-.^_`|~09", .other),
    ])
    func methodsAreTokensAndCaseSensitive(name: String, method: HTTP1.Method) throws {
        let request = try Request(get(method: name))
        #expect(request.head.method == method)
        #expect(request.forwarded().hasPrefix("\(name) / HTTP/1.1\r\n"))
    }

    @Test func onlySafeRepetitionsCountAsIdempotent() {
        let methods: [HTTP1.Method] = [.get, .head, .post, .put, .delete, .connect, .options, .trace, .patch, .other]
        #expect(methods.filter { $0.isIdempotent } == [.get, .head, .put, .delete, .options, .trace])
    }

    @Test(arguments: [
        // Methods.
        ("GE(T http://o.test/ HTTP/1.1\r\n", HeadError.badMethod),
        ("GET\thttp://o.test/ HTTP/1.1\r\n", .badMethod),
        (" GET http://o.test/ HTTP/1.1\r\n", .badMethod),
        ("\u{0}", .badMethod),
        ("\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}", .badMethod),
        ("\u{FF}\u{FE}", .badMethod),
        ("{\"jsonrpc\":2}", .badMethod),
        ("GET\r\n", .malformedRequestLine),
        ("GET\n", .bareLF),
        // Spaces between the parts.
        ("GET  http://o.test/ HTTP/1.1\r\n", .malformedRequestLine),
        ("GET   http://o.test/   HTTP/1.1\r\n", .malformedRequestLine),
        ("GET http://o.test/  HTTP/1.1\r\n", .badVersion),
        ("GET http://o.test/ HTTP/1.1 \r\n", .badVersion),
        ("GET http://o.test/a b HTTP/1.1\r\n", .badVersion),
        // Bytes of the target.
        ("GET http://o.test/a\u{0}b HTTP/1.1\r\n", .badTarget),
        ("GET http://o.test/a\u{1}b\u{7F} HTTP/1.1\r\n", .badTarget),
        ("GET http://o.test/\u{7F} HTTP/1.1\r\n", .badTarget),
        ("GET http://o.test/caf\u{C3}\u{A9} HTTP/1.1\r\n", .badTarget),
        ("GET http://o.test/\t HTTP/1.1\r\n", .badTarget),
        ("GET http://o.test/a\rb HTTP/1.1\r\n", .malformedRequestLine),
        ("GET http://o.test/a\nb HTTP/1.1\r\n", .bareLF),
        // Versions.
        ("GET http://o.test/\r\n", .malformedRequestLine),
        ("GET http://o.test/ \r\n", .badVersion),
        ("GET http://o.test/ http/1.1\r\n", .badVersion),
        ("GET http://o.test/ HTTP/1.10\r\n", .badVersion),
        ("GET http://o.test/ HTTP/1.1x\r\n", .badVersion),
        ("GET http://o.test/ HTTP/11\r\n", .badVersion),
        ("GET http://o.test/ HTTP/1.\r\n", .badVersion),
        ("GET http://o.test/ HTTP/.1\r\n", .badVersion),
        ("GET http://o.test/ HTTX/1.1\r\n", .badVersion),
        ("GET http://o.test/ HT\r\n", .badVersion),
        ("GET http://o.test/ HTTP/1,1\r\n", .badVersion),
        ("GET http://o.test/ HTTP/1.a\r\n", .badVersion),
        ("GET http://o.test/ HTTP/2.0\r\n", .versionNotSupported),
        ("GET http://o.test/ HTTP/0.9\r\n", .versionNotSupported),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .versionNotSupported),
        // Line ends.
        ("GET http://o.test/ HTTP/1.1\n", .bareLF),
        ("GET http://o.test/ HTTP/1.1\rX", .bareCR),
        ("\n\nGET http://o.test/ HTTP/1.1\r\n", .bareLF),
        ("\rGET http://o.test/ HTTP/1.1\r\n", .bareCR),
    ])
    func faultsAreSeenWithoutWaitingForMore(line: String, fault: HeadError) {
        for feed in Feed.allCases {
            #expect(read(HeadParser(.request), wire(line), feed) == .refused(fault), "\(feed)")
        }
        #expect(fault.status == (fault == .versionNotSupported ? 505 : 400))
    }

    @Test(arguments: ["HTTP/1.1", "HTTP/1.2", "HTTP/1.9"])
    func laterMinorVersionsAreReadAs11(version: String) throws {
        let request = try Request(get(version: version))
        #expect(request.head.keepAlive)
        #expect(request.forwarded().hasPrefix("GET / HTTP/1.1\r\n"))
    }

    @Test(arguments: 0...8)
    func fewEmptyLinesBeforeTheRequestAreSkipped(count: Int) throws {
        let text = String(repeating: "\r\n", count: count) + get("X-A: 1\r\n")
        let request = try Request(text)
        #expect(request.message.length == text.unicodeScalars.count)
        #expect(request.message.text(request.head.methodRange) == "GET")
        #expect(request.message.lines == ["Host: o.test", "X-A: 1"])
        #expect(request.forwarded() == "GET / HTTP/1.1\r\nHost: o.test\r\nX-A: 1\r\nVia: 1.1 p\r\n\r\n")
    }

    @Test func manyEmptyLinesAreRefused() {
        #expect(requestFault(String(repeating: "\r\n", count: 9) + get()) == .malformedRequestLine)
    }

    @Test func aHeadThatIsNotWholeIsWaitedFor() {
        let bytes = wire(get("X-A: 1\r\n"))
        for count in 0..<bytes.count {
            #expect(read(HeadParser(.request), Array(bytes[..<count]), .whole) == .waiting, "\(count) bytes")
        }
    }

    @Test func resetForgetsTheHeadBefore() throws {
        let parser = HeadParser(.request)
        let first = wire(get("A: 1\r\nB: 2\r\n"))
        let second = wire("\r\nOPTIONS * HTTP/1.0\r\n\r\n")
        #expect(read(parser, first, .whole) == .head(length: first.count))
        #expect(read(parser, first + second, .whole) == .head(length: first.count))
        parser.reset()
        #expect(read(parser, second, .byteByByte) == .head(length: second.count))
        #expect(parser.fields.isEmpty)
        #expect(parser.minorVersion == 0)
        parser.reset()
        #expect(read(parser, wire("?\u{0}"), .whole) == .refused(.badMethod))
        parser.reset()
        #expect(read(parser, first, .whole) == .head(length: first.count))
        #expect(parser.fields.count == 3)
    }
}
