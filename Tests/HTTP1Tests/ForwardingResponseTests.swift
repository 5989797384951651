import HTTP1
import Testing

/// Responses on their way to the client, interim responses, and trailers.
struct ForwardingResponseTests {
    static let date = "Date: Thu, 01 Jan 2026 00:00:00 GMT\r\n"

    @Test func endToEndFieldsPassUnchanged() throws {
        let lines =
            "Date: yesterday\r\nX-Unknown: 1\r\nETag: \"x\"\r\nContent-Type:text/weird; a=b\r\nserver: raw\r\nSet-Cookie: a=1; Path=/, x\r\nSet-Cookie: b=2\r\nWWW-Authenticate: Basic realm=\"x\"\r\nLocation: http://other.test/x\r\nContent-Encoding: gzip\r\n"
        let response = try Response("HTTP/1.1 302 Found\r\n\(lines)Content-Length: 5\r\n\r\n")
        #expect(response.forwarded() == "HTTP/1.1 302 Found\r\n\(lines)Content-Length: 5\r\nVia: 1.1 p\r\n\r\n")
    }

    @Test(arguments: [
        ("Connection: X-Hop\r\nX-Hop: 1\r\n", ""),
        ("X-Secret: 1\r\nConnection: x-secret, close\r\nX-Keep: 1\r\nConnection: X-Two\r\nX-Two: 2\r\n", "X-Keep: 1\r\n"),
        ("Connection: keep-alive\r\nKeep-Alive: timeout=5, max=9\r\n", ""),
        ("Proxy-Connection: keep-alive\r\n", ""),
        ("Proxy-Authenticate: Basic\r\nProxy-Authentication-Info: x\r\nA: 1\r\n", "A: 1\r\n"),
        ("TE: trailers\r\nHTTP2-Settings: x\r\nUpgrade: h2\r\nTrailer: X\r\nA: 1\r\n", "A: 1\r\n"),
        ("Connection: Content-Length, Transfer-Encoding\r\nA: 1\r\n", "A: 1\r\n"),
    ])
    func fieldsOfTheUpstreamHopGo(lines: String, kept: String) throws {
        let response = try Response("HTTP/1.1 200 OK\r\nDate: x\r\n\(lines)Content-Length: 5\r\n\r\n")
        #expect(response.forwarded() == "HTTP/1.1 200 OK\r\nDate: x\r\n\(kept)Content-Length: 5\r\nVia: 1.1 p\r\n\r\n")
    }

    @Test func dateIsAddedWhenItIsMissingOrTakenAway() throws {
        #expect(
            try Response("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").forwarded()
                == "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\(Self.date)Via: 1.1 p\r\n\r\n")
        #expect(
            try Response("HTTP/1.1 204 No\r\nDate: x\r\nConnection: Date\r\n\r\n").forwarded()
                == "HTTP/1.1 204 No\r\n\(Self.date)Via: 1.1 p\r\n\r\n")
    }

    @Test func ownViaFollowsThoseReceivedWithTheServersVersion() throws {
        #expect(
            try Response("HTTP/1.0 204 N\r\nVia: 1.1 inner\r\nDate: x\r\n\r\n").forwarded()
                == "HTTP/1.1 204 N\r\nVia: 1.1 inner\r\nVia: 1.0 p\r\nDate: x\r\n\r\n")
    }

    @Test(arguments: [
        ("Content-Length: 5\r\n", Forwarding.Delivery.asReceived, "Content-Length: 5\r\n"),
        ("Content-Length: 005\r\ncontent-length: 5\r\n", .asReceived, "Content-Length: 5\r\n"),
        ("Content-Length: 5, 5\r\n", .asReceived, "Content-Length: 5\r\n"),
        ("Content-Length: 5\r\n", .closeDelimited, ""),
        ("Content-Length: 5\r\n", .chunked, "Transfer-Encoding: chunked\r\n"),
        ("Transfer-Encoding: CHUNKED\r\n", .chunked, "Transfer-Encoding: chunked\r\n"),
        ("Transfer-Encoding: chunked\r\n", .asReceived, "Transfer-Encoding: chunked\r\n"),
        ("Transfer-Encoding: chunked\r\n", .closeDelimited, ""),
        ("", .chunked, "Transfer-Encoding: chunked\r\n"),
        ("", .closeDelimited, ""),
        ("Trailer: X-T\r\nTransfer-Encoding: chunked\r\n", .chunked, "Trailer: X-T\r\nTransfer-Encoding: chunked\r\n"),
        ("Trailer: X-T\r\nTransfer-Encoding: chunked\r\n", .closeDelimited, ""),
    ])
    func deliveryDecidesTheFraming(lines: String, delivery: Forwarding.Delivery, expected: String) throws {
        let response = try Response("HTTP/1.1 200 OK\r\nDate: x\r\n\(lines)\r\n")
        #expect(response.forwarded(delivery) == "HTTP/1.1 200 OK\r\nDate: x\r\n\(expected)Via: 1.1 p\r\n\r\n")
        #expect(
            response.forwarded(delivery, close: true)
                == "HTTP/1.1 200 OK\r\nDate: x\r\n\(expected)Via: 1.1 p\r\nConnection: close\r\n\r\n")
    }

    @Test(arguments: [
        (
            "HTTP/1.1 200 OK\r\nDate: x\r\nContent-Length: 1234\r\n", HTTP1.Method.head,
            "HTTP/1.1 200 OK\r\nDate: x\r\nContent-Length: 1234\r\n"
        ),
        ("HTTP/1.1 200 OK\r\nDate: x\r\nTransfer-Encoding: chunked\r\n", .head, "HTTP/1.1 200 OK\r\nDate: x\r\n"),
        ("HTTP/1.1 304 NM\r\nDate: x\r\nContent-Length: 77\r\n", .get, "HTTP/1.1 304 NM\r\nDate: x\r\nContent-Length: 77\r\n"),
        ("HTTP/1.1 304 NM\r\nDate: x\r\nTransfer-Encoding: chunked\r\n", .get, "HTTP/1.1 304 NM\r\nDate: x\r\n"),
        ("HTTP/1.1 204 NC\r\nDate: x\r\nContent-Length: 0\r\n", .get, "HTTP/1.1 204 NC\r\nDate: x\r\n"),
    ])
    func answersWithoutABodyKeepWhatTheyMayState(lines: String, method: HTTP1.Method, expected: String) throws {
        #expect(try Response(lines + "\r\n", to: method).forwarded() == "\(expected)Via: 1.1 p\r\n\r\n")
    }

    @Test func switchingProtocolsPassesBothFields() throws {
        let response = try Response(
            "HTTP/1.1 101 Switching Protocols\r\nDate: x\r\nUpgrade: websocket\r\nConnection: Upgrade, X-Hop\r\nX-Hop: 1\r\nContent-Length: 0\r\nSec-WebSocket-Accept: k\r\n\r\n"
        )
        #expect(
            response.forwarded()
                == "HTTP/1.1 101 Switching Protocols\r\nDate: x\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: k\r\nVia: 1.1 p\r\nConnection: upgrade\r\n\r\n"
        )
    }

    @Test func upgradeRequiredStillNamesTheProtocol() throws {
        let response = try Response("HTTP/1.1 426 U\r\nDate: x\r\nUpgrade: HTTP/3.0\r\nConnection: Upgrade\r\nContent-Length: 0\r\n\r\n")
        let start = "HTTP/1.1 426 U\r\nDate: x\r\nUpgrade: HTTP/3.0\r\nContent-Length: 0\r\nVia: 1.1 p\r\n"
        #expect(response.forwarded() == start + "Connection: upgrade\r\n\r\n")
        #expect(response.forwarded(close: true) == start + "Connection: close, upgrade\r\n\r\n")
        #expect(!(try Response("HTTP/1.1 426 U\r\nUpgrade: x\r\nContent-Length: 0\r\n\r\n").forwarded().contains("pgrade")))
    }

    @Test func interimResponsesPassWithoutAdditions() throws {
        #expect(try Response("HTTP/1.1 100 Continue\r\n\r\n").interim() == "HTTP/1.1 100 Continue\r\n\r\n")
        let hints = try Response(
            "HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\nConnection: x\r\nX: 1\r\nContent-Length: 0\r\nKeep-Alive: 1\r\nVia: 1.1 a\r\n\r\n"
        )
        #expect(hints.interim() == "HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\nVia: 1.1 a\r\n\r\n")
    }

    @Test(arguments: [
        ("", ""), ("X-T: 1\r\n", "X-T: 1\r\n"), ("X-T:1 \r\nx-u:\r\n", "X-T:1 \r\nx-u:\r\n"),
        ("Content-Length: 99\r\nX-T: 1\r\nHost: evil.test\r\nAuthorization: x\r\n", "X-T: 1\r\n"),
        (
            "Transfer-Encoding: chunked\r\nconnection: close\r\nSET-COOKIE: a\r\nCookie: a\r\nTE: x\r\nTrailer: y\r\nUpgrade: z\r\nVia: 1.1 a\r\n",
            ""
        ),
        ("Content-Type: a\r\nContent-Encoding: a\r\nContent-Range: a\r\nCache-Control: a\r\nExpect: a\r\nMax-Forwards: 1\r\n", ""),
        ("Proxy-Authorization: a\r\nProxy-Authenticate: a\r\nWWW-Authenticate: a\r\nServer-Timing: a\r\n", "Server-Timing: a\r\n"),
        ("grpc-status: 0\r\nDigest: x\r\n", "grpc-status: 0\r\nDigest: x\r\n"),
    ])
    func trailersLoseWhatMustNotActLate(lines: String, kept: String) {
        let buffer = ByteBuffer(capacity: 0)
        wire(lines).withUnsafeBytes { Forwarding.appendTrailers($0, to: buffer) }
        #expect(latin1(Array(buffer.readable)) == kept + "\r\n")
    }
}
