/// Upper bounds for the heads that are accepted. A head that exceeds one is refused as soon as that is certain.
package struct HeadLimits: Sendable {
    /// Bytes of the request line without its line end.
    package var requestLine: Int
    /// Bytes of the whole head, from the first byte to the end of the blank line. At most 1 GiB, so that offsets fit 32 bits.
    package var head: Int
    /// Number of field lines.
    package var fields: Int

    /// The defaults take any request line of the 8000 bytes that RFC 9112 section 3 asks for, and every head seen in practice.
    package init(requestLine: Int = 8 * 1024, head: Int = 64 * 1024, fields: Int = 1000) {
        self.head = min(max(head, 1), 1 << 30)
        self.requestLine = min(max(requestLine, 1), self.head)
        self.fields = max(fields, 0)
    }
}
