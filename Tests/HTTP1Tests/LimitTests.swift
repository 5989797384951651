import HTTP1
import Testing

/// Limits are kept exactly, and exceeding one is seen as soon as it is certain.
struct LimitTests {
    private let small = HeadLimits(requestLine: 40, head: 100, fields: 3)

    /// A request line of `count` bytes.
    private func line(_ count: Int) -> String {
        let shell = "GET http://o.test/ HTTP/1.0"
        return "GET http://o.test/\(String(repeating: "u", count: count - shell.utf8.count)) HTTP/1.0"
    }

    @Test func aRequestLineOfExactlyTheLimitIsTaken() throws {
        _ = try Request(line(40) + "\r\n\r\n", limits: small)
        #expect(requestFault(line(41) + "\r\n\r\n", limits: small) == .requestLineTooLong)
        #expect(HeadError.requestLineTooLong.status == 414)
    }

    @Test(arguments: Feed.allCases)
    func aLineOverTheLimitIsRefusedBeforeItEnds(feed: Feed) {
        let targets = ["GET http://o.test/" + String(repeating: "u", count: 23), String(repeating: "M", count: 41), line(41)]
        for text in targets {
            #expect(read(HeadParser(.request, limits: small), wire(text), feed) == .refused(.requestLineTooLong), "\(text)")
        }
        for text in targets where feed != .withMore {
            #expect(read(HeadParser(.request, limits: small), Array(wire(text).dropLast()), feed) == .waiting, "\(text)")
        }
    }

    @Test func emptyLinesDoNotCountToTheRequestLine() throws {
        _ = try Request("\r\n\r\n" + line(40) + "\r\n\r\n", limits: small)
        _ = try Request(String(repeating: "\r\n", count: 8) + "GET / HTTP/1.0\r\n\r\n", limits: HeadLimits(requestLine: 14))
    }

    @Test func theDefaultsTake8000BytesOfRequestLine() throws {
        let text = get(path: "/" + String(repeating: "u", count: 7965))
        #expect(text.prefix { $0 != "\r\n" }.utf8.count == 7992)
        #expect(try Request(text).forwarded().utf8.count > 7900)
        #expect(requestFault(get(path: "/" + String(repeating: "u", count: 9000))) == .requestLineTooLong)
        #expect(requestFault(get(path: "/" + String(repeating: "u", count: 100_000))) == .requestLineTooLong)
    }

    @Test func aHeadOfExactlyTheLimitIsTaken() throws {
        let start = "GET http://o.test/ HTTP/1.0\r\nX: "
        let fits = start + String(repeating: "v", count: 100 - start.utf8.count - 4) + "\r\n\r\n"
        #expect(fits.utf8.count == 100)
        _ = try Request(fits, limits: small)
        let over = start + String(repeating: "v", count: 101 - start.utf8.count - 4) + "\r\n\r\n"
        #expect(requestFault(over, limits: small) == .headTooLarge)
        #expect(responseFault("HTTP/1.1 200 " + String(repeating: "r", count: 90) + "\r\n\r\n", limits: small) == .headTooLarge)
        #expect(HeadError.headTooLarge.status == 431)
    }

    @Test(arguments: Feed.allCases)
    func aHeadOverTheLimitIsRefusedBeforeItEnds(feed: Feed) {
        let text = "GET http://o.test/ HTTP/1.0\r\nX: " + String(repeating: "v", count: 100)
        #expect(read(HeadParser(.request, limits: small), wire(text), feed) == .refused(.headTooLarge))
        #expect(
            read(HeadParser(.request), wire("GET / HTTP/1.1\r\n" + String(repeating: "n", count: 70_000)), .whole)
                == .refused(.headTooLarge))
    }

    @Test func aBodyBehindTheHeadDoesNotCount() {
        let head = wire(get())
        #expect(read(HeadParser(.request, limits: small), head + Array(repeating: 0, count: 1000), .whole) == .head(length: head.count))
    }

    @Test func fieldsAreCounted() throws {
        _ = try Request(get("A: 1\r\nB: 2\r\n"), limits: small)
        #expect(requestFault(get("A: 1\r\nB: 2\r\nC: 3\r\n"), limits: small) == .tooManyFields)
        let many = (0..<999).map { "X-\($0): v\r\n" }.joined()
        #expect(try Request(get(many)).forwarded().contains(many))
        #expect(requestFault(get((0..<20_000).map { "X-\($0): v\r\n" }.joined())) == .tooManyFields)
        #expect(HeadError.tooManyFields.status == 431)
    }

    @Test func usualLargeFieldsAreTaken() throws {
        let field = "X-Big: \(String(repeating: "v", count: 16_000))\r\n"
        #expect(try Request(get(field)).forwarded().contains(field))
        #expect(try Response("HTTP/1.1 204 N\r\n\(field)\r\n").forwarded().contains(field))
        #expect(requestFault(get("X-Big: \(String(repeating: "v", count: 100_000))\r\n")) == .headTooLarge)
    }

    @Test func nonsensicalLimitsAreBroughtIntoRange() {
        let limits = HeadLimits(requestLine: -1, head: 0, fields: -5)
        #expect(limits.requestLine == 1)
        #expect(limits.head == 1)
        #expect(limits.fields == 0)
        #expect(HeadLimits(head: .max).head == 1 << 30)
        #expect(read(HeadParser(.request, limits: limits), wire("GET / HTTP/1.1\r\n\r\n"), .whole) == .refused(.headTooLarge))
    }

    /// Looking again at every earlier byte with each new one would take hours here.
    @Test(.timeLimit(.minutes(1)), arguments: ["X: ", "", "A: 1\r\n", "Connection: "])
    func oneByteAtATimeStaysLinear(unit: String) throws {
        let limits = HeadLimits(requestLine: 3_000_000, head: 3_000_000, fields: 300_000)
        let filler =
            unit == "A: 1\r\n"
            ? String(repeating: unit, count: 250_000) : unit + String(repeating: "v", count: 1_500_000) + (unit.isEmpty ? ":" : "")
        let end = unit == "A: 1\r\n" ? "\r\n" : "\r\n\r\n"
        let bytes = wire("GET http://o.test/ HTTP/1.0\r\n" + filler + end)
        let parser = HeadParser(.request, limits: limits)
        let length = try bytes.withUnsafeBytes { raw throws(HeadError) -> Int? in
            for count in 1..<raw.count where try parser.parse(UnsafeRawBufferPointer(rebasing: raw[..<count])) != nil { return nil }
            return try parser.parse(raw)
        }
        #expect(length == bytes.count)
    }
}
