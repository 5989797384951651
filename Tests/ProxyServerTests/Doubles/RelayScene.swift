import EventLoop
import Glibc
import HTTP1
import HTTPDNS
import Net
import Policy
import Testing

@testable import ProxyServer

/// A worker between a client and an origin whose far ends the test holds.
final class RelayScene {
    let client: Pair
    let origin: Pair
    let worker: Worker
    // The loop outlives what belongs to it: properties go in the order of their declaration.
    let loop: EventLoop

    init() throws {
        // A splice into a broken socket raises it; the proxy ignores it from its start.
        signal(SIGPIPE, SIG_IGN)
        loop = try EventLoop()
        worker = try Worker(loop: loop, shared: SharedState.forTests(on: loop))
        client = try Pair(on: loop)
        origin = try Pair(on: loop)
    }

    /// A relay of a request with this body framing.
    func requestRelay(_ framing: BodyFraming, head: String = "POST / HTTP/1.1\r\n\r\n") -> RequestRelay {
        let output = BufferedOutput(origin.stream, stock: worker.buffers)
        if !head.isEmpty { output.open().append(head) }
        return RequestRelay(framing, input: clientInput, output: output, pipes: worker.pipes)
    }

    private(set) lazy var clientInput = BufferedInput(client.stream, stock: worker.buffers)
    private(set) lazy var originInput = BufferedInput(origin.stream, stock: worker.buffers)
    private(set) lazy var clientOutput = BufferedOutput(client.stream, stock: worker.buffers)

    /// A relay of the response to a request that has been sent.
    func responseRelay(to text: String) throws -> ResponseRelay {
        let request = try RelayScene.request(text)
        let sent = RequestRelay(
            .none, input: clientInput, output: BufferedOutput(origin.stream, stock: worker.buffers), pipes: worker.pipes)
        return ResponseRelay(
            request, sent, worker, input: originInput, output: clientOutput, parser: worker.parsers.takeResponseParser())
    }

    static func request(_ text: String) throws -> RequestHead {
        let buffer = ByteBuffer(capacity: 0)
        buffer.append(text)
        let parser = HeadParser(.request)
        _ = try #require(try parser.parse(buffer.readable))
        return try RequestHead(parser, buffer.readable)
    }
}

extension SharedState {
    /// A worker's surroundings with LocalDNS alone, asked at `servers`.
    static func forTests(
        on loop: EventLoop, servers: [SocketAddress] = [], accessLog: Int32? = nil, _ change: (inout ProxyConfiguration) -> Void = { _ in }
    ) throws -> SharedState {
        var configuration = ProxyConfiguration()
        configuration.resolver.provider = .none
        configuration.localDNSServers = servers
        configuration.logLevel = .error
        change(&configuration)
        let log = DiagnosticLog(level: configuration.logLevel)
        return SharedState(
            configuration: configuration, access: AccessPolicy.standard(listeners: configuration.listeners, allowed: []),
            destinations: DestinationPolicy(openToOtherHosts: false, allowed: [], ownAddresses: [], hostAddresses: []),
            resolver: try ResolverService(configuration: configuration, loop: loop, log: log), pseudonym: ViaPseudonym(random: 1), log: log,
            accessLogDescriptor: accessLog)
    }
}

/// Takes a chunked body apart; nil when it is broken or does not end where the bytes end.
func dechunked(_ bytes: some Collection<UInt8>) -> (body: [UInt8], trailers: String)? {
    var decoder = ChunkedDecoder()
    var body: [UInt8] = []
    let bytes = Array(bytes)
    return bytes.withUnsafeBytes { raw -> ([UInt8], String)? in
        var offset = 0
        while true {
            switch try? decoder.next(raw, &offset) {
            case .data(let range): body += bytes[range]
            case .end(let trailers): return offset == bytes.count ? (body, String(decoding: bytes[trailers], as: UTF8.self)) : nil
            case .needMore, nil: return nil
            }
        }
    }
}

/// What stands behind the head.
func body(of bytes: [UInt8]) -> [UInt8] {
    guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return [] }
    return Array(bytes[end.upperBound...])
}
