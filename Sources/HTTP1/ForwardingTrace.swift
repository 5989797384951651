// Bounds: every range comes from the head and is checked by `slice`.

extension Forwarding {
    /// Appends the body of the answer to a TRACE that ends here: the request head as received, as `message/http`, without the
    /// fields that hold secrets of the client (RFC 9110 section 9.3.8).
    package static func appendTraceEcho(
        _ head: RequestHead, fields parser: HeadParser, bytes: UnsafeRawBufferPointer, to buffer: ByteBuffer
    ) {
        buffer.append(head.methodRange.slice(bytes))
        buffer.append(byte: Bytes.space)
        buffer.append(head.targetRange.slice(bytes))
        buffer.append(" HTTP/1.")
        buffer.append(byte: head.minorVersion + 0x30)
        buffer.append("\r\n")
        var copier = LineCopier(parser, bytes, to: buffer)
        let lines = parser.fields
        for index in lines.indices {
            switch lines[index].id {
            case .authorization, .cookie, .proxyAuthorization: copier.drop(index)
            default: break
            }
        }
        copier.finish()
        buffer.append("\r\n")
    }
}
