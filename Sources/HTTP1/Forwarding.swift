// Bounds: `LineCopier` copies between offsets that the parser found in the same bytes, in ascending order, and `slice` checks each stretch.

/// Writes the messages a proxy sends from the messages it received (RFC 9110 section 7.6, RFC 9112 section 3.2).
///
/// Field lines that pass are copied byte for byte and in order. What speaks to this hop alone goes, what frames the message is
/// written anew from its parsed meaning, and the proxy's own Via comes after those received. Callers pass the parser that holds
/// the head, and the bytes it was read from.
package enum Forwarding {}

/// Copies field lines in the longest runs it can, leaving some out and letting others be put between.
struct LineCopier {
    private let lines: ContiguousArray<FieldLine>
    private let bytes: UnsafeRawBufferPointer
    private let buffer: ByteBuffer
    private let end: Int
    private var runStart: Int

    init(_ parser: HeadParser, _ bytes: UnsafeRawBufferPointer, to buffer: ByteBuffer) {
        lines = parser.fields
        self.bytes = bytes
        self.buffer = buffer
        end = max(0, parser.headLength - 2)
        runStart = lines.first.map { Int($0.name.start) } ?? end
    }

    /// Leaves the line at `index` out.
    mutating func drop(_ index: Int) {
        copy(to: Int(lines[index].name.start))
        runStart = lineEnd(index)
    }

    /// Copies everything up to and including the line at `index`, so that something may be put after it.
    mutating func finish(_ index: Int) {
        copy(to: lineEnd(index))
        runStart = lineEnd(index)
    }

    /// Copies what is left.
    mutating func finish() {
        copy(to: end)
        runStart = end
    }

    private func copy(to stop: Int) {
        guard stop > runStart else { return }
        buffer.append(ByteRange(runStart, stop).slice(bytes))
    }

    private func lineEnd(_ index: Int) -> Int {
        index + 1 < lines.count ? Int(lines[index + 1].name.start) : end
    }
}
