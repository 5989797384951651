// Bounds: every range comes from the head and is checked by `slice`.

extension Forwarding {
    /// Appends the request as it goes upstream, blank line included; always as HTTP/1.1 and without `Connection: keep-alive`.
    ///
    /// - The target is the path, "/" when there is none, "*" for OPTIONS without one; with `absoluteForm` it is the target as
    ///   received, which a parent proxy needs.
    /// - Host is that of the target, whatever the client wrote, in the place of the client's line or first.
    /// - Max-Forwards is one less for OPTIONS and TRACE.
    /// - TE goes on as `TE: trailers`, and Upgrade goes on, when the head says so; both are then named by Connection.
    /// - Expect goes on from HTTP/1.1 clients only.
    /// - `extraFields` are whole field lines, each with its line end, put at the end.
    /// - `pseudonym` is the name in the proxy's own Via line.
    package static func appendRequest(
        _ head: RequestHead, fields parser: HeadParser, bytes: UnsafeRawBufferPointer, absoluteForm: Bool,
        extraFields: String? = nil, pseudonym: String, to buffer: ByteBuffer
    ) {
        buffer.reserve(parser.headLength + 160)
        appendRequestLine(head, bytes, absoluteForm: absoluteForm, to: buffer)
        if head.hostIndex < 0, head.authority != nil { appendHost(head, bytes, to: buffer) }
        var copier = LineCopier(parser, bytes, to: buffer)
        let lines = parser.fields
        let mayBeNamed = !head.connectionOptions.isEmpty
        for index in lines.indices where lines[index].id != .other || mayBeNamed {
            let line = lines[index]
            if mayBeNamed, head.connectionOptions.contain(line.name, bytes) {
                copier.drop(index)
                continue
            }
            switch treatment(line, head, bytes) {
            case .copy: break
            case .drop: copier.drop(index)
            case .replace:
                copier.drop(index)
                appendReplacement(line.id, head, bytes, to: buffer)
            }
            if index == head.lastViaIndex {
                copier.finish(index)
                appendVia(head.minorVersion, pseudonym, to: buffer)
            }
        }
        copier.finish()
        if head.lastViaIndex < 0 { appendVia(head.minorVersion, pseudonym, to: buffer) }
        appendHopFields(head, to: buffer)
        if let extraFields { buffer.append(extraFields) }
        buffer.append("\r\n")
    }

    private enum Treatment { case copy, drop, replace }

    private static func treatment(_ line: FieldLine, _ head: RequestHead, _ bytes: UnsafeRawBufferPointer) -> Treatment {
        if line.id.isHopByHop { return .drop }
        switch line.id {
        case .host:
            if head.authority == nil { return .copy }
            return Bytes.same(line.value.slice(bytes), head.authorityRange.slice(bytes)) ? .copy : .replace
        case .contentLength: return head.framing == .none ? .drop : .replace
        case .transferEncoding: return .replace
        case .trailer: return head.framing == .chunked ? .copy : .drop
        case .upgrade: return head.upgrade ? .copy : .drop
        case .expect: return head.minorVersion >= 1 ? .copy : .drop
        case .maxForwards: return head.maxForwards == nil ? .copy : .replace
        default: return .copy
        }
    }

    private static func appendReplacement(
        _ id: FieldName, _ head: RequestHead, _ bytes: UnsafeRawBufferPointer, to buffer: ByteBuffer
    ) {
        switch (id, head.framing) {
        case (.host, _): appendHost(head, bytes, to: buffer)
        case (.contentLength, .length(let length)): appendContentLength(length, to: buffer)
        case (.transferEncoding, .chunked): buffer.append("Transfer-Encoding: chunked\r\n")
        case (.maxForwards, _):
            buffer.append("Max-Forwards: ")
            buffer.append(decimal: UInt64(max(head.maxForwards ?? 0, 1) - 1))
            buffer.append("\r\n")
        default: break
        }
    }

    static func appendContentLength(_ length: UInt64, to buffer: ByteBuffer) {
        buffer.append("Content-Length: ")
        buffer.append(decimal: length)
        buffer.append("\r\n")
    }

    private static func appendRequestLine(
        _ head: RequestHead, _ bytes: UnsafeRawBufferPointer, absoluteForm: Bool, to buffer: ByteBuffer
    ) {
        buffer.append(head.methodRange.slice(bytes))
        buffer.append(byte: Bytes.space)
        if case .absolute = head.target, !absoluteForm {
            let path = head.pathRange.slice(bytes)
            if path.isEmpty, head.method == .options {
                buffer.append("*")
            } else {
                if path.first != UInt8(ascii: "/") { buffer.append("/") }
                buffer.append(path)
            }
        } else {
            buffer.append(head.targetRange.slice(bytes))
        }
        buffer.append(" HTTP/1.1\r\n")
    }

    private static func appendHost(_ head: RequestHead, _ bytes: UnsafeRawBufferPointer, to buffer: ByteBuffer) {
        buffer.append("Host: ")
        buffer.append(head.authorityRange.slice(bytes))
        buffer.append("\r\n")
    }

    /// The proxy's own Connection line, and the TE line it names (RFC 9110 section 10.1.4).
    private static func appendHopFields(_ head: RequestHead, to buffer: ByteBuffer) {
        switch (head.upgrade, head.acceptsTrailers) {
        case (false, false): return
        case (true, false): buffer.append("Connection: upgrade\r\n")
        case (false, true): buffer.append("Connection: TE\r\nTE: trailers\r\n")
        case (true, true): buffer.append("Connection: upgrade, TE\r\nTE: trailers\r\n")
        }
    }
}
