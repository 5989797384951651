import EventLoop
import HTTP1
import Net
import Policy

// What the proxy answers by itself.
extension ClientConnection {
    /// Answers a head that is not one of HTTP and ends the connection: nobody knows where the next request would begin.
    func refuseMalformed(_ error: HeadError) async -> Bool {
        await refuse(.badRequest(error), close: true)
        await endGracefully()
        return false
    }

    /// Answers a whole, valid request with a failure. The connection goes on when no body is left in it.
    func refuse(_ request: RequestHead, _ failure: ProxyFailure, headLength: Int) async -> Bool {
        input.consume(headLength)
        return await refuse(request, failure)
    }

    /// The same when the head has been consumed already.
    func refuse(_ request: RequestHead, _ failure: ProxyFailure, bodyIsRead: Bool = false) async -> Bool {
        let hasBody = request.framing != .none && request.framing != .length(0) && !bodyIsRead
        // What follows a failed CONNECT was meant for the tunnel and must not be taken for requests.
        let close = hasBody || !request.keepAlive || worker.isDraining || request.method == .connect && !input.isEmpty
        await refuse(failure, isHead: request.method == .head, close: close)
        if close { await endGracefully() }
        return !close
    }

    /// Writes a failure's response and the access line.
    func refuse(_ failure: ProxyFailure, isHead: Bool = false, close: Bool) async {
        ErrorResponse.append(failure, head: isHead, close: close, date: worker.date.http(), to: output.open())
        record.status = failure.status
        note(failure)
        await flushOutput()
        log()
    }

    /// Keeps a failure for the access line.
    func note(_ failure: ProxyFailure) {
        record.errorLabel = failure.label
        record.reason = failure.sentence
    }

    /// `OPTIONS *`, and OPTIONS whose Max-Forwards ends here (RFC 9110 sections 9.3.7 and 7.6.2).
    func answerOptions(_ request: RequestHead, headLength: Int) async -> Bool {
        await answer(request, headLength: headLength, status: "200 OK") { buffer in
            buffer.append("Allow: GET, HEAD, POST, PUT, DELETE, CONNECT, OPTIONS, TRACE, PATCH\r\nContent-Length: 0\r\n\r\n")
        }
    }

    /// TRACE whose Max-Forwards ends here: the request as it came, without what is secret (RFC 9110 section 9.3.8).
    func answerTrace(_ request: RequestHead, _ parser: HeadParser, headLength: Int) async -> Bool {
        let echo = ByteBuffer(capacity: headLength)
        Forwarding.appendTraceEcho(request, fields: parser, bytes: input.bytes, to: echo)
        return await answer(request, headLength: headLength, status: "200 OK") { buffer in
            buffer.append("Content-Type: message/http\r\nContent-Length: ")
            buffer.append(decimal: UInt64(echo.count))
            buffer.append("\r\n\r\n")
            buffer.append(echo.readable)
        }
    }

    private func answer(_ request: RequestHead, headLength: Int, status: StaticString, _ rest: (ByteBuffer) -> Void) async -> Bool {
        input.consume(headLength)
        let hasBody = request.framing != .none && request.framing != .length(0)
        let close = hasBody || !request.keepAlive || worker.isDraining
        let buffer = output.open()
        buffer.append("HTTP/1.1 ")
        buffer.append(status)
        buffer.append("\r\nDate: ")
        buffer.append(worker.date.http())
        buffer.append(close ? "\r\nConnection: close\r\n" : "\r\n")
        rest(buffer)
        record.status = 200
        await flushOutput()
        log()
        if close { await endGracefully() }
        return !close
    }

    /// Writes everything that waits for the client; gives up when it stands still.
    func flushOutput() async {
        let deadline = worker.loop.now + settings.idleTimeout
        while output.flush() == .blocked {
            if await signal.wait(until: deadline) == .deadline { return client.abort() }
        }
    }

    /// Closes so that the client can read the last response: the kernel would discard it if bytes were left unread (RFC 9112 section 9.6).
    func endGracefully() async {
        guard !client.isClosed, !client.hasFailed else { return }
        client.finishWriting()
        let deadline = worker.loop.now + ClientConnection.lingering
        input.release()
        for _ in 0..<ClientConnection.lingeringReads {
            switch input.fill() {
            case .bytes: input.release()
            case .end, .failed: return
            case .wouldBlock: if await signal.wait(until: deadline) == .deadline { return }
            }
        }
    }

    private static var lingering: Duration { .seconds(1) }
    private static var lingeringReads: Int { 256 }
}
