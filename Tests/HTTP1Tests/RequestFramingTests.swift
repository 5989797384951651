import HTTP1
import Testing

/// How the end of a request's body is found, and that no request has two readings.
struct RequestFramingTests {
    @Test(arguments: [
        (get(), BodyFraming.none), (post(""), .none), (post("Content-Length: 11\r\n"), .length(11)),
        (post("Content-Length: 0\r\n"), .length(0)), (post("content-length:\t007 \r\n"), .length(7)),
        (post("Content-Length: 9223372036854775807\r\n"), .length(9_223_372_036_854_775_807)),
        (post("Transfer-Encoding: chunked\r\n"), .chunked), (post("transfer-encoding: CHUNKED\r\n"), .chunked),
        (get("Content-Length: 3\r\n"), .length(3)), (get("Content-Length: 3\r\n", method: "FROB"), .length(3)),
        (post("Content-Length: 3\r\n", version: "HTTP/1.0"), .length(3)),
    ])
    func framingIsReadFromTheHead(text: String, framing: BodyFraming) throws {
        #expect(try Request(text).head.framing == framing)
    }

    @Test(arguments: [
        "+5", "-5", "5 5", "0x5", "5a", "", "5.0", "18446744073709551621", "9223372036854775808", "\"5\"", "5;", "5\u{A0}",
        String(repeating: "9", count: 40), String(repeating: "0", count: 20), "1e3", "5_0", ",", "a, a",
    ])
    func lengthsThatAreNoNumberAreRefused(value: String) {
        #expect(requestFault(post("Content-Length: \(value)\r\n")) == .badContentLength)
        #expect(requestFault(post("Content-Length: \(value)\r\n", version: "HTTP/1.0")) == .badContentLength)
        #expect(responseFault("HTTP/1.1 200 OK\r\nContent-Length: \(value)\r\n\r\n") == .badContentLength)
    }

    @Test(arguments: [
        "Content-Length: 3\r\nContent-Length: 5\r\n", "Content-Length: 3, 5\r\n", "Content-Length: 5\r\nContent-Length: 5\r\n",
        "Content-Length: 5, 5\r\n", "Content-Length: 5,\r\n", "Content-Length: ,5\r\n", "Content-Length: 5\r\ncontent-length: 05\r\n",
    ])
    func moreThanOneLengthIsRefused(lines: String) {
        #expect(requestFault(post(lines)) == .conflictingContentLength)
    }

    @Test(arguments: [
        ("foo", HeadError.transferCodingNotImplemented), ("gzip, chunked", .transferCodingNotImplemented),
        ("identity", .transferCodingNotImplemented), ("xchunked", .transferCodingNotImplemented),
        ("chunkedx", .transferCodingNotImplemented),
        ("gzip\r\nTransfer-Encoding: chunked", .transferCodingNotImplemented),
        ("chunked, chunked", .badTransferEncoding), ("chunked, gzip", .badTransferEncoding), ("chunked;q=0", .badTransferEncoding),
        ("\"chunked\"", .badTransferEncoding), ("", .badTransferEncoding), (",", .badTransferEncoding), ("chunked,", .badTransferEncoding),
        (", chunked", .badTransferEncoding), ("chunked\r\nTransfer-Encoding: foo", .badTransferEncoding),
        ("chunked\r\nTransfer-Encoding: chunked", .badTransferEncoding), ("chunked\r\nTransfer-Encoding:", .badTransferEncoding),
        ("chun ked", .badTransferEncoding), ("\u{AB}chunked", .badTransferEncoding),
    ])
    func onlyChunkedAloneIsTaken(value: String, fault: HeadError) {
        #expect(requestFault(post("Transfer-Encoding: \(value)\r\n")) == fault)
        #expect(fault.status == (fault == .badTransferEncoding ? 400 : 501))
        #expect(responseFault("HTTP/1.1 200 OK\r\nTransfer-Encoding: \(value)\r\n\r\n") == fault)
    }

    @Test(arguments: ["chunked", "foo", "identity", "", "chunked, chunked"])
    func aLengthBesideACodingIsRefused(value: String) {
        for lines in [
            "Content-Length: 5\r\nTransfer-Encoding: \(value)\r\n", "Transfer-Encoding: \(value)\r\nContent-Length: 5\r\n",
            "Content-Length: 0\r\nTransfer-Encoding: \(value)\r\n",
        ] {
            #expect(requestFault(post(lines)) == .lengthAndTransferEncoding)
            #expect(responseFault("HTTP/1.1 200 OK\r\n\(lines)\r\n") == .lengthAndTransferEncoding)
        }
    }

    @Test(arguments: ["chunked", "foo", ""])
    func codingsAreRefusedInHTTP10(value: String) {
        #expect(requestFault(post("Transfer-Encoding: \(value)\r\n", version: "HTTP/1.0")) == .transferEncodingIn10)
        #expect(responseFault("HTTP/1.0 200 OK\r\nTransfer-Encoding: \(value)\r\n\r\n") == .transferEncodingIn10)
    }

    @Test(arguments: ["Content-Length: 3\r\n", "Transfer-Encoding: chunked\r\n"])
    func connectAndTraceHaveNoBody(lines: String) {
        #expect(requestFault("CONNECT o.test:443 HTTP/1.1\r\nHost: o.test\r\n\(lines)\r\n") == .bodyNotAllowed)
        #expect(requestFault(get(lines, method: "TRACE")) == .bodyNotAllowed)
    }

    @Test func connectAndTraceMayStateThatThereIsNone() throws {
        // WinINet sends this with every CONNECT.
        #expect(try Request("CONNECT o.test:443 HTTP/1.0\r\nContent-Length: 0\r\n\r\n").head.framing == .none)
        let trace = try Request(get("Content-Length: 0\r\n", method: "TRACE"))
        #expect(trace.head.framing == .none)
        #expect(!trace.forwarded().contains("Content-Length"))
        #expect(requestFault(get("Content-Length: 0\r\nContent-Length: 0\r\n", method: "TRACE")) == .conflictingContentLength)
    }

    @Test func framingGoesOnAsItWasUnderstood() throws {
        #expect(
            try Request(post("A: 1\r\ncontent-length:\t007 \r\nB: 2\r\n")).forwarded()
                == "POST / HTTP/1.1\r\nHost: o.test\r\nA: 1\r\nContent-Length: 7\r\nB: 2\r\nVia: 1.1 p\r\n\r\n")
        #expect(
            try Request(post("TRANSFER-ENCODING:CHUNKED\r\nTrailer: X-T\r\n")).forwarded()
                == "POST / HTTP/1.1\r\nHost: o.test\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\nVia: 1.1 p\r\n\r\n")
        #expect(try Request(post("Content-Length: 0\r\n")).forwarded().contains("\r\nContent-Length: 0\r\n"))
        #expect(!(try Request(post("")).forwarded().contains("Content-Length")))
    }
}
