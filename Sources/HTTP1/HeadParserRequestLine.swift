// Bounds: `position` never passes the `end` a call is given, and a later call must bring at least as many bytes as the one
// before. All reads are at offsets below `end`.

/// The first line of a request (RFC 9112 section 3), read strictly and resumably.
struct RequestLine {
    private enum Phase: UInt8 { case start, emptyLine, method, target, version, afterVersion, lineEnd }

    private var phase = Phase.start
    private var lineStart = 0
    private var partStart = 0
    private var emptyLines = 0
    private var versionScanner = VersionScanner()

    /// Offset of the first byte not read yet; once the line is whole, where the field lines begin.
    private(set) var position = 0
    private(set) var method = ByteRange.empty
    private(set) var target = ByteRange.empty

    var minorVersion: UInt8 { versionScanner.minor }

    /// A client may send a line end too many after a body; more than a few are not such a slip (RFC 9112 section 2.2).
    private static let emptyLineLimit = 8

    /// Reads on in a line of at most `limit` bytes; true once it is whole.
    mutating func read(_ base: UnsafeRawPointer, _ end: Int, limit: Int) throws(HeadError) -> Bool {
        while position < end {
            // One byte over the limit may be looked at: it has to be the line end.
            let stop = min(end, lineStart + limit + 1)
            switch phase {
            case .start: try start(Bytes.load(base, position))
            case .emptyLine: try endEmptyLine(Bytes.load(base, position))
            case .method: try readMethod(base, stop)
            case .target: try readTarget(base, stop)
            case .version:
                if try versionScanner.next(base, &position, stop, fault: .badVersion) { phase = .afterVersion }
            case .afterVersion:
                guard Bytes.load(base, position) == Bytes.cr else { throw fault(Bytes.load(base, position), .badVersion) }
                position += 1
                phase = .lineEnd
                continue
            case .lineEnd:
                guard Bytes.load(base, position) == Bytes.lf else { throw .bareCR }
                position += 1
                return true
            }
            if position - lineStart > limit { throw .requestLineTooLong }
        }
        return false
    }

    private mutating func start(_ byte: UInt8) throws(HeadError) {
        if byte == Bytes.cr {
            emptyLines += 1
            if emptyLines > RequestLine.emptyLineLimit { throw .malformedRequestLine }
            position += 1
            phase = .emptyLine
        } else {
            guard Bytes.isToken(byte) else { throw fault(byte, .badMethod) }
            lineStart = position
            partStart = position
            phase = .method
        }
    }

    private mutating func endEmptyLine(_ byte: UInt8) throws(HeadError) {
        guard byte == Bytes.lf else { throw .bareCR }
        position += 1
        lineStart = position
        phase = .start
    }

    private mutating func readMethod(_ base: UnsafeRawPointer, _ stop: Int) throws(HeadError) {
        position = Bytes.skipToken(base, position, stop)
        guard position < stop else { return }
        let byte = Bytes.load(base, position)
        guard byte == Bytes.space else { throw fault(byte, byte == Bytes.cr ? .malformedRequestLine : .badMethod) }
        method = ByteRange(partStart, position)
        position += 1
        partStart = position
        phase = .target
    }

    private mutating func readTarget(_ base: UnsafeRawPointer, _ stop: Int) throws(HeadError) {
        position = Bytes.skipVisible(base, position, stop)
        guard position < stop else { return }
        let byte = Bytes.load(base, position)
        guard byte == Bytes.space else { throw fault(byte, byte == Bytes.cr ? .malformedRequestLine : .badTarget) }
        guard position > partStart else { throw .malformedRequestLine }
        target = ByteRange(partStart, position)
        position += 1
        phase = .version
    }

    private func fault(_ byte: UInt8, _ other: HeadError) -> HeadError {
        byte == Bytes.lf ? .bareLF : other
    }
}
