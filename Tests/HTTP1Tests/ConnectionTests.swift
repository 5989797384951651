import HTTP1
import Testing

/// Connection, the fields of one hop, Expect, Upgrade and TE.
struct ConnectionTests {
    @Test(arguments: [
        ("Connection: X-Hop\r\nX-Hop: 1\r\n", ""),
        ("connection: , x-HOP ,,X-two\r\nX-Hop: 1\r\nX-Two: 2\r\n", ""),
        ("Connection: X-Hop\r\nConnection: X-Two\r\nX-Hop: 1\r\nX-Two: 2\r\n", ""),
        ("X-Hop: 1\r\nX-Keep: 1\r\nConnection: X-Hop, close\r\n", "X-Keep: 1\r\n"),
        ("X-Hop: 1\r\nX-Hop: 2\r\nX-Hopp: 3\r\nX-Ho: 4\r\nConnection: X-Hop\r\n", "X-Hopp: 3\r\nX-Ho: 4\r\n"),
        ("Connection: X-None\r\n", ""),
        ("Cookie: a=1\r\nConnection: Cookie\r\nA: 1\r\n", "A: 1\r\n"),
        ("Connection: keep-alive\r\nKeep-Alive: timeout=5\r\n", ""),
        ("Keep-Alive: 5\r\nProxy-Connection: keep-alive\r\nTE: gzip, deflate\r\nA: 1\r\n", "A: 1\r\n"),
        ("Proxy-Authorization: Basic dTpw\r\nA: 1\r\n", "A: 1\r\n"),
        ("Proxy-Authenticate: Basic\r\nProxy-Authentication-Info: x\r\nA: 1\r\n", "A: 1\r\n"),
        ("Connection: TE\r\nTE: gzip, deflate;q=0.5\r\n", ""),
        ("Upgrade: websocket\r\n", ""),
        ("Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n", ""),
        ("Connection: host\r\n", ""),
        ("Trailer: X-T\r\nA: 1\r\n", "A: 1\r\n"),
        ("Connection:\r\n", ""),
        ("Connection: ,\t, ,\r\nA: 1\r\n", "A: 1\r\n"),
        ("Connection: \u{E9}\u{FF}, a b\r\nA: 1\r\n", "A: 1\r\n"),
    ])
    func fieldsOfThisHopGo(lines: String, kept: String) throws {
        let request = try Request(get(lines))
        #expect(request.forwarded() == "GET / HTTP/1.1\r\nHost: o.test\r\n\(kept)Via: 1.1 p\r\n\r\n")
    }

    @Test(arguments: ["content-length", "Host", "host, Content-Length, close", "via, expect, max-forwards"])
    func connectionCannotTakeAwayWhatFramesAndRoutes(options: String) throws {
        let request = try Request(
            get(
                "Connection: \(options)\r\nContent-Length: 3\r\nExpect: 100-continue\r\nMax-Forwards: 5\r\nVia: 1.0 x\r\n",
                method: "OPTIONS"))
        #expect(request.head.framing == .length(3))
        #expect(
            request.forwarded()
                == "OPTIONS / HTTP/1.1\r\nHost: o.test\r\nContent-Length: 3\r\nExpect: 100-continue\r\nMax-Forwards: 4\r\nVia: 1.0 x\r\nVia: 1.1 p\r\n\r\n"
        )
        let chunked = try Request(post("Connection: transfer-encoding\r\nTransfer-Encoding: chunked\r\n"))
        #expect(chunked.forwarded().contains("\r\nTransfer-Encoding: chunked\r\n"))
    }

    @Test func connectionMayNameSomeFieldsButNotAnyNumber() throws {
        let names = (0..<32).map { "X-\($0)" }
        let lines = names.map { "\($0): 1\r\n" }.joined()
        let request = try Request(get("Connection: close, keep-alive, te, \(names.joined(separator: ","))\r\n\(lines)"))
        #expect(request.forwarded() == "GET / HTTP/1.1\r\nHost: o.test\r\nVia: 1.1 p\r\n\r\n")
        #expect(requestFault(get("Connection: X-32, \(names.joined(separator: ","))\r\n")) == .tooManyConnectionOptions)
    }

    @Test(arguments: [
        ("HTTP/1.1", "", true), ("HTTP/1.1", "Connection: keep-alive\r\n", true), ("HTTP/1.1", "Connection: close\r\n", false),
        ("HTTP/1.1", "Connection: CLOSE\r\n", false), ("HTTP/1.1", "Connection: x, close\r\n", false),
        ("HTTP/1.1", "Connection: keep-alive\r\nConnection: close\r\n", false), ("HTTP/1.1", "Connection: closed\r\n", true),
        ("HTTP/1.1", "Proxy-Connection: keep-alive\r\n", true), ("HTTP/1.1", "X: close\r\n", true),
        ("HTTP/1.0", "", false), ("HTTP/1.0", "Connection: keep-alive\r\n", false), ("HTTP/1.9", "", true),
    ])
    func persistenceIsTheClientsWish(version: String, lines: String, keeps: Bool) throws {
        #expect(try Request(get(lines, version: version)).head.keepAlive == keeps)
    }

    @Test func trailersAreAskedForUpstreamWhenTheClientTakesThem() throws {
        for lines in ["TE: trailers\r\nConnection: TE\r\n", "TE: gzip, Trailers\r\n", "TE: gzip\r\nTE: trailers\r\n"] {
            let request = try Request(get(lines))
            #expect(request.head.acceptsTrailers)
            #expect(
                request.forwarded() == "GET / HTTP/1.1\r\nHost: o.test\r\nVia: 1.1 p\r\nConnection: TE\r\nTE: trailers\r\n\r\n", "\(lines)")
        }
        #expect(!(try Request(get("TE: trailersx, x-trailers\r\n")).head.acceptsTrailers))
        #expect(!(try Request(get("TE: trailers\r\n", version: "HTTP/1.0")).head.acceptsTrailers))
    }

    @Test(arguments: [
        "Connection: Upgrade\r\nUpgrade: websocket\r\n", "connection: keep-alive, Upgrade\r\nupgrade: websocket\r\n",
        "Upgrade: websocket\r\nConnection: upgrade, close\r\n",
    ])
    func upgradeGoesOnNamedByConnection(lines: String) throws {
        let request = try Request(get(lines + "Sec-WebSocket-Key: k\r\n"))
        #expect(request.head.upgrade)
        let forwarded = request.forwarded()
        #expect(forwarded.lowercased().contains("\r\nupgrade: websocket\r\n"))
        #expect(forwarded.hasSuffix("Sec-WebSocket-Key: k\r\nVia: 1.1 p\r\nConnection: upgrade\r\n\r\n"))
    }

    @Test func upgradeAndTrailersShareOneConnectionLine() throws {
        let request = try Request(get("TE: trailers\r\nX-Secret: 1\r\nConnection: Upgrade, TE, X-Secret\r\nUpgrade: websocket\r\n"))
        #expect(
            request.forwarded()
                == "GET / HTTP/1.1\r\nHost: o.test\r\nUpgrade: websocket\r\nVia: 1.1 p\r\nConnection: upgrade, TE\r\nTE: trailers\r\n\r\n")
    }

    @Test(arguments: [
        get("Upgrade: websocket\r\n"),
        get("Connection: upgrade\r\n"),
        get("Connection: upgrade\r\nUpgrade: h2c\r\n"),
        get("Connection: upgrade\r\nUpgrade: websocket, H2C\r\n"),
        get("Connection: upgrade\r\nUpgrade: websocket\r\nUpgrade: h2c\r\n"),
        get("Connection: upgrade\r\nUpgrade: websocket\r\n", version: "HTTP/1.0"),
        get("Connection: upgrade\r\nUpgrade: websocket\r\nContent-Length: 3\r\n"),
        post("Connection: upgrade\r\nUpgrade: websocket\r\nTransfer-Encoding: chunked\r\n"),
    ])
    func otherUpgradesAreNotOffered(text: String) throws {
        let request = try Request(text)
        #expect(!request.head.upgrade)
        #expect(!request.forwarded().lowercased().contains("upgrade"))
    }

    @Test func expectContinueGoesOnAndIsTold() throws {
        let request = try Request(post("Expect: 100-Continue\r\nContent-Length: 3\r\n"))
        #expect(request.head.expectsContinue)
        #expect(request.forwarded().contains("\r\nExpect: 100-Continue\r\n"))
        #expect(!(try Request(post("Expect: 100-continue\r\nContent-Length: 0\r\n")).head.expectsContinue))
        #expect(!(try Request(get("Expect: 100-continue\r\n")).head.expectsContinue))
    }

    @Test func expectOfAnHTTP10ClientIsIgnoredAndRemoved() throws {
        for value in ["100-continue", "foo=bar"] {
            let request = try Request(post("Expect: \(value)\r\nContent-Length: 3\r\n", version: "HTTP/1.0"))
            #expect(!request.head.expectsContinue)
            #expect(!request.forwarded().contains("Expect"))
        }
    }

    @Test(arguments: ["foo=bar", "", "100-continue, foo", "100-continued", "100-continue\r\nExpect: x"])
    func otherExpectationsAreNotMet(value: String) {
        let fault = requestFault(post("Expect: \(value)\r\nContent-Length: 3\r\n"))
        #expect(fault == .expectationFailed)
        #expect(fault?.status == 417)
    }

    @Test func credentialsForTheProxyAreFound() throws {
        let request = try Request(get("Proxy-Authorization:  Basic dTpw \r\n"))
        #expect(request.head.proxyAuthorization.map(request.message.text) == "Basic dTpw")
        #expect(try Request(get("Authorization: Basic dTpw\r\n")).head.proxyAuthorization == nil)
        #expect(requestFault(get("Proxy-Authorization: a\r\nProxy-Authorization: b\r\n")) == .duplicateProxyAuthorization)
    }
}
