import HTTP1
import Testing

/// Via, Max-Forwards, TRACE and what the proxy itself adds to a request.
struct ForwardingRequestTests {
    @Test(arguments: [
        ("", "Via: 1.1 p\r\n"),
        ("Via: 1.0 fred, 1.1 p.example\r\n", "Via: 1.0 fred, 1.1 p.example\r\nVia: 1.1 p\r\n"),
        ("Via: 1.0 a\r\nX: 1\r\n", "Via: 1.0 a\r\nVia: 1.1 p\r\nX: 1\r\n"),
        ("Via: 1.0 a\r\nX: 1\r\nvia:1.1 b\r\nY: 2\r\n", "Via: 1.0 a\r\nX: 1\r\nvia:1.1 b\r\nVia: 1.1 p\r\nY: 2\r\n"),
        ("Connection: x\r\nVia: 1.0 a\r\nKeep-Alive: 1\r\n", "Via: 1.0 a\r\nVia: 1.1 p\r\n"),
        ("X: 1\r\nY: 2\r\n", "X: 1\r\nY: 2\r\nVia: 1.1 p\r\n"),
    ])
    func ownViaFollowsThoseReceived(lines: String, expected: String) throws {
        #expect(try Request(get(lines)).forwarded() == "GET / HTTP/1.1\r\nHost: o.test\r\n\(expected)\r\n")
    }

    @Test func viaCarriesTheVersionReceived() throws {
        #expect(try Request(get(version: "HTTP/1.0")).forwarded().hasSuffix("\r\nVia: 1.0 p\r\n\r\n"))
    }

    @Test(arguments: [
        ("Via: 1.1 httpdns-proxy\r\n", true), ("Via: 1.0 a, 1.1 HTTPDNS-Proxy (x)\r\n", true),
        ("Via: 1.1 a\r\nvia:1.1\thttpdns-proxy\r\n", true),
        ("Via: HTTP/1.1 httpdns-proxy(comment)\r\n", true), ("Via: 1.1 a (unclosed, 1.1 httpdns-proxy\r\n", true),
        ("Via: 1.1 httpdns-proxy:3128\r\n", false), ("Via: 1.1 x-httpdns-proxy\r\n", false), ("Via: 1.1 httpdns-prox\r\n", false),
        ("Via: httpdns-proxy\r\n", false), ("Via: 1.1 a (httpdns-proxy)\r\n", false), ("X-Via: 1.1 httpdns-proxy\r\n", false), ("", false),
        ("Via:\r\n", false), ("Via: ,,\r\n", false), ("Via: 1.1\r\n", false),
    ])
    func ownPseudonymInViaIsALoop(lines: String, loops: Bool) throws {
        let request = try Request(get(lines))
        let found = request.message.bytes.withUnsafeBytes { Forwarding.viaNames("httpdns-proxy", request.message.parser, $0) }
        #expect(found == loops)
    }

    @Test(arguments: [
        ("OPTIONS", "5", "4"), ("TRACE", "3", "2"), ("OPTIONS", "1", "0"), ("OPTIONS", "0", "0"), ("OPTIONS", "007", "6"),
        ("OPTIONS", "4294967295", "4294967294"), ("TRACE", "99999999999999999999999", "4294967294"),
        ("GET", "5", "5"), ("GET", "0", "0"), ("POST", "x1", "x1"), ("GET", "1, 2", "1, 2"),
    ])
    func maxForwardsCountsDownForOptionsAndTrace(method: String, received: String, sent: String) throws {
        let request = try Request(get("Max-Forwards: \(received)\r\n", method: method))
        #expect(request.forwarded().contains("\r\nMax-Forwards: \(sent)\r\n"))
        #expect((request.head.maxForwards != nil) == (method != "GET" && method != "POST"))
        if received == "0", method == "OPTIONS" { #expect(request.head.maxForwards == 0) }
    }

    @Test(arguments: ["x1", "", "-1", "1.5", "1 2", "1\r\nMax-Forwards: 1"])
    func maxForwardsMustBeOneNumber(value: String) {
        #expect(requestFault(get("Max-Forwards: \(value)\r\n", method: "OPTIONS")) == .badMaxForwards)
        #expect(requestFault(get("Max-Forwards: \(value)\r\n", method: "TRACE")) == .badMaxForwards)
    }

    @Test func extraFieldsComeLast() throws {
        let request = try Request(get("Proxy-Authorization: Basic client\r\nTE: trailers\r\n"))
        #expect(
            request.forwarded(absoluteForm: true, extra: "Proxy-Authorization: Basic parent\r\n")
                == "GET http://o.test/ HTTP/1.1\r\nHost: o.test\r\nVia: 1.1 p\r\nConnection: TE\r\nTE: trailers\r\nProxy-Authorization: Basic parent\r\n\r\n"
        )
    }

    @Test func theParentGetsTheTargetAsReceived() throws {
        let literal = try Request("GET http://[::1]:8080/a?b HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(literal.forwarded(absoluteForm: true).hasPrefix("GET http://[::1]:8080/a?b HTTP/1.1\r\nHost: [::1]:8080\r\n"))
        let https = try Request("GET HTTPS://o.test HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(https.forwarded(absoluteForm: true).hasPrefix("GET HTTPS://o.test HTTP/1.1\r\nHost: o.test\r\n"))
    }

    @Test func nothingIsInvented() throws {
        let forwarded = try Request(get()).forwarded().lowercased()
        for name in ["accept", "user-agent", "connection", "content-length", "date", "x-forwarded", "forwarded"] {
            #expect(!forwarded.contains("\r\n\(name)"), "\(name)")
        }
    }

    @Test func severalRequestsShareOneBuffer() throws {
        let request = try Request(get("A: 1\r\n"))
        let buffer = ByteBuffer(capacity: 8)
        request.message.bytes.withUnsafeBytes { raw in
            for _ in 0..<3 {
                Forwarding.appendRequest(
                    request.head, fields: request.message.parser, bytes: raw, absoluteForm: false, pseudonym: "p", to: buffer)
            }
        }
        #expect(latin1(Array(buffer.readable)) == String(repeating: request.forwarded(), count: 3))
    }

    @Test func traceEchoLeavesSecretsOut() throws {
        let lines =
            "Max-Forwards: 0\r\nAuthorization: Basic topsecret\r\nX-A:  1\r\nCookie: topsecret\r\nProxy-Authorization: topsecret\r\nX-B: 2\r\n"
        let request = try Request(get(lines, version: "HTTP/1.0", method: "TRACE"))
        let echo = request.written { buffer, raw in
            Forwarding.appendTraceEcho(request.head, fields: request.message.parser, bytes: raw, to: buffer)
        }
        #expect(echo == "TRACE http://o.test/ HTTP/1.0\r\nHost: o.test\r\nMax-Forwards: 0\r\nX-A:  1\r\nX-B: 2\r\n\r\n")
    }
}
