import EventLoop
import HTTP1
import Net
import Policy
import Upstream

/// One request and its response. Both directions are pumped by one task, which waits on one signal for either end.
final class Exchange {
    private let connection: ClientConnection
    private let request: RequestHead
    private let route: Route
    /// The head as it goes upstream, kept until an answer begins: a request may have to be sent a second time.
    private let head: ByteBuffer
    private var lastActivity: MonotonicTime

    private init(_ request: RequestHead, route: Route, head: ByteBuffer, on connection: ClientConnection) {
        self.connection = connection
        self.request = request
        self.route = route
        self.head = head
        lastActivity = connection.worker.loop.now
    }

    private var worker: Worker { connection.worker }
    private var client: ByteStream { connection.client }

    /// Serves a request in absolute form; false ends the client's connection.
    static func run(
        _ request: RequestHead, _ parser: HeadParser, headLength: Int, https: Bool, on connection: ClientConnection
    ) async -> Bool {
        guard let authority = request.authority else { return false }
        let head = connection.worker.buffers.borrow()
        defer { connection.worker.buffers.giveBack(head) }
        let parent = connection.settings.parentProxy
        let absoluteForm = !https && (parent?.takesAbsoluteForm ?? false)
        Forwarding.appendRequest(
            request, fields: parser, bytes: connection.input.bytes, absoluteForm: absoluteForm,
            extraFields: absoluteForm ? parent?.authorizationLine : nil, pseudonym: connection.worker.shared.pseudonym.text, to: head)
        connection.input.consume(headLength)
        do throws(RouteFailure) {
            let route = try await connection.findRoute(to: authority, port: authority.port ?? (https ? 443 : 80), https: https)
            return try await Exchange(request, route: route, head: head, on: connection).serve()
        } catch {
            guard case .failure(let failure) = error else {
                connection.log()
                return false
            }
            return await connection.refuse(request, failure)
        }
    }

    private func serve() async throws(RouteFailure) -> Bool {
        let kept = try await connection.connect(route, for: request)
        if let keeps = try await attempt(kept) { return keeps }
        // The kept connection died before any byte of an answer, and nothing of a body is gone (RFC 9110 section 9.2.2).
        return try await attempt(try await connection.dial(route, tunnels: route.target.https)) ?? false
    }

    // MARK: - One attempt

    /// Runs the exchange on a connection; nil when the request may be sent again on another one.
    private func attempt(_ upstream: UpstreamConnection) async throws(RouteFailure) -> Bool? {
        let output = BufferedOutput(upstream.stream, stock: worker.buffers)
        let input = BufferedInput(upstream.stream, stock: worker.buffers)
        let parser = worker.parsers.takeResponseParser()
        defer { worker.parsers.giveBack(parser) }
        output.open().append(head.readable)
        let requestRelay = RequestRelay(request.framing, input: connection.input, output: output, pipes: worker.pipes)
        let response = ResponseRelay(request, requestRelay, worker, input: input, output: connection.output, parser: parser)
        let end = await relay(requestRelay, response)
        if case .repeatable = end, upstream.isReused, request.method.isIdempotent, !requestRelay.hasTakenBody {
            upstream.stream.close()
            return nil
        }
        return await finish(end, upstream, requestRelay, response, input)
    }

    /// How the relaying ended.
    private enum End {
        case complete
        case upgraded
        case failed(ProxyFailure)
        /// The origin closed without a byte of an answer.
        case repeatable
        case clientGone
    }

    private func relay(_ requestRelay: RequestRelay, _ response: ResponseRelay) async -> End {
        lastActivity = worker.loop.now
        while true {
            let sent = requestRelay.pump()
            if let end = end(of: sent, response) { return end }
            let received = response.pump()
            if let end = end(of: received, requestRelay) { return end }
            if requestRelay.hasMoved || response.hasMoved { lastActivity = worker.loop.now }
            guard !client.hasFailed else { return .clientGone }
            guard !worker.isCutting else { return .failed(.shuttingDown) }
            if sent == .busy || received == .busy {
                await connection.signal.yield()
            } else if await connection.signal.wait(until: deadline(requestRelay, response)) == .deadline, isOverdue(requestRelay, response)
            {
                return .failed(timeOut(requestRelay, response))
            }
        }
    }

    private func end(of stop: RequestRelay.Stop, _ response: ResponseRelay) -> End? {
        switch stop {
        case .quiet, .busy: nil
        // The origin may have said why before it closed: the response direction decides.
        case .originFailed: nil
        case .clientEnded: .failed(.badRequestBody("the body ended before its announced end"))
        case .clientFailed: .clientGone
        case .malformed(let sentence): .failed(.badRequestBody(sentence))
        }
    }

    private func end(of stop: ResponseRelay.Stop, _ requestRelay: RequestRelay) -> End? {
        let destination = route.target.destination
        switch stop {
        case .quiet:
            // Nobody will ever answer a request that could not be delivered.
            return requestRelay.hasOriginFailed && connection.client.hasFailed ? .clientGone : nil
        case .busy: return nil
        case .done: return .complete
        case .upgraded: return .upgraded
        case .noAnswer: return .repeatable
        case .incomplete: return .failed(.responseIncomplete(destination: destination))
        case .malformed(.headTooLarge), .malformed(.tooManyFields): return .failed(.responseHeadTooLarge(destination: destination))
        case .malformed(let error): return .failed(.responseMalformed(error, destination: destination))
        case .bodyMalformed(let sentence): return .failed(.responseBodyMalformed(sentence, destination: destination))
        case .notUpgraded: return .failed(.upgradeFailed(destination: destination))
        case .clientFailed: return .clientGone
        }
    }

    // MARK: - Deadlines

    private func deadline(_ requestRelay: RequestRelay, _ response: ResponseRelay) -> MonotonicTime {
        let settings = connection.settings
        let awaitsHead = response.head == nil && (requestRelay.isDone || requestRelay.hasOriginFailed)
        return lastActivity + (awaitsHead ? settings.responseTimeout : settings.bodyIdleTimeout)
    }

    private func isOverdue(_ requestRelay: RequestRelay, _ response: ResponseRelay) -> Bool {
        worker.loop.now >= deadline(requestRelay, response)
    }

    private func timeOut(_ requestRelay: RequestRelay, _ response: ResponseRelay) -> ProxyFailure {
        // With a body half sent it is the one who does not move who is late.
        !requestRelay.isRead && !requestRelay.isBlockedByOrigin ? .clientTimeout : .responseTimeout(destination: route.target.destination)
    }

    // MARK: - The end

    private func finish(
        _ end: End, _ upstream: UpstreamConnection, _ requestRelay: RequestRelay, _ response: ResponseRelay, _ input: BufferedInput
    ) async -> Bool {
        connection.record.status = response.head?.status ?? 0
        switch end {
        case .complete: return await complete(upstream, requestRelay, response, input)
        case .upgraded:
            await Tunnel(connection, upstream.stream, fromOrigin: input).run()
            return false
        case .clientGone:
            upstream.stream.close()
            if connection.record.status == 0 { connection.record.status = 499 }
            connection.record.errorLabel = "client_gone"
            connection.record.reason = "the client closed the connection before the response was complete"
            connection.log()
            return false
        case .repeatable: return await fail(.connectionTerminated(destination: route.target.destination), upstream, requestRelay, response)
        case .failed(let failure): return await fail(failure, upstream, requestRelay, response)
        }
    }

    private func complete(
        _ upstream: UpstreamConnection, _ requestRelay: RequestRelay, _ response: ResponseRelay, _ input: BufferedInput
    ) async -> Bool {
        let keeps = response.head?.persistent ?? false
        // Bytes behind the response belong to nobody: such a connection must not answer another request.
        if keeps, requestRelay.isDone, input.isEmpty, !worker.isDraining {
            worker.pool.give(upstream)
        } else {
            upstream.stream.close()
        }
        connection.log()
        guard response.closesClient || !requestRelay.isRead else { return true }
        // A client that asked for the end sends nothing more that a plain close could turn into a reset.
        if request.keepAlive || !requestRelay.isRead || !connection.input.isEmpty { await connection.endGracefully() }
        return false
    }

    /// A failure before the response's head becomes a response of ours; after it, the client has to see that the response is broken.
    private func fail(
        _ failure: ProxyFailure, _ upstream: UpstreamConnection, _ requestRelay: RequestRelay, _ response: ResponseRelay
    ) async -> Bool {
        upstream.stream.close()
        guard response.head != nil else { return await connection.refuse(request, failure, bodyIsRead: requestRelay.isRead) }
        connection.note(failure)
        _ = connection.output.flush()
        connection.log()
        if response.endsByClosing { client.abort() } else { client.close() }
        return false
    }
}
