// Bounds: `position` never passes the `end` a call is given, and a later call must bring at least as many bytes as the one
// before. All reads are at offsets below `end`.

/// The first line of a response (RFC 9112 section 4), read strictly and resumably.
struct StatusLine {
    private enum Phase: UInt8 { case version, code, afterCode, reason, lineEnd }

    private var phase = Phase.version
    private var codeBytes = 0
    private var reasonStart = 0
    private var versionScanner = VersionScanner()

    /// Offset of the first byte not read yet; once the line is whole, where the field lines begin.
    private(set) var position = 0
    private(set) var status = 0
    private(set) var reason = ByteRange.empty

    var minorVersion: UInt8 { versionScanner.minor }

    /// Reads on; true once the line is whole.
    mutating func read(_ base: UnsafeRawPointer, _ end: Int) throws(HeadError) -> Bool {
        while position < end {
            switch phase {
            case .version:
                if try versionScanner.next(base, &position, end, fault: .badStatusLine) { phase = .code }
            case .code: try readCode(Bytes.load(base, position))
            case .afterCode: try endCode(Bytes.load(base, position))
            case .reason: try readReason(base, end)
            case .lineEnd:
                guard Bytes.load(base, position) == Bytes.lf else { throw .bareCR }
                position += 1
                return true
            }
        }
        return false
    }

    /// A space and the three digits of the code.
    private mutating func readCode(_ byte: UInt8) throws(HeadError) {
        if codeBytes == 0 {
            guard byte == Bytes.space else { throw .badStatusLine }
        } else {
            guard byte >= 0x30 && byte <= 0x39 else { throw .badStatusLine }
            status = status * 10 + Int(byte - 0x30)
        }
        codeBytes += 1
        position += 1
        if codeBytes == 4 {
            guard status >= 100 else { throw .badStatusLine }
            phase = .afterCode
        }
    }

    /// The reason may be missing, with or without the space before it: servers do both.
    private mutating func endCode(_ byte: UInt8) throws(HeadError) {
        guard byte == Bytes.space || byte == Bytes.cr else { throw byte == Bytes.lf ? .bareLF : .badStatusLine }
        position += 1
        reasonStart = position
        phase = byte == Bytes.space ? .reason : .lineEnd
    }

    private mutating func readReason(_ base: UnsafeRawPointer, _ end: Int) throws(HeadError) {
        position = Bytes.skipValue(base, position, end)
        guard position < end else { return }
        let byte = Bytes.load(base, position)
        guard byte == Bytes.cr else { throw byte == Bytes.lf ? .bareLF : .badStatusLine }
        reason = ByteRange(reasonStart, position)
        position += 1
        phase = .lineEnd
    }
}
