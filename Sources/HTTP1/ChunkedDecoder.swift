// Bounds: all reads are at offsets in [offset, bytes.count) of the bytes of the call. `scanned` and the trailer scanner count
// from the first byte that was not consumed, and a later call must bring at least those bytes again.

/// Takes a chunked body apart (RFC 9112 section 7.1), strictly and without keeping any byte of it.
///
/// What is accepted: 1 to 16 hexadecimal digits below 2^63, then the end of the line or an extension without controls; CRLF only.
/// Extensions are skipped. Each byte is looked at once, however the bytes arrive.
package struct ChunkedDecoder: Sendable {
    /// What a call of `next` came to.
    package enum Event: Equatable, Sendable {
        /// Nothing further can be read from what is left; more bytes are needed.
        case needMore
        /// Payload, as offsets in the bytes of this call; they count as consumed.
        case data(Range<Int>)
        /// The body is over. The range holds the trailer lines as received, each with its line end, without the final blank line.
        case end(trailers: Range<Int>)
    }

    private enum State: UInt8, Sendable { case size, data, dataEnd, trailers, done }
    private enum LinePart: UInt8, Sendable { case digits, suffix, lineEnd }

    private let lineLimit: Int
    private let trailerLimit: Int
    private var state = State.size
    private var part = LinePart.digits
    private var digits = 0
    private var scanned = 0
    /// The size being read, then the bytes of the chunk that are still to come.
    private var remaining: UInt64 = 0
    private var trailers = FieldScanner(start: 0)

    /// `lineLimit` bounds a chunk's size line, `trailerLimit` the trailer section, both in bytes with their line ends.
    package init(lineLimit: Int = 4096, trailerLimit: Int = 16 * 1024) {
        self.lineLimit = max(lineLimit, 3)
        self.trailerLimit = min(max(trailerLimit, 2), 1 << 30)
    }

    /// True once `.end` was returned.
    package var isFinished: Bool { state == .done }

    /// Reads `bytes` from `offset` on, and moves `offset` past what was consumed.
    ///
    /// A size line or trailer section that is not whole is not consumed: the next call must begin with the same bytes and bring
    /// more. Payload is consumed as it comes. After a fault the decoder must not be used again; after `.end` it repeats an empty `.end`.
    package mutating func next(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) throws(ChunkError) -> Event {
        guard let base = bytes.baseAddress, offset >= 0 else { return state == .done ? .end(trailers: 0..<0) : .needMore }
        while true {
            switch state {
            case .size:
                guard try readSizeLine(base, &offset, bytes.count) else { return .needMore }
            case .data:
                guard offset < bytes.count else { return .needMore }
                return .data(takeData(&offset, bytes.count))
            case .dataEnd:
                guard try readDataEnd(base, &offset, bytes.count) else { return .needMore }
            case .trailers:
                guard let lines = try readTrailers(base, &offset, bytes.count) else { return .needMore }
                return .end(trailers: lines)
            case .done:
                return .end(trailers: offset..<offset)
            }
        }
    }

    private mutating func readSizeLine(_ base: UnsafeRawPointer, _ offset: inout Int, _ end: Int) throws(ChunkError) -> Bool {
        var at = offset + scanned
        let stop = min(end, offset + lineLimit)
        defer { scanned = at - offset }
        while at < stop {
            let byte = Bytes.load(base, at)
            switch part {
            case .digits: try takeDigit(byte)
            case .suffix:
                at = Bytes.skipValue(base, at, stop)
                guard at < stop else { continue }
                guard Bytes.load(base, at) == Bytes.cr else { throw .badExtension }
                part = .lineEnd
            case .lineEnd:
                guard byte == Bytes.lf else { throw .missingCRLF }
                at += 1
                offset = at
                endSizeLine()
                return true
            }
            at += 1
        }
        if at - offset >= lineLimit { throw .lineTooLong }
        return false
    }

    private mutating func takeDigit(_ byte: UInt8) throws(ChunkError) {
        let letter = byte | 0x20
        let value: UInt8
        switch true {
        case byte >= 0x30 && byte <= 0x39: value = byte - 0x30
        case letter >= 0x61 && letter <= 0x66: value = letter - 0x57
        default:
            guard digits > 0 else { throw .badSize }
            switch byte {
            case Bytes.cr: part = .lineEnd
            case UInt8(ascii: ";"): part = .suffix
            case Bytes.lf: throw .missingCRLF
            default: throw .badSize
            }
            return
        }
        digits += 1
        guard digits <= 16, remaining >> 59 == 0 else { throw .sizeOverflow }
        remaining = remaining << 4 | UInt64(value)
    }

    private mutating func endSizeLine() {
        state = remaining == 0 ? .trailers : .data
        part = .digits
        digits = 0
    }

    private mutating func takeData(_ offset: inout Int, _ end: Int) -> Range<Int> {
        let start = offset
        let count = remaining < UInt64(end - start) ? Int(remaining) : end - start
        offset = start + count
        remaining -= UInt64(count)
        if remaining == 0 { state = .dataEnd }
        return start..<offset
    }

    /// The CRLF after a chunk's payload.
    private mutating func readDataEnd(_ base: UnsafeRawPointer, _ offset: inout Int, _ end: Int) throws(ChunkError) -> Bool {
        guard offset < end else { return false }
        guard Bytes.load(base, offset) == Bytes.cr else { throw .missingCRLF }
        guard offset + 1 < end else { return false }
        guard Bytes.load(base, offset + 1) == Bytes.lf else { throw .missingCRLF }
        offset += 2
        state = .size
        return true
    }

    private mutating func readTrailers(_ base: UnsafeRawPointer, _ offset: inout Int, _ end: Int) throws(ChunkError) -> Range<Int>? {
        guard offset < end else { return nil }
        let start = offset
        let available = min(end - start, trailerLimit)
        while true {
            switch try readTrailer(base + start, available) {
            case .field: continue
            case .end(let length):
                offset = start + length
                state = .done
                return start..<(offset - 2)
            case .more:
                if available == trailerLimit { throw .trailersTooLarge }
                return nil
            }
        }
    }

    private mutating func readTrailer(_ base: UnsafeRawPointer, _ end: Int) throws(ChunkError) -> FieldScanner.Step {
        do {
            return try trailers.next(base, end)
        } catch {
            throw .badTrailer
        }
    }
}
