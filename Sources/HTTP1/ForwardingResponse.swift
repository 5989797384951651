// Bounds: every range comes from the head and is checked by `slice`.

extension Forwarding {
    /// How the body of a response goes to the client, whatever way it came.
    package enum Delivery: Sendable {
        /// As it came: with its Content-Length, in chunks, or until the connection closes; also when there is no body.
        case asReceived
        /// In chunks.
        case chunked
        /// Without a mark, ended by closing the connection.
        case closeDelimited
    }

    /// Appends the response as it goes to the client, blank line included, always as HTTP/1.1.
    ///
    /// - Content-Length stays only with `.asReceived`, and never on a 1xx or 204 (RFC 9110 section 8.6).
    /// - Trailer stays only when the body goes in chunks.
    /// - Upgrade stays on a 101 and on a 426, which must name a protocol (RFC 9110 section 15.5.22).
    /// - `close` adds `Connection: close`.
    /// - `date` is 29 bytes of IMF-fixdate, used when the response has no Date that passes (RFC 9110 section 6.6.1).
    /// - `pseudonym` is the name in the proxy's own Via line.
    package static func appendResponse(
        _ head: ResponseHead, fields parser: HeadParser, bytes: UnsafeRawBufferPointer, delivery: Delivery, close: Bool,
        date: String, pseudonym: String, to buffer: ByteBuffer
    ) {
        buffer.reserve(parser.headLength + 192)
        appendStatusLine(head, bytes, to: buffer)
        let isChunked = delivery == .chunked || delivery == .asReceived && head.framing == .chunked
        appendLines(head, parser, bytes, isChunked: isChunked, keepsLength: delivery == .asReceived, via: pseudonym, to: buffer)
        if isChunked { buffer.append("Transfer-Encoding: chunked\r\n") }
        if !head.hasDate {
            buffer.append("Date: ")
            buffer.append(date)
            buffer.append("\r\n")
        }
        if head.lastViaIndex < 0 { appendVia(head.minorVersion, pseudonym, to: buffer) }
        switch (close, keepsUpgrade(head)) {
        case (false, false): break
        case (true, false): buffer.append("Connection: close\r\n")
        case (false, true): buffer.append("Connection: upgrade\r\n")
        case (true, true): buffer.append("Connection: close, upgrade\r\n")
        }
        buffer.append("\r\n")
    }

    /// Appends a 1xx as it goes to the client: the status line and the fields that pass, without own additions. Not for a 101.
    package static func appendInterim(
        _ head: ResponseHead, fields parser: HeadParser, bytes: UnsafeRawBufferPointer, to buffer: ByteBuffer
    ) {
        appendStatusLine(head, bytes, to: buffer)
        appendLines(head, parser, bytes, isChunked: false, keepsLength: false, via: nil, to: buffer)
        buffer.append("\r\n")
    }

    private static func appendStatusLine(_ head: ResponseHead, _ bytes: UnsafeRawBufferPointer, to buffer: ByteBuffer) {
        buffer.append("HTTP/1.1 ")
        buffer.append(decimal: UInt64(head.status))
        // The space belongs to the line even when no reason follows (RFC 9112 section 4).
        buffer.append(byte: Bytes.space)
        buffer.append(head.reasonRange.slice(bytes))
        buffer.append("\r\n")
    }

    private static func appendLines(
        _ head: ResponseHead, _ parser: HeadParser, _ bytes: UnsafeRawBufferPointer, isChunked: Bool, keepsLength: Bool, via: String?,
        to buffer: ByteBuffer
    ) {
        var copier = LineCopier(parser, bytes, to: buffer)
        var length = keepsLength && head.status >= 200 && head.status != 204 ? head.contentLength : nil
        let lines = parser.fields
        let mayBeNamed = !head.connectionOptions.isEmpty
        for index in lines.indices where lines[index].id != .other || mayBeNamed {
            let line = lines[index]
            if !passes(line.id, head, isChunked) || mayBeNamed && head.connectionOptions.contain(line.name, bytes) {
                copier.drop(index)
            }
            if line.id == .contentLength, let value = length {
                appendContentLength(value, to: buffer)
                length = nil
            }
            if index == head.lastViaIndex, let via {
                copier.finish(index)
                appendVia(head.minorVersion, via, to: buffer)
            }
        }
        copier.finish()
    }

    private static func passes(_ id: FieldName, _ head: ResponseHead, _ isChunked: Bool) -> Bool {
        switch id {
        case .contentLength, .transferEncoding: false
        case .trailer: isChunked
        case .upgrade: keepsUpgrade(head)
        default: !id.isHopByHop
        }
    }

    private static func keepsUpgrade(_ head: ResponseHead) -> Bool { head.upgrade || head.status == 426 && head.hasUpgrade }
}
