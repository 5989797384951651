import EventLoop
import HTTP1
import HTTPDNS
import Net
import Policy

/// One client connection: reads a head, decides, serves it, and again. One task from accept to close.
final class ClientConnection {
    let worker: Worker
    let client: ByteStream
    let signal: Signal
    let peer: SocketAddress
    let input: BufferedInput
    let output: BufferedOutput
    var record = AccessRecord()
    private var parser: HeadParser?
    private var inputCounted: UInt64 = 0
    private var outputCounted: UInt64 = 0

    private init(_ client: ByteStream, peer: SocketAddress, worker: Worker) {
        self.worker = worker
        self.client = client
        self.peer = peer
        signal = Signal(loop: worker.loop)
        input = BufferedInput(client, stock: worker.buffers)
        output = BufferedOutput(client, stock: worker.buffers)
        client.signal = signal
    }

    /// Serves an accepted socket until it closes.
    static func serve(_ socket: Int32, from peer: SocketAddress, on worker: Worker) async {
        let client = ByteStream(socket, loop: worker.loop)
        let connection = ClientConnection(client, peer: peer, worker: worker)
        worker.add(connection)
        // The request has often come by the time that a connection is accepted. Reading before the loop watches costs nothing then, and
        // saves the task a wait.
        client.isReadable = true
        _ = connection.input.fill()
        if (try? client.register()) != nil { await connection.run() }
        connection.returnParser()
        client.close()
        worker.remove(connection)
    }

    var settings: ProxyConfiguration { worker.shared.configuration }

    private func run() async {
        guard worker.shared.access.permits(peer.address) else {
            record.started = worker.loop.now
            await refuse(.clientDenied(peer.address), close: true)
            return await endGracefully()
        }
        while await serveRequest() {}
    }

    /// Serves one request; false ends the connection.
    private func serveRequest() async -> Bool {
        guard let length = await readHead() else { return false }
        guard let parser else { return false }
        let request: RequestHead
        do {
            request = try RequestHead(parser, input.bytes)
        } catch {
            return await refuseMalformed(error)
        }
        begin(request)
        let keeps: Bool
        switch request.target {
        case .authority: keeps = await serveConnect(request, headLength: length)
        case .absolute(let https): keeps = await serveAbsolute(request, parser, headLength: length, https: https)
        case .asterisk: keeps = await answerOptions(request, headLength: length)
        case .origin:
            await refuse(.originForm, isHead: request.method == .head, close: true)
            await endGracefully()
            keeps = false
        }
        return keeps && !worker.isDraining
    }

    private func begin(_ request: RequestHead) {
        guard worker.accessLog != nil else { return }
        record.method = String(decoding: request.methodRange.slice(input.bytes), as: UTF8.self)
        record.authority = String(decoding: request.authorityRange.slice(input.bytes), as: UTF8.self)
        if let authority = request.authority, authority.port == nil {
            record.authority += request.target == .absolute(https: true) ? ":443" : ":80"
        }
    }

    private func serveAbsolute(_ request: RequestHead, _ parser: HeadParser, headLength: Int, https: Bool) async -> Bool {
        if request.maxForwards == 0 {
            return request.method == .trace
                ? await answerTrace(request, parser, headLength: headLength) : await answerOptions(request, headLength: headLength)
        }
        if Forwarding.viaNames(worker.shared.pseudonym.text, parser, input.bytes) {
            return await refuse(request, .loop, headLength: headLength)
        }
        return await Exchange.run(request, parser, headLength: headLength, https: https, on: self)
    }

    // MARK: - Reading a head

    /// Waits for a whole head; nil when the connection is over, in which case everything has been said.
    private func readHead() async -> Int? {
        let parser = takeParser()
        var deadline = worker.loop.now + settings.idleTimeout
        var isStarted = false
        while true {
            if !input.isEmpty, !isStarted {
                // From its first byte a head has one time limit, however slowly the others drip in.
                isStarted = true
                startRecord()
                deadline = worker.loop.now + settings.idleTimeout
            }
            do {
                if isStarted, let length = try parser.parse(input.bytes) { return length }
            } catch {
                _ = await refuseMalformed(error)
                return nil
            }
            switch input.fill() {
            case .bytes: break
            case .end, .failed: return nil
            case .wouldBlock:
                if input.isEmpty, worker.isDraining { return nil }
                if await signal.wait(until: deadline) == .deadline { return await giveUpOnHead(isStarted) }
            }
        }
    }

    private func giveUpOnHead(_ isStarted: Bool) async -> Int? {
        if isStarted {
            await refuse(.clientTimeout, close: true)
            await endGracefully()
        }
        return nil
    }

    private func startRecord() {
        record = AccessRecord()
        record.started = worker.loop.now
    }

    private func takeParser() -> HeadParser {
        if let parser {
            parser.reset()
            return parser
        }
        let taken = worker.parsers.takeRequestParser()
        parser = taken
        return taken
    }

    private func returnParser() {
        guard let parser else { return }
        self.parser = nil
        worker.parsers.giveBack(parser)
    }

    // MARK: - The access line

    /// Writes the request's line. Bytes are counted from the last line on.
    func log() {
        // What is read but not consumed belongs to the next request.
        let consumed = input.total - UInt64(input.count)
        record.received = consumed - inputCounted
        record.sent = output.total - outputCounted
        inputCounted = consumed
        outputCounted = output.total
        worker.accessLog?.write(record, client: peer, now: worker.loop.now)
    }
}
