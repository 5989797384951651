import HTTP1
import Testing

/// Status lines, body framing and persistence of responses.
struct ResponseHeadTests {
    @Test(arguments: [
        ("HTTP/1.1 200 OK", 200, "OK"), ("HTTP/1.1 200 ", 200, ""), ("HTTP/1.1 200", 200, ""), ("HTTP/1.1 299 Odd Code", 299, "Odd Code"),
        ("HTTP/1.1 499 X", 499, "X"), ("HTTP/1.1 599 X", 599, "X"), ("HTTP/1.1 999 X", 999, "X"),
        ("HTTP/1.1 100 Continue", 100, "Continue"),
        ("HTTP/1.1 200 caf\u{E9} \t ok", 200, "caf\u{E9} \t ok"), ("HTTP/1.0 200 OK", 200, "OK"),
        ("HTTP/1.7 404 Not Found", 404, "Not Found"),
        ("HTTP/1.1 200  two spaces ", 200, " two spaces "),
    ])
    func statusLinesAreRead(line: String, status: Int, reason: String) throws {
        let response = try Response("\(line)\r\nContent-Length: 5\r\n\r\n")
        #expect(response.head.status == status)
        #expect(response.message.text(response.head.reasonRange) == reason)
        #expect(response.forwarded().hasPrefix("HTTP/1.1 \(status) \(reason)\r\n"))
    }

    @Test(arguments: [
        ("HTTP/1.1 abc OK", HeadError.badStatusLine), ("HTTP/1.1 20 OK", .badStatusLine), ("HTTP/1.1 2000 OK", .badStatusLine),
        ("HTTP/1.1 099 OK", .badStatusLine), ("HTTP/1.1 000 OK", .badStatusLine), ("HTTP/1.1 0 Unknown", .badStatusLine),
        ("HTTP/1.1 200OK", .badStatusLine), ("HTTP/1.1  200 OK", .badStatusLine), ("HTTP/1.1\t200 OK", .badStatusLine),
        ("HTTP/1.1", .badStatusLine), ("HTTP/1.10 200 OK", .badStatusLine), ("HTTQ/1.1 200 OK", .badStatusLine),
        ("http/1.1 200 OK", .badStatusLine), ("ICY 200 OK", .badStatusLine), ("<html>old</html>", .badStatusLine),
        ("hello\n", .badStatusLine), ("\u{0}\u{1}\u{2}", .badStatusLine), ("\u{15}\u{3}\u{3}\u{0}\u{2}\u{2}\u{28}", .badStatusLine),
        (" HTTP/1.1 200 OK", .badStatusLine), ("HTTP/1.1 200 a\u{0}b", .badStatusLine), ("HTTP/1.1 200 a\u{7F}b", .badStatusLine),
        ("HTTP/1.1 -20 OK", .badStatusLine), ("HTTP/2.0 200 OK", .versionNotSupported), ("HTTP/0.9 200 OK", .versionNotSupported),
        ("HTTP/1.1 200 OK\n", .bareLF), ("HTTP/1.1 200\n", .bareLF), ("HTTP/1.1 200 a\rb", .bareCR), ("HTTP/1.1 200\rb", .bareCR),
    ])
    func otherStatusLinesAreRefused(line: String, fault: HeadError) {
        for feed in Feed.allCases {
            #expect(read(HeadParser(.response), wire(line + "\r\n\r\n"), feed) == .refused(fault), "\(feed)")
        }
    }

    @Test func emptyLinesBeforeAResponseAreRefused() {
        #expect(responseFault("\r\nHTTP/1.1 200 OK\r\n\r\n") == .badStatusLine)
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n", HTTP1.Method.get, BodyFraming.length(5)),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n", .get, .length(0)),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n", .get, .length(5)),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n", .get, .length(5)),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n", .get, .chunked),
        ("HTTP/1.1 200 OK\r\n", .get, .untilClose),
        ("HTTP/1.0 200 OK\r\n", .get, .untilClose),
        ("HTTP/1.0 200 OK\r\nContent-Length: 5\r\n", .get, .length(5)),
        ("HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n", .head, .none),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n", .head, .none),
        ("HTTP/1.1 200 OK\r\n", .head, .none),
        ("HTTP/1.1 204 No Content\r\n", .get, .none),
        ("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n", .get, .none),
        ("HTTP/1.1 304 Not Modified\r\nContent-Length: 77\r\n", .get, .none),
        ("HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n", .get, .none),
        ("HTTP/1.1 100 Continue\r\n", .post, .none),
        ("HTTP/1.1 103 Early Hints\r\nContent-Length: 9\r\n", .get, .none),
        ("HTTP/1.1 101 Switching Protocols\r\n", .get, .none),
        ("HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n", .get, .length(0)),
    ])
    func theEndOfTheBodyIsFound(lines: String, method: HTTP1.Method, framing: BodyFraming) throws {
        #expect(try Response(lines + "\r\n", to: method).head.framing == framing)
    }

    @Test(arguments: [
        "Content-Length: 3\r\nContent-Length: 5\r\n", "Content-Length: 3, 5\r\n", "Content-Length: 5\r\nContent-Length: 5, 6\r\n",
    ])
    func lengthsThatDifferAreRefused(lines: String) {
        #expect(responseFault("HTTP/1.1 200 OK\r\n\(lines)\r\n") == .conflictingContentLength)
        #expect(responseFault("HTTP/1.1 200 OK\r\n\(lines)\r\n", to: .head) == .conflictingContentLength)
        #expect(responseFault("HTTP/1.1 304 Not Modified\r\n\(lines)\r\n") == .conflictingContentLength)
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n", true), ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n", true),
        ("HTTP/1.1 204 No Content\r\n", true), ("HTTP/1.1 200 OK\r\n", false),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n", false),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: x, Close\r\n", false),
        ("HTTP/1.0 200 OK\r\nContent-Length: 5\r\n", false), ("HTTP/1.0 200 OK\r\nContent-Length: 5\r\nConnection: keep-alive\r\n", false),
        ("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n", false),
    ])
    func persistenceNeedsAMarkedEnd(lines: String, persistent: Bool) throws {
        #expect(try Response(lines + "\r\n").head.persistent == persistent)
    }

    @Test(arguments: [
        ("HTTP/1.1 101 S\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n", true), ("HTTP/1.1 101 S\r\nUpgrade: websocket\r\n", false),
        ("HTTP/1.1 101 S\r\nConnection: Upgrade\r\n", false), ("HTTP/1.1 200 S\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n", false),
    ])
    func onlyA101WithBothFieldsSwitches(lines: String, upgrade: Bool) throws {
        #expect(try Response(lines + "\r\n").head.upgrade == upgrade)
    }

    @Test func aDateThatGoesAwayDoesNotCount() throws {
        #expect(try Response("HTTP/1.1 204 N\r\nDate: x\r\n\r\n").head.hasDate)
        #expect(!(try Response("HTTP/1.1 204 N\r\nX-Date: x\r\n\r\n").head.hasDate))
        #expect(!(try Response("HTTP/1.1 204 N\r\nDate: x\r\nConnection: date\r\n\r\n").head.hasDate))
    }
}
