// Bounds: nothing is read here; a name for borrowed bytes and the empty one.

extension ByteBuffer {
    /// Bytes borrowed from a buffer: valid until the buffer's next mutation.
    package typealias Bytes = UnsafeRawBufferPointer

    /// No bytes.
    package static var noBytes: Bytes { Bytes(start: nil, count: 0) }
}
