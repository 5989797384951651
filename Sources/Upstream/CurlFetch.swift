import CCurl
package import EventLoop
import Glibc
package import Net

/// One whole HTTP GET by libcurl, pinned to an address.
package struct FetchRequest: Sendable {
    /// The URL with the name of the server.
    package let url: String
    /// The server's name or literal and its port, as they stand in the URL.
    package let host: Host
    package let port: UInt16
    /// The address to connect to.
    package let address: IPAddress
    /// Header lines, "Name: value".
    package let headers: [String]
    /// For connecting, TLS and the exchange together.
    package let timeout: Duration
    /// The largest body that is taken, in bytes.
    package let bodyLimit: Int

    /// Describes a request.
    package init(url: String, host: Host, port: UInt16, address: IPAddress, headers: [String], timeout: Duration, bodyLimit: Int) {
        self.url = url
        self.host = host
        self.port = port
        self.address = address
        self.headers = headers
        self.timeout = timeout
        self.bodyLimit = bodyLimit
    }
}

/// A whole response.
package struct FetchResponse: Sendable {
    package let status: Int
    package let body: [UInt8]
    /// The time of the `Date` field in seconds since 1970, if there is a readable one.
    package let date: Int64?
    /// From the start to the last byte.
    package let elapsed: Duration
}

/// Why no response came; the texts are libcurl's.
package enum FetchFailure: Error, Equatable, Sendable {
    case timedOut
    case connectFailed(String)
    case tls(String)
    case tooLarge
    case other(String)
}

/// Fetches whole documents on one loop: HTTP/2 where the server offers it, connections kept, nothing ever resolved.
package final class CurlFetcher {
    private let loop: EventLoop
    private let certificateBundle: String?
    private var servers: [IPAddress: Server] = [:]
    private var idle: [CurlEasy] = []

    /// libcurl finds kept connections by name, not by address, so each address has a multi handle of its own.
    final class Server {
        let multi: CurlMulti
        /// Set by a time-out: the kept connection may be a dead one (no FIN, no RST), the next query must not wait on it again.
        var distrustsConnections = false
        init(_ multi: CurlMulti) { self.multi = multi }
    }

    /// `certificateBundle`: a PEM file that servers are checked against; nil for the system's.
    package init(loop: EventLoop, certificateBundle: String?) {
        self.loop = loop
        self.certificateBundle = certificateBundle
    }

    /// Starts a fetch. `completion` is called once on the loop, possibly before this returns, unless the fetch is cancelled.
    package func fetch(_ request: FetchRequest, completion: @escaping (Result<FetchResponse, FetchFailure>) -> Void) -> Fetch? {
        do throws(SystemError) {
            let server = try server(request.address)
            let easy = try takeHandle()
            let fetch = Fetch(easy, server: server, request: request, fetcher: self, completion: completion)
            fetch.start(loop.now)
            return fetch
        } catch {
            completion(.failure(.other(error.reason)))
            return nil
        }
    }

    private func takeHandle() throws(SystemError) -> CurlEasy {
        if let kept = idle.popLast() { return kept }
        return try make()
    }

    func giveBack(_ easy: CurlEasy) {
        if idle.count < 16 { idle.append(easy) }
    }

    private func server(_ address: IPAddress) throws(SystemError) -> Server {
        if let known = servers[address] { return known }
        let made = Server(try CurlMulti(loop: loop, watching: .level))
        servers[address] = made
        return made
    }

    private func make() throws(SystemError) -> CurlEasy {
        let easy = try CurlEasy()
        easy.set(CURLOPT_NOSIGNAL, 1)
        easy.set(CURLOPT_PROTOCOLS_STR, "http,https")
        easy.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        easy.set(CURLOPT_PROXY, "")
        easy.set(CURLOPT_NOPROXY, "*")
        easy.set(CURLOPT_CAPATH, nil)
        if let certificateBundle { easy.set(CURLOPT_CAINFO, certificateBundle) }
        easy.set(CURLOPT_DNS_CACHE_TIMEOUT, 1)
        easy.forbidResolving()
        return easy
    }
}

/// A fetch under way.
package final class Fetch {
    private let easy: CurlEasy
    private let server: CurlFetcher.Server
    private let request: FetchRequest
    private let fetcher: CurlFetcher
    private var completion: ((Result<FetchResponse, FetchFailure>) -> Void)?
    private var body: [UInt8] = []
    private var date: Int64?
    private var tooLarge = false
    private var started = MonotonicTime(nanoseconds: 0)

    init(
        _ easy: CurlEasy, server: CurlFetcher.Server, request: FetchRequest, fetcher: CurlFetcher,
        completion: @escaping (Result<FetchResponse, FetchFailure>) -> Void
    ) {
        self.easy = easy
        self.server = server
        self.request = request
        self.fetcher = fetcher
        self.completion = completion
    }

    /// Gives up; the completion is not called.
    package func cancel() {
        guard completion != nil else { return }
        completion = nil
        leave()
    }

    func start(_ now: MonotonicTime) {
        started = now
        configure()
        server.multi.prepare(easy)
        // The multi holds the closure, and so this object, until the transfer ends or is cancelled.
        server.multi.add(easy) { code in self.finish(code) }
    }

    private func configure() {
        easy.set(CURLOPT_URL, request.url)
        // Over TLS a second query waits for the handshake to tell whether it can share the connection. In the clear nothing ever tells, and
        // it would wait for the first query's answer.
        easy.set(CURLOPT_PIPEWAIT, request.url.hasPrefix("https:") ? 1 : 0)
        let name = request.host.text.contains(":") ? "*" : request.host.text
        easy.setResolve("+\(name):\(request.port):\(request.address.uriHost)")
        easy.setHeaders(request.headers)
        easy.set(CURLOPT_TIMEOUT_MS, Int(request.timeout.nanosecondsClamped / 1_000_000))
        easy.set(CURLOPT_FRESH_CONNECT, server.distrustsConnections ? 1 : 0)
        server.distrustsConnections = false
        let me = Unmanaged.passUnretained(self).toOpaque()
        curl_set_pointer(easy.raw, CURLOPT_WRITEDATA, me)
        curl_set_pointer(easy.raw, CURLOPT_HEADERDATA, me)
        curl_set_write(easy.raw) { bytes, size, count, me in Fetch.from(me).received(bytes, size * count) }
        curl_set_header(easy.raw) { bytes, size, count, me in Fetch.from(me).headerLine(bytes, size * count) }
    }

    private static func from(_ raw: UnsafeMutableRawPointer?) -> Fetch {
        Unmanaged<Fetch>.fromOpaque(raw!).takeUnretainedValue()
    }

    private func received(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        guard body.count + count <= request.bodyLimit else {
            tooLarge = true
            return 0
        }
        body.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: count))
        return count
    }

    private func headerLine(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        let line = String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
        if line.lowercased().hasPrefix("date:") {
            let time = curl_getdate(String(line.dropFirst(5)), nil)
            date = time >= 0 ? Int64(time) : nil
        }
        return count
    }

    private func finish(_ code: CURLcode) {
        guard let completion else { return }
        self.completion = nil
        let result = result(code)
        if result.isTimeOut { server.distrustsConnections = true }
        leave()
        completion(result)
    }

    private func leave() {
        server.multi.remove(easy)
        fetcher.giveBack(easy)
    }

    private func result(_ code: CURLcode) -> Result<FetchResponse, FetchFailure> {
        let text = String(cString: curl_easy_strerror(code))
        switch code {
        case CURLE_OK:
            var status = 0
            curl_get_long(easy.raw, CURLINFO_RESPONSE_CODE, &status)
            return .success(FetchResponse(status: status, body: body, date: date, elapsed: MonotonicTime.read() - started))
        case CURLE_OPERATION_TIMEDOUT: return .failure(.timedOut)
        case CURLE_COULDNT_CONNECT: return .failure(.connectFailed(text))
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE: return .failure(.tls(text))
        default: return .failure(tooLarge ? .tooLarge : .other(text))
        }
    }
}

extension Result where Failure == FetchFailure {
    fileprivate var isTimeOut: Bool {
        if case .failure(.timedOut) = self { true } else { false }
    }
}
