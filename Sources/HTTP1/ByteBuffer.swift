// Bounds: 0 <= head <= tail <= capacity always holds. Only `commit`, `consume` and the `append` family move the indices; the first two
// trap when the caller asks for more than there is, the last reserves before it writes. The memory is exactly `capacity` bytes.

/// A growable queue of bytes over raw memory: bytes enter at the tail and leave at the front.
///
/// Not thread-safe; it belongs to one connection. Memory is taken only when the first byte needs it.
package final class ByteBuffer {
    private var memory: UnsafeMutableRawPointer?
    private var head = 0
    private var tail = 0
    private var size: Int

    /// Size of the memory held, in bytes.
    package var capacity: Int { size }

    /// Makes an empty buffer. `capacity` is in bytes; 0 takes no memory until something is appended or reserved.
    package init(capacity: Int) {
        size = max(0, capacity)
        memory = capacity > 0 ? UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16) : nil
    }

    deinit { memory?.deallocate() }

    /// Number of readable bytes.
    package var count: Int { tail - head }

    /// True when nothing is readable.
    package var isEmpty: Bool { tail == head }

    /// Number of bytes that fit behind the tail without `reserve`.
    package var writableCount: Int { size - tail }

    /// The readable bytes. Valid until the next call that changes the buffer.
    package var readable: UnsafeRawBufferPointer {
        guard let memory else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(start: memory + head, count: tail - head)
    }

    /// The free memory behind the tail; tell `commit` how much of it was filled. Valid until the next call that changes the buffer.
    package var writable: UnsafeMutableRawBufferPointer {
        guard let memory else { return UnsafeMutableRawBufferPointer(start: nil, count: 0) }
        return UnsafeMutableRawBufferPointer(start: memory + tail, count: size - tail)
    }

    /// Makes `writableCount` at least `n` bytes: moves the readable bytes to the front when that is enough, grows otherwise.
    package func reserve(_ n: Int) {
        if size - tail >= n { return }
        let live = tail - head
        if size - live >= n {
            if let memory, live > 0 { memory.copyMemory(from: memory + head, byteCount: live) }
        } else {
            let grown = max(live + n, size * 2, 64)
            let fresh = UnsafeMutableRawPointer.allocate(byteCount: grown, alignment: 16)
            if let memory {
                fresh.copyMemory(from: memory + head, byteCount: live)
                memory.deallocate()
            }
            memory = fresh
            size = grown
        }
        head = 0
        tail = live
    }

    /// Takes `n` bytes that were written to `writable` into the readable region. `n` must not exceed `writableCount`.
    package func commit(_ n: Int) {
        precondition(n >= 0 && n <= size - tail, "commit beyond the writable region")
        tail += n
    }

    /// Drops `n` bytes from the front. `n` must not exceed `count`.
    package func consume(_ n: Int) {
        precondition(n >= 0 && n <= tail - head, "consume beyond the readable region")
        head += n
        if head == tail {
            head = 0
            tail = 0
        }
    }

    /// Drops every readable byte and keeps the memory.
    package func clear() {
        head = 0
        tail = 0
    }

    /// Appends a copy of `bytes`, which must not lie in this buffer.
    package func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, bytes.count > 0 else { return }
        let target = room(for: bytes.count)
        target.copyMemory(from: source, byteCount: bytes.count)
        tail += bytes.count
    }

    /// Appends the UTF-8 bytes of a literal.
    package func append(_ text: StaticString) {
        guard text.hasPointerRepresentation else {
            append(String(text.unicodeScalar))
            return
        }
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends the UTF-8 bytes of `text`. Literals take the overload above, which is cheaper.
    @_disfavoredOverload
    package func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    /// Appends one byte.
    package func append(byte: UInt8) {
        room(for: 1).storeBytes(of: byte, as: UInt8.self)
        tail += 1
    }

    /// Appends `value` as decimal digits without leading zeros.
    package func append(decimal value: UInt64) {
        append(value, radix: 10)
    }

    /// Appends `value` as lower-case hexadecimal digits without leading zeros.
    package func append(hex value: UInt64) {
        append(value, radix: 16)
    }

    private func append(_ value: UInt64, radix: UInt64) {
        var digits = 1
        var rest = value / radix
        while rest > 0 {
            digits += 1
            rest /= radix
        }
        let target = room(for: digits)
        rest = value
        for place in stride(from: digits - 1, through: 0, by: -1) {
            let digit = UInt8(truncatingIfNeeded: rest % radix)
            target.storeBytes(of: digit < 10 ? digit + 0x30 : digit + 0x57, toByteOffset: place, as: UInt8.self)
            rest /= radix
        }
        tail += digits
    }

    /// The address to write `n` bytes at; the caller moves the tail.
    private func room(for n: Int) -> UnsafeMutableRawPointer {
        if size - tail < n { reserve(n) }
        guard let memory else { preconditionFailure("reserve left no memory") }
        return memory + tail
    }
}
