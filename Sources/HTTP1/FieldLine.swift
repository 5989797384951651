/// A stretch of the bytes of a message head, counted from the message's first byte.
package struct ByteRange: Sendable, Hashable {
    /// Offset of the first byte.
    package var start: Int32
    /// Number of bytes.
    package var count: Int32

    /// A range at the very front with nothing in it.
    package static let empty = ByteRange(start: 0, count: 0)

    /// Makes the range [start, start + count), in bytes.
    package init(start: Int32, count: Int32) {
        self.start = start
        self.count = count
    }

    /// Makes the range [start, end), in bytes. Both lie below 2 GiB, which the limits of a head guarantee.
    init(_ start: Int, _ end: Int) {
        self.start = Int32(truncatingIfNeeded: start)
        count = Int32(truncatingIfNeeded: end - start)
    }

    /// Offset just past the last byte.
    package var end: Int32 { start &+ count }

    /// True when the range holds no byte.
    package var isEmpty: Bool { count == 0 }

    /// The bytes of the range. `bytes` must start at the message's first byte and hold the whole head; anything else traps.
    package func slice(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let first = Int(start)
        let length = Int(count)
        precondition(first >= 0 && length >= 0 && first + length <= bytes.count, "range outside the message")
        return UnsafeRawBufferPointer(start: bytes.baseAddress.map { $0 + first }, count: length)
    }
}

/// One field line of a head: where its name and its value lie, and which field it is (RFC 9112 section 5).
package struct FieldLine: Sendable {
    /// The field name as written.
    package var name: ByteRange
    /// The field value without the optional whitespace around it; may be empty.
    package var value: ByteRange
    /// The field when it is one the proxy acts on, `.other` for the rest.
    package var id: FieldName
}
