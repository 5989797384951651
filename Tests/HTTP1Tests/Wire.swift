import HTTP1
import Testing

/// How the bytes of a message reach the parser.
enum Feed: CaseIterable, Sendable {
    case whole
    case byteByByte
    case withMore
}

/// A head that was read, with the bytes its ranges refer to.
struct Message {
    let parser: HeadParser
    let bytes: [UInt8]
    let length: Int

    func text(_ range: ByteRange) -> String { latin1(bytes.withUnsafeBytes { Array(range.slice($0)) }) }

    /// The field lines as "name: value" with the value as parsed.
    var lines: [String] { parser.fields.map { "\(text($0.name)): \(text($0.value))" } }
}

/// What came of reading a head.
enum Reading: Equatable {
    case head(length: Int)
    case waiting
    case refused(HeadError)
}

/// One byte for each scalar, so that a test can write any byte as an escape.
func wire(_ text: String) -> [UInt8] { text.unicodeScalars.map { UInt8($0.value) } }

/// The reverse of `wire`.
func latin1(_ bytes: [UInt8]) -> String {
    var text = String.UnicodeScalarView()
    for byte in bytes { text.append(Unicode.Scalar(byte)) }
    return String(text)
}

/// What a peer would send next on the connection.
let following = wire("GET http://smuggled.test/ HTTP/1.1\r\nHost: smuggled.test\r\n\r\n\u{0}\u{16}")

/// Reads `bytes` the given way. Each step gets memory of its own, so that nothing can depend on an earlier address.
func read(_ parser: HeadParser, _ bytes: [UInt8], _ feed: Feed) -> Reading {
    do throws(HeadError) {
        switch feed {
        case .whole: return try step(parser, bytes)
        case .withMore: return try step(parser, bytes + following)
        case .byteByByte:
            for count in 0...bytes.count {
                let reading = try step(parser, Array(bytes[..<count]))
                if reading != .waiting { return reading }
            }
            return .waiting
        }
    } catch {
        return .refused(error)
    }
}

private func step(_ parser: HeadParser, _ bytes: [UInt8]) throws(HeadError) -> Reading {
    var result: Result<Int?, HeadError> = .success(nil)
    bytes.withUnsafeBytes { raw in
        do throws(HeadError) {
            result = .success(try parser.parse(raw))
        } catch {
            result = .failure(error)
        }
    }
    return try result.get().map { .head(length: $0) } ?? .waiting
}

/// Reads a whole head in every way, expects each to come to the same, and returns what the first one found.
func readHead(_ kind: HeadParser.Kind, _ bytes: [UInt8], limits: HeadLimits = .init()) throws(HeadError) -> Message {
    let parser = HeadParser(kind, limits: limits)
    let reading = read(parser, bytes, .whole)
    for feed in [Feed.byteByByte, .withMore] where reading != .waiting {
        let other = HeadParser(kind, limits: limits)
        #expect(read(other, bytes, feed) == reading, "fed \(feed): \(latin1(Array(bytes.prefix(120))).debugDescription)")
        #expect(other.fields.map(\.name) == parser.fields.map(\.name))
        #expect(other.fields.map(\.value) == parser.fields.map(\.value))
    }
    switch reading {
    case .head(let length): return Message(parser: parser, bytes: bytes, length: length)
    case .refused(let error): throw error
    case .waiting:
        Issue.record("not a whole head: \(latin1(bytes).debugDescription)")
        return Message(parser: parser, bytes: bytes, length: 0)
    }
}

/// A request head that was read and judged.
struct Request {
    let message: Message
    let head: RequestHead

    init(_ text: String, limits: HeadLimits = .init()) throws(HeadError) {
        try self.init(bytes: wire(text), limits: limits)
    }

    init(bytes: [UInt8], limits: HeadLimits = .init()) throws(HeadError) {
        let message = try readHead(.request, bytes, limits: limits)
        self.message = message
        head = try judge(message) { parser, raw throws(HeadError) in try RequestHead(parser, raw) }
    }

    /// The request as it goes upstream.
    func forwarded(absoluteForm: Bool = false, extra: String? = nil) -> String {
        written { buffer, raw in
            Forwarding.appendRequest(
                head, fields: message.parser, bytes: raw, absoluteForm: absoluteForm, extraFields: extra, pseudonym: "p", to: buffer)
        }
    }

    func written(_ write: (ByteBuffer, UnsafeRawBufferPointer) -> Void) -> String {
        let buffer = ByteBuffer(capacity: 0)
        message.bytes.withUnsafeBytes { write(buffer, $0) }
        return latin1(Array(buffer.readable))
    }
}

/// A response head that was read and judged.
struct Response {
    let message: Message
    let head: ResponseHead

    init(_ text: String, to method: HTTP1.Method = .get, limits: HeadLimits = .init()) throws(HeadError) {
        let message = try readHead(.response, wire(text), limits: limits)
        self.message = message
        head = try judge(message) { parser, raw throws(HeadError) in try ResponseHead(parser, raw, requestMethod: method) }
    }

    /// The response as it goes to the client.
    func forwarded(_ delivery: Forwarding.Delivery = .asReceived, close: Bool = false) -> String {
        let buffer = ByteBuffer(capacity: 0)
        message.bytes.withUnsafeBytes {
            Forwarding.appendResponse(
                head, fields: message.parser, bytes: $0, delivery: delivery, close: close, date: "Thu, 01 Jan 2026 00:00:00 GMT",
                pseudonym: "p", to: buffer)
        }
        return latin1(Array(buffer.readable))
    }

    func interim() -> String {
        let buffer = ByteBuffer(capacity: 0)
        message.bytes.withUnsafeBytes { Forwarding.appendInterim(head, fields: message.parser, bytes: $0, to: buffer) }
        return latin1(Array(buffer.readable))
    }
}

private func judge<Head>(
    _ message: Message, _ make: (HeadParser, UnsafeRawBufferPointer) throws(HeadError) -> Head
) throws(HeadError) -> Head {
    var result: Result<Head, HeadError>?
    message.bytes.withUnsafeBytes { raw in
        do throws(HeadError) {
            result = .success(try make(message.parser, raw))
        } catch {
            result = .failure(error)
        }
    }
    guard let result else { throw .malformedRequestLine }
    return try result.get()
}

/// The fault that reading and judging a request comes to; nil when it is accepted.
func requestFault(_ text: String, limits: HeadLimits = .init()) -> HeadError? {
    do throws(HeadError) {
        _ = try Request(text, limits: limits)
        return nil
    } catch {
        return error
    }
}

/// The fault that reading and judging a response comes to; nil when it is accepted.
func responseFault(_ text: String, to method: HTTP1.Method = .get, limits: HeadLimits = .init()) -> HeadError? {
    do throws(HeadError) {
        _ = try Response(text, to: method, limits: limits)
        return nil
    } catch {
        return error
    }
}

/// A GET through the proxy with these further lines, each ended by CRLF.
func get(_ lines: String = "", path: String = "/", version: String = "HTTP/1.1", method: String = "GET") -> String {
    "\(method) http://o.test\(path) \(version)\r\nHost: o.test\r\n\(lines)\r\n"
}

/// The same with POST.
func post(_ lines: String, version: String = "HTTP/1.1") -> String { get(lines, version: version, method: "POST") }

/// A small generator of repeatable random numbers (SplitMix64).
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
