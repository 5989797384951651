import HTTP1
import Testing

/// A request head made at random from parts that are all allowed.
private struct RandomRequest {
    var method: String
    var host: String
    var path: String
    var version: String
    /// Lines that must arrive as they are.
    var kept: [String] = []
    var text = ""

    init(_ random: inout SeededRandom) {
        method = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "FROB"].randomElement(using: &random) ?? "GET"
        host = ["o.test", "O.Test:8080", "[2001:db8::1]", "192.0.2.1:1", "a-b_c.example."].randomElement(using: &random) ?? "o.test"
        path = ["/", "", "?q", "/a%2F//../b?x=1&y", "/\(random.next())"].randomElement(using: &random) ?? "/"
        version = ["HTTP/1.1", "HTTP/1.0", "HTTP/1.5"].randomElement(using: &random) ?? "HTTP/1.1"
        var lines = ["Host: \(Bool.random(using: &random) ? host : "other.test")"]
        var named: [String] = []
        for index in 0..<Int.random(in: 0...12, using: &random) {
            let line = "X-\(index):\(RandomRequest.value(&random))"
            if Int.random(in: 0..<5, using: &random) == 0 { named.append("x-\(index)") } else { kept.append(line) }
            lines.append(line)
        }
        lines += ["Keep-Alive: 5", "Proxy-Connection: x", "TE: gzip", "Proxy-Authorization: s"].filter { _ in Bool.random(using: &random) }
        if Bool.random(using: &random) {
            lines.append("Connection: " + named.joined(separator: ", "))
        } else {
            kept += Self.lines(lines, named)
        }
        if let framing = Self.framing(version, &random) { lines.append(framing) }
        lines.shuffle(using: &random)
        text = "\(method) http://\(host)\(path) \(version)\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n"
        // What was shuffled has to arrive in the order it left.
        kept = lines.filter { kept.contains($0) }
    }

    private static func lines(_ lines: [String], _ named: [String]) -> [String] {
        lines.filter { line in named.contains { line.lowercased().hasPrefix($0 + ":") } }
    }

    private static func framing(_ version: String, _ random: inout SeededRandom) -> String? {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: "Content-Length: \(random.next() >> 1)"
        case 1 where version != "HTTP/1.0": "Transfer-Encoding: chunked"
        default: nil
        }
    }

    private static func value(_ random: inout SeededRandom) -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...40, using: &random) {
            let byte = UInt8.random(in: 0...255, using: &random)
            text.append(Unicode.Scalar(byte >= 0x20 && byte != 0x7F ? byte : 9))
        }
        return String(text)
    }
}

/// Properties that hold for every message, tried on many made from a seed.
struct PropertyTests {
    @Test(arguments: 1...300)
    func aForwardedRequestMeansTheSame(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let made = RandomRequest(&random)
        let first = try Request(made.text)
        let forwarded = first.forwarded(absoluteForm: true)
        let second = try Request(forwarded)
        #expect(second.head.method == first.head.method)
        #expect(second.head.authority == first.head.authority)
        #expect(second.head.framing == first.head.framing)
        #expect(second.message.text(second.head.targetRange) == first.message.text(first.head.targetRange))
        #expect(second.head.minorVersion == 1)
        #expect(second.head.proxyAuthorization == nil)
        #expect(forwarded.components(of: "\r\n").filter { made.kept.contains($0) } == made.kept)
        for name in ["keep-alive", "proxy-connection", "te", "proxy-authorization", "connection"] {
            #expect(!second.message.lines.contains { $0.lowercased().hasPrefix(name + ":") })
        }
        #expect(second.message.lines.filter { $0.hasPrefix("Host: ") } == ["Host: \(made.host)"])
        // A second pass changes nothing but adds its own Via.
        #expect(second.forwarded(absoluteForm: true).components(of: "\r\n").count == forwarded.components(of: "\r\n").count + 1)
    }

    /// Bytes changed at random in a good head: whatever is still accepted comes out with one framing, one Host and clean lines.
    @Test(arguments: 1...400)
    func whatIsAcceptedLeavesClean(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var bytes = wire(RandomRequest(&random).text)
        let spice = wire("\r\n\r\n \t:,\u{0}\u{7F}\u{80}aZ09/@#?%[];") + [UInt8.random(in: 0...255, using: &random)]
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            let byte = spice.randomElement(using: &random) ?? 0
            switch Int.random(in: 0..<3, using: &random) {
            case 0: bytes[place] = byte
            case 1: bytes.insert(byte, at: place)
            default: bytes.remove(at: place)
            }
        }
        guard read(HeadParser(.request), bytes, .whole) != .waiting, let request = try? Request(bytes: bytes) else { return }
        let forwarded = request.forwarded()
        guard request.head.target != .authority, request.head.authority != nil else { return }
        let parser = HeadParser(.request)
        #expect(read(parser, wire(forwarded), .byteByByte) == .head(length: wire(forwarded).count))
        let message = Message(parser: parser, bytes: wire(forwarded), length: 0)
        let names = parser.fields.map { message.text($0.name).lowercased() }
        #expect(names.filter { $0 == "host" }.count == 1)
        #expect(names.filter { $0 == "content-length" || $0 == "transfer-encoding" }.count <= 1)
        #expect(parser.minorVersion == 1)
    }

    /// Random bytes: one verdict however they arrive, and never a trap.
    @Test(arguments: 1...300)
    func randomBytesGetOneVerdict(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let alphabet = wire("GETHTTP/1.1 http://o:80\r\n\r\n\r\n\t;,[]aX\u{0}\u{FF}")
        let start =
            ["", "GET http://o/ HTTP/1.1\r\n", "GET http://o/", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 2"].randomElement(using: &random) ?? ""
        var bytes = wire(start)
        for _ in 0..<Int.random(in: 0...60, using: &random) { bytes.append(alphabet.randomElement(using: &random) ?? 0) }
        for kind in [HeadParser.Kind.request, .response] {
            let limits = HeadLimits(requestLine: 30, head: 60, fields: 2)
            let whole = read(HeadParser(kind, limits: limits), bytes, .whole)
            #expect(read(HeadParser(kind, limits: limits), bytes, .byteByByte) == whole)
        }
    }
}

extension String {
    /// The parts between occurrences of `separator`, compared scalar by scalar.
    func components(of separator: String) -> [String] {
        let bytes = Array(unicodeScalars)
        let wanted = Array(separator.unicodeScalars)
        var parts = [String.UnicodeScalarView()]
        var index = 0
        while index < bytes.count {
            if bytes[index...].starts(with: wanted) {
                parts.append(String.UnicodeScalarView())
                index += wanted.count
            } else {
                parts[parts.count - 1].append(bytes[index])
                index += 1
            }
        }
        return parts.map { String($0) }
    }
}
