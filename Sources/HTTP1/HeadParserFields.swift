// Bounds: `position` never passes the `end` a call is given, and a later call must bring at least as many bytes as the one
// before. All reads are at offsets below `end`.

/// Walks a section of field lines up to and including its blank line (RFC 9112 section 5), strictly and resumably: each byte is
/// looked at once, however the bytes arrive. Used for heads and for trailer sections.
struct FieldScanner {
    /// What a walk came to.
    enum Step {
        /// All bytes were used up before the section's end.
        case more
        /// A field line is whole.
        case field(FieldLine)
        /// The blank line ends just before this offset.
        case end(Int)
    }

    private enum Phase: UInt8 { case lineStart, name, valueStart, value, lineEnd, lastLineEnd }

    private var phase = Phase.lineStart
    private var isFirstLine = true
    /// Offset of the first byte not looked at yet.
    private(set) var position: Int
    /// Where the line being read begins.
    private(set) var lineStart: Int
    private var nameEnd = 0
    private var valueStart = 0

    /// Begins a section whose first line stands at offset `start`.
    init(start: Int) {
        position = start
        lineStart = start
    }

    /// Goes on over the bytes [position, end) behind `base`, to the next whole line or the end of the section.
    mutating func next(_ base: UnsafeRawPointer, _ end: Int) throws(HeadError) -> Step {
        var at = position
        defer { position = at }
        while at < end {
            switch phase {
            case .lineStart:
                let byte = Bytes.load(base, at)
                lineStart = at
                if byte == Bytes.cr {
                    at += 1
                    phase = .lastLineEnd
                } else {
                    guard Bytes.isToken(byte) else { throw lineStartFault(byte) }
                    phase = .name
                }
            case .name:
                at = Bytes.skipToken(base, at, end)
                guard at < end else { return .more }
                guard Bytes.load(base, at) == Bytes.colon else { throw nameFault(Bytes.load(base, at)) }
                nameEnd = at
                at += 1
                phase = .valueStart
            case .valueStart:
                at = Bytes.skipBlank(base, at, end)
                guard at < end else { return .more }
                valueStart = at
                phase = .value
            case .value:
                at = Bytes.skipValue(base, at, end)
                guard at < end else { return .more }
                guard Bytes.load(base, at) == Bytes.cr else { throw valueFault(Bytes.load(base, at)) }
                at += 1
                phase = .lineEnd
            case .lineEnd:
                guard Bytes.load(base, at) == Bytes.lf else { throw .bareCR }
                at += 1
                return .field(endLine(base, at))
            case .lastLineEnd:
                guard Bytes.load(base, at) == Bytes.lf else { throw .bareCR }
                at += 1
                return .end(at)
            }
        }
        return .more
    }

    /// The line whose CRLF ends at `next`, where the following line begins.
    private mutating func endLine(_ base: UnsafeRawPointer, _ next: Int) -> FieldLine {
        let name = ByteRange(lineStart, nameEnd)
        let valueEnd = Bytes.trimBlank(base, valueStart, next - 2)
        let id = FieldName.recognise(base + lineStart, nameEnd - lineStart)
        phase = .lineStart
        isFirstLine = false
        lineStart = next
        return FieldLine(name: name, value: ByteRange(valueStart, valueEnd), id: id)
    }

    private func lineStartFault(_ byte: UInt8) -> HeadError {
        switch byte {
        case Bytes.space, Bytes.tab: isFirstLine ? .leadingSpace : .obsFold
        case Bytes.lf: .bareLF
        default: .badFieldName
        }
    }

    private func nameFault(_ byte: UInt8) -> HeadError {
        switch byte {
        case Bytes.space, Bytes.tab: .spaceBeforeColon
        case Bytes.cr: .missingColon
        case Bytes.lf: .bareLF
        default: .badFieldName
        }
    }

    private func valueFault(_ byte: UInt8) -> HeadError {
        byte == Bytes.lf ? .bareLF : .controlInValue
    }
}
