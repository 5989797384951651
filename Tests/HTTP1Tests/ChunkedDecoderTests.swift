import HTTP1
import Testing

/// What a decoder made of a body.
struct Decoded: Equatable {
    var body: [UInt8] = []
    var trailers: String?
    /// Bytes consumed in all.
    var consumed = 0
    var fault: ChunkError?
}

/// Reads `bytes` as they arrive in pieces that end at the offsets `cuts`; what is not consumed is offered again with more.
func decode(_ bytes: [UInt8], cuts: [Int], _ decoder: ChunkedDecoder = ChunkedDecoder()) -> Decoded {
    var decoder = decoder
    var decoded = Decoded()
    for cut in cuts + [bytes.count] where decoded.trailers == nil && decoded.fault == nil {
        // Memory of its own for each piece, beginning with what was left over.
        let piece = Array(bytes[decoded.consumed..<max(cut, decoded.consumed)])
        piece.withUnsafeBytes { raw in
            var offset = 0
            do throws(ChunkError) {
                reading: while true {
                    switch try decoder.next(raw, &offset) {
                    case .needMore: break reading
                    case .data(let range): decoded.body += raw[range]
                    case .end(let trailers):
                        decoded.trailers = latin1(Array(raw[trailers]))
                        break reading
                    }
                }
            } catch {
                decoded.fault = error
            }
            decoded.consumed += offset
        }
    }
    return decoded
}

/// Reads `text` whole, byte by byte, cut at every place, and with more behind it; expects each to come to the same.
func decode(_ text: String, _ decoder: ChunkedDecoder = ChunkedDecoder()) -> Decoded {
    let bytes = wire(text)
    let whole = decode(bytes, cuts: [], decoder)
    #expect(decode(bytes, cuts: Array(0...bytes.count), decoder) == whole)
    for cut in 0...min(bytes.count, 300) { #expect(decode(bytes, cuts: [cut], decoder) == whole, "cut at \(cut)") }
    if whole.trailers != nil { #expect(decode(bytes + following, cuts: [], decoder) == whole) }
    return whole
}

/// A decoder with its place in the bytes, for looking at single events.
struct Reader {
    var decoder = ChunkedDecoder()
    var offset = 0

    mutating func read(_ text: String, times: Int = 1) -> [ChunkedDecoder.Event?] {
        wire(text).withUnsafeBytes { raw in (0..<times).map { _ in try? decoder.next(raw, &offset) } }
    }
}

/// Chunked bodies: what is taken, what is refused, and that the way bytes arrive does not matter.
struct ChunkedDecoderTests {
    @Test(arguments: [
        ("0\r\n\r\n", "", ""),
        ("5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", "hello world", ""),
        ("5;a=b;c=\"d;e\"\r\nhello\r\n6;x\r\n world\r\n0;last\r\n\r\n", "hello world", ""),
        ("00A\r\n0123456789\r\n000\r\n\r\n", "0123456789", ""),
        ("a\r\n0123456789\r\n0\r\n\r\n", "0123456789", ""),
        ("0000000000000005\r\nhello\r\n0000000000000000\r\n\r\n", "hello", ""),
        ("2\r\n\r\n\r\n3\r\n0\r\n\r\n0\r\n\r\n", "\r\n0\r\n", ""),
        ("5;\r\nhello\r\n0;\t x=\u{E9}\r\n\r\n", "hello", ""),
        ("5\r\nhello\r\n0\r\nX-Trail: 1\r\n\r\n", "hello", "X-Trail: 1\r\n"),
        ("0\r\nA:\r\nB: x y \r\n\r\n", "", "A:\r\nB: x y \r\n"),
    ])
    func bodiesAreTakenApart(text: String, body: String, trailers: String) {
        #expect(decode(text) == Decoded(body: wire(body), trailers: trailers, consumed: wire(text).count))
    }

    @Test(arguments: [
        ("zz\r\nhello\r\n0\r\n\r\n", ChunkError.badSize), ("-5\r\nhello\r\n", .badSize), ("+5\r\nhello\r\n", .badSize),
        ("0x5\r\nhello\r\n0\r\n\r\n", .badSize), ("5 5\r\nhello\r\n", .badSize), ("5_\r\nhello\r\n", .badSize),
        ("5 ;ext\r\nhello\r\n", .badSize),
        ("5 \r\nhello\r\n", .badSize), (" 5\r\nhello\r\n", .badSize), ("5\t\r\nhello\r\n", .badSize), ("\r\nhello\r\n0\r\n\r\n", .badSize),
        (";x\r\n", .badSize), ("1zz\r\n", .badSize), ("5g\r\n", .badSize), ("5@\r\n", .badSize), ("5`\r\n", .badSize), ("\u{0}", .badSize),
        ("5\u{B5}\r\n", .badSize), ("\n5\r\n", .badSize),
        ("FFFFFFFFFFFFFFFFF\r\n", .sizeOverflow), ("10000000000000005\r\n", .sizeOverflow), ("8000000000000000\r\n", .sizeOverflow),
        ("FFFFFFFFFFFFFFFF\r\n", .sizeOverflow), ("00000000000000005\r\nhello\r\n", .sizeOverflow),
        ("5\nhello\r\n0\r\n\r\n", .missingCRLF), ("5\rhello\r\n", .missingCRLF), ("5\r\r\nhello\r\n", .missingCRLF),
        ("5;x\ry\r\n", .missingCRLF),
        ("5\r\nhelloX\r\n0\r\n\r\n", .missingCRLF), ("5\r\nhello0\r\n\r\n", .missingCRLF), ("5\r\nhello\n0\r\n\r\n", .missingCRLF),
        ("5\r\nhello\rX0\r\n\r\n", .missingCRLF), ("5\r\nhello\r\r\n0\r\n\r\n", .missingCRLF),
        ("5;x\nyy\r\nhello\r\n", .badExtension), ("5;a=\u{0}\r\n", .badExtension), ("5;a=\u{7F}\r\n", .badExtension),
        ("5;\u{B}\r\n", .badExtension),
        ("0\r\nX-A : 1\r\n\r\n", .badTrailer), ("0\r\n X: 1\r\n\r\n", .badTrailer), ("0\r\nX: 1\r\n 2\r\n\r\n", .badTrailer),
        ("0\r\nnocolon\r\n\r\n", .badTrailer), ("0\r\nX: 1\nY: 2\r\n\r\n", .badTrailer), ("0\r\n\n", .badTrailer),
        ("0\r\n\rX", .badTrailer),
        ("0\r\nX: a\u{0}\r\n\r\n", .badTrailer), ("0\r\nGET / HTTP/1.1\r\n\r\n", .badTrailer), ("0\r\n: x\r\n\r\n", .badTrailer),
    ])
    func brokenBodiesAreRefused(text: String, fault: ChunkError) {
        let decoded = decode(text)
        #expect(decoded.fault == fault)
        #expect(decoded.trailers == nil)
        #expect(!fault.sentence.isEmpty)
    }

    @Test(arguments: [
        "", "5", "5\r", "5;x", "5\r\n", "5\r\nhel", "5\r\nhello", "5\r\nhello\r", "5\r\nhello\r\n", "0\r\n", "0\r\n\r", "0\r\nX: 1\r\n",
    ])
    func aCutBodyIsNeverComplete(text: String) {
        let decoded = decode(text)
        #expect(decoded.trailers == nil)
        #expect(decoded.fault == nil)
    }

    @Test func theLargestSizeIsTakenAndItsPayloadComesAsItArrives() {
        var reader = Reader()
        #expect(reader.read("7FFFFFFFFFFFFFFF\r\nabc", times: 2) == [.data(18..<21), .needMore])
        #expect(reader.offset == 21)
        #expect(!reader.decoder.isFinished)
    }

    @Test func partsOfALineStayForTheNextCall() {
        var reader = Reader()
        #expect(reader.read("5;ext\r") == [.needMore])
        #expect(reader.offset == 0)
        #expect(reader.read("5;ext\r\nhel") == [.data(7..<10)])
        #expect(reader.offset == 10)
    }

    @Test func bytesBehindTheBodyAreLeftAlone() {
        var reader = Reader()
        #expect(reader.read("0\r\nX: 1\r\n\r\nGET / HTTP/1.1\r\n", times: 2) == [.end(trailers: 3..<9), .end(trailers: 11..<11)])
        #expect(reader.offset == 11)
        #expect(reader.decoder.isFinished)
        reader.offset = 0
        #expect(reader.read("") == [.end(trailers: 0..<0)])
    }

    @Test func aBodyMayBeginBehindOtherBytes() {
        var reader = Reader(offset: 8)
        let text = "HEAD\r\n\r\n3\r\nabc\r\n0\r\nT: 1\r\n\r\n"
        #expect(reader.read(text, times: 2) == [.data(11..<14), .end(trailers: 19..<25)])
        #expect(reader.offset == wire(text).count)
    }

    @Test func linesAndTrailersHaveLimits() {
        let decoder = ChunkedDecoder(lineLimit: 20, trailerLimit: 30)
        #expect(decode("5;\(String(repeating: "x", count: 16))\r\nhello\r\n0\r\n\r\n", decoder).trailers == "")
        #expect(decode("5;\(String(repeating: "x", count: 17))\r\nhello\r\n0\r\n\r\n", decoder).fault == .lineTooLong)
        #expect(decode("5;\(String(repeating: "x", count: 200))", decoder).fault == .lineTooLong)
        #expect(decode("0\r\nX: \(String(repeating: "x", count: 23))\r\n\r\n", decoder).trailers?.utf8.count == 28)
        #expect(decode("0\r\nX: \(String(repeating: "x", count: 24))\r\n\r\n", decoder).fault == .trailersTooLarge)
        #expect(decode("0\r\nX: \(String(repeating: "x", count: 200))", decoder).fault == .trailersTooLarge)
        #expect(decode(wire("5;" + String(repeating: "x", count: 200_000)), cuts: []).fault == .lineTooLong)
        #expect(decode(wire("0\r\n" + String(repeating: "X: 1\r\n", count: 5000)), cuts: []).fault == .trailersTooLarge)
    }

    /// Looking again at every earlier byte with each new one would take hours here.
    @Test(.timeLimit(.minutes(1)))
    func oneByteAtATimeStaysLinear() throws {
        var decoder = ChunkedDecoder(lineLimit: 2_000_000, trailerLimit: 2_000_000)
        let filler = String(repeating: "x", count: 1_000_000)
        let bytes = wire("3;\(filler)\r\nabc\r\n0\r\nX: \(filler)\r\n\r\n")
        var events: [ChunkedDecoder.Event] = []
        var offset = 0
        try bytes.withUnsafeBytes { raw in
            for count in 1...raw.count {
                let event = try decoder.next(UnsafeRawBufferPointer(rebasing: raw[..<count]), &offset)
                if event != .needMore { events.append(event) }
            }
        }
        #expect(offset == bytes.count)
        #expect(events.count == 4)
    }

    @Test(arguments: 1...60)
    func randomBodiesComeBackWhole(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var body: [UInt8] = []
        var encoded: [UInt8] = []
        for _ in 0..<Int.random(in: 0...20, using: &random) {
            let chunk = (0..<Int.random(in: 1...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
            var size = String(chunk.count, radix: 16, uppercase: Bool.random(using: &random))
            if Int.random(in: 0..<4, using: &random) == 0 { size = "000" + size }
            if Int.random(in: 0..<4, using: &random) == 0 { size += ";name=\"a;b\"" }
            encoded += wire(size + "\r\n") + chunk + wire("\r\n")
            body += chunk
        }
        let trailers = Bool.random(using: &random) ? "X-T: \(seed)\r\nY: z\r\n" : ""
        encoded += wire("0\r\n" + trailers + "\r\n")
        var cuts = (0..<Int.random(in: 0...30, using: &random)).map { _ in Int.random(in: 0...encoded.count, using: &random) }
        cuts.sort()
        let expected = Decoded(body: body, trailers: trailers, consumed: encoded.count)
        #expect(decode(encoded, cuts: cuts) == expected)
        #expect(decode(encoded, cuts: Array(0...encoded.count)) == expected)
    }

    /// Whatever arrives: no reading beyond the bytes given, no progress backwards, and the same verdict however it is cut.
    @Test(arguments: 1...200)
    func randomBytesGetOneVerdict(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let alphabet = wire("0123456789abcdefABCDEF;;\r\n\r\n\r\n\r\nX: 1gz \t\u{0}\u{FF}")
        var bytes = wire(Bool.random(using: &random) ? "3\r\nabc\r\n" : "")
        for _ in 0..<Int.random(in: 0...40, using: &random) { bytes.append(alphabet.randomElement(using: &random) ?? 0) }
        let whole = decode(bytes, cuts: [])
        #expect(whole.consumed <= bytes.count)
        #expect(decode(bytes, cuts: Array(0...bytes.count)) == whole)
    }
}
