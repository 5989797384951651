import HTTP1
import Testing

/// Field lines of requests and responses: both are read alike, and strictly.
struct FieldSyntaxTests {
    static let faults: [(String, HeadError)] = [
        ("X-A : 1\r\n", .spaceBeforeColon),
        ("Content-Length\t: 3\r\n", .spaceBeforeColon),
        ("Transfer-Encoding : chunked\r\n", .spaceBeforeColon),
        ("X Y: 1\r\n", .spaceBeforeColon),
        ("X-A: 1\r\n 2\r\n", .obsFold),
        ("X-A: 1\r\n\t2\r\n", .obsFold),
        ("Transfer-Encoding:\r\n chunked\r\n", .obsFold),
        ("X-A: a\u{0}b\r\n", .controlInValue),
        ("X-A: a\u{1}\r\n", .controlInValue),
        ("X-A: a\u{7F}\r\n", .controlInValue),
        ("X-A: a\u{B}b\r\n", .controlInValue),
        ("X-A: a\u{1B}[2J\r\n", .controlInValue),
        ("X-A: 0123456789abcdef\u{8}0123456789\r\n", .controlInValue),
        ("X-A: \u{80}\u{80}\u{80}\u{80}\u{80}\u{80}\u{80}\u{80}\u{1F}\u{80}\r\n", .controlInValue),
        ("X-A: a\rb\r\n", .bareCR),
        ("X-A: a\r\rb\r\n", .bareCR),
        ("X-A: a\r\r\n", .bareCR),
        ("X-A: 1\nX-B: 2\r\n", .bareLF),
        ("X-A: 1\r\n\n", .bareLF),
        ("X-A\n: 1\r\n", .bareLF),
        ("nocolon\r\n", .missingColon),
        (": x\r\n", .badFieldName),
        ("X(Y: 1\r\n", .badFieldName),
        ("X\u{80}: 1\r\n", .badFieldName),
        ("X\"Y\": 1\r\n", .badFieldName),
        ("X\u{0}Y: 1\r\n", .badFieldName),
        ("{X}: 1\r\n", .badFieldName),
        ("X/Y: 1\r\n", .badFieldName),
        ("@: 1\r\n", .badFieldName),
        ("X[: 1\r\n", .badFieldName),
        ("\u{0}: 1\r\n", .badFieldName),
        ("\rX: 1\r\n", .bareCR),
    ]

    @Test(arguments: faults)
    func brokenLinesAreRefusedOnBothSides(line: String, fault: HeadError) {
        #expect(requestFault(get(line)) == fault)
        #expect(responseFault("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\(line)\r\n") == fault)
        #expect(fault.status == 400)
    }

    @Test func whitespaceBeforeTheFirstLineIsRefused() {
        #expect(requestFault("GET http://o.test/ HTTP/1.1\r\n X-A: 1\r\nHost: o.test\r\n\r\n") == .leadingSpace)
        #expect(requestFault("GET http://o.test/ HTTP/1.1\r\n\tHost: o.test\r\n\r\n") == .leadingSpace)
        #expect(responseFault("HTTP/1.1 200 OK\r\n X: 1\r\n\r\n") == .leadingSpace)
    }

    @Test(arguments: [
        ("X-A: \t v w \t \r\n", "X-A: v w"),
        ("X-Empty:\r\n", "X-Empty: "),
        ("X-Blank: \t \r\n", "X-Blank: "),
        ("X-A:tight\r\n", "X-A: tight"),
        ("X-A: caf\u{E9} \u{FF}\u{80}\r\n", "X-A: caf\u{E9} \u{FF}\u{80}"),
        ("X-A: tab\tinside the value\tand again\r\n", "X-A: tab\tinside the value\tand again"),
        ("X-A: \"quoted, : ; string\"\r\n", "X-A: \"quoted, : ; string\""),
        ("Sec-Foo: ?1\r\n", "Sec-Foo: ?1"),
        ("!#$%&'*+-.^_`|~09azAZ: x\r\n", "!#$%&'*+-.^_`|~09azAZ: x"),
        ("X:: :\r\n", "X: : :"),
    ])
    func valuesAreTrimmedAndLinesPassAsTheyCame(line: String, parsed: String) throws {
        let request = try Request(get(line))
        #expect(request.message.lines == ["Host: o.test", parsed])
        #expect(request.forwarded() == "GET / HTTP/1.1\r\nHost: o.test\r\n\(line)Via: 1.1 p\r\n\r\n")
    }

    /// Every byte in every place of a value and of a name, so that no step of eight bytes hides one.
    @Test func everyByteIsJudgedInEveryPlace() {
        for value in 0...255 {
            let byte = UInt8(value)
            let isValue = byte == 9 || byte >= 0x20 && byte != 0x7F
            let isName =
                "!#$%&'*+-.^_`|~".utf8.contains(byte)
                || byte < 0x80 && (Character(Unicode.Scalar(byte)).isLetter || Character(Unicode.Scalar(byte)).isNumber)
            for place in 0..<19 {
                var text = Array(repeating: UInt8(ascii: "v"), count: 19)
                text[place] = byte
                let start = wire("HTTP/1.1 200 \r\n")
                let inValue = start + wire("N:") + text + wire("\r\n\r\n")
                #expect((read(HeadParser(.response), inValue, .whole) == .head(length: inValue.count)) == isValue, "\(value) at \(place)")
                // A colon splits the name, which is another thing than refusing it.
                guard byte != UInt8(ascii: ":") else { continue }
                let inName = start + text + wire(":\r\n\r\n")
                #expect((read(HeadParser(.response), inName, .whole) == .head(length: inName.count)) == isName, "\(value) at \(place)")
            }
        }
    }

    @Test func everyByteOfATargetIsJudgedInEveryPlace() {
        for value in 0...255 {
            let byte = UInt8(value)
            let isTarget = byte > 0x20 && byte < 0x7F
            for place in 0..<19 where byte != 0x20 {
                var text = Array(repeating: UInt8(ascii: "t"), count: 19)
                text[place] = byte
                let bytes = wire("GET /") + text + wire(" HTTP/1.0\r\n\r\n")
                #expect((read(HeadParser(.request), bytes, .whole) == .head(length: bytes.count)) == isTarget, "\(value) at \(place)")
            }
        }
    }

    @Test func repeatedLinesKeepTheirOrder() throws {
        let lines = "X-A: 1\r\nX-B: z\r\nX-A: 2\r\nx-a: 3\r\n"
        #expect(try Request(get(lines)).forwarded().contains("\r\n" + lines))
    }

    @Test func endToEndFieldsPassUnchanged() throws {
        let lines =
            "Authorization: Digest a=\"b\",  c=d\r\nCookie: a=1; b=\"2\"\r\nAccept-Encoding: gzip;q=0.5, br\r\nRange: bytes=1-3\r\nIf-Range: \"e\"\r\n"
        let forwarded = try Request(get(lines)).forwarded()
        #expect(forwarded == "GET / HTTP/1.1\r\nHost: o.test\r\n\(lines)Via: 1.1 p\r\n\r\n")
    }

    @Test(arguments: [
        ("Connection", FieldName.connection), ("keep-alive", .keepAlive), ("PROXY-CONNECTION", .proxyConnection), ("Te", .te),
        ("Trailer", .trailer), ("transfer-Encoding", .transferEncoding), ("Upgrade", .upgrade), ("HTTP2-Settings", .http2Settings),
        ("Proxy-Authorization", .proxyAuthorization), ("Proxy-Authenticate", .proxyAuthenticate),
        ("Proxy-Authentication-Info", .proxyAuthenticationInfo), ("Content-Length", .contentLength), ("Content-Type", .contentType),
        ("Content-Encoding", .contentEncoding), ("Content-Range", .contentRange), ("Host", .host), ("Via", .via), ("Expect", .expect),
        ("Max-Forwards", .maxForwards), ("DATE", .date), ("Authorization", .authorization), ("Cookie", .cookie), ("Set-Cookie", .setCookie),
        ("WWW-Authenticate", .wwwAuthenticate), ("Cache-Control", .cacheControl),
        ("X-Connection", .other), ("Content-Lengt", .other), ("Content_Length", .other), ("Hose", .other), ("hos", .other),
        ("Hostt", .other),
        ("Accept", .other), ("User-Agent", .other), ("Transfer-Encodinh", .other), ("Sec-WebSocket-Extensions-", .other), ("T", .other),
    ])
    func fieldsAreRecognisedInAnyCase(name: String, field: FieldName) {
        for variant in [name, name.lowercased(), name.uppercased()] {
            #expect(wire(variant).withUnsafeBytes { FieldName($0) } == field)
        }
    }
}
