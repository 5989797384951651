// Bounds: the walk stays inside the value it was made for, which `ByteRange.slice` has checked against the head.

/// The elements of a comma-separated field value (RFC 9110 section 5.6.1), without blanks around them; empty elements are skipped.
struct ListElements: Sequence, IteratorProtocol {
    private let base: UnsafeRawPointer?
    private var position: Int
    private let end: Int

    /// Walks over `value`, a range of the head that `bytes` begins with.
    init(_ value: ByteRange, _ bytes: UnsafeRawBufferPointer) {
        base = value.slice(bytes).baseAddress == nil ? nil : bytes.baseAddress
        position = Int(value.start)
        end = Int(value.end)
    }

    mutating func next() -> ByteRange? {
        guard let base else { return nil }
        while position < end {
            let comma = Bytes.find(Bytes.comma, base, position, end)
            let start = Bytes.skipBlank(base, position, comma)
            let stop = Bytes.trimBlank(base, start, comma)
            position = comma + 1
            if stop > start { return ByteRange(start, stop) }
        }
        return nil
    }
}

extension Bytes {
    /// True when the bytes are one token.
    static func isToken(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let base = bytes.baseAddress, bytes.count > 0 else { return false }
        return skipToken(base, 0, bytes.count) == bytes.count
    }

    /// The number that 1 to 19 decimal digits state, up to the largest signed 64-bit integer; nil for anything else.
    static func number(_ bytes: UnsafeRawBufferPointer) -> UInt64? {
        guard bytes.count >= 1 && bytes.count <= 19 else { return nil }
        var value: UInt64 = 0
        for byte in bytes {
            guard byte >= 0x30 && byte <= 0x39 else { return nil }
            value = value * 10 + UInt64(byte - 0x30)
        }
        return value <= UInt64(Int64.max) ? value : nil
    }
}
