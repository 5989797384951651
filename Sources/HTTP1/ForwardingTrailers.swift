// Bounds: line ends are searched below `lines.count`, and every offset used after that lies before the line end found.

extension Forwarding {
    /// Appends a trailer section: the lines that may act after the fact, then the blank line that ends the body.
    ///
    /// `lines` are field lines that `ChunkedDecoder` has validated, without the final blank line. Left out are the fields that
    /// frame, route or authenticate, or that describe the content or the hop (RFC 9110 section 6.5.1): whoever would merge
    /// them into the head could be led astray.
    package static func appendTrailers(_ lines: UnsafeRawBufferPointer, to buffer: ByteBuffer) {
        if let base = lines.baseAddress {
            var start = 0
            while start < lines.count {
                let end = min(Bytes.find(Bytes.lf, base, start, lines.count) + 1, lines.count)
                let nameEnd = Bytes.skipToken(base, start, end)
                let name = FieldName(UnsafeRawBufferPointer(rebasing: lines[start..<nameEnd]))
                if !name.isForbiddenInTrailer { buffer.append(UnsafeRawBufferPointer(rebasing: lines[start..<end])) }
                start = end
            }
        }
        buffer.append("\r\n")
    }
}
