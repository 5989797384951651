import CCurl
import EventLoop
import Glibc
import Net

/// One libcurl handle that connects to one vetted address of one target, and what it came to.
final class DialAttempt {
    let address: IPAddress?
    private(set) var result: Result<ByteStream, DialFailure>?
    private let easy: CurlEasy
    private let multi: CurlMulti
    private let handles: HandleStock
    private let target: DialTarget
    private var isInside = true

    /// Starts at once. `finished` is called when `result` is there, possibly before this returns.
    init(_ target: DialTarget, address: IPAddress?, multi: CurlMulti, handles: HandleStock, finished: @escaping () -> Void)
        throws(SystemError)
    {
        self.address = address
        self.multi = multi
        self.handles = handles
        self.target = target
        easy = try handles.take(target, address)
        multi.prepare(easy)
        multi.add(easy) { [unowned self] code in
            finish(code)
            finished()
        }
    }

    deinit { cancel() }

    /// Gives up; the connection, if any, is closed.
    func cancel() {
        if case .success(let stream) = result { stream.close() }
        result = .failure(.cancelled)
        leave()
    }

    /// The connected stream, which the caller owns from now on.
    func takeStream() -> ByteStream? {
        guard case .success(let stream) = result else { return nil }
        result = .failure(.cancelled)
        return stream
    }

    private func leave() {
        guard isInside else { return }
        isInside = false
        multi.remove(easy)
        handles.giveBack(easy, target, address)
    }

    private func finish(_ code: CURLcode) {
        guard code == CURLE_OK else {
            result = .failure(failure(code))
            return leave()
        }
        do {
            result = .success(try isEncrypted ? encryptedStream() : plainStream())
        } catch {
            result = .failure(.exhausted(error))
            leave()
        }
    }

    private var isEncrypted: Bool { target.https || handles.parent?.isEncrypted ?? false }

    private func connectedSocket() throws(SystemError) -> Int32 {
        var socket: Int32 = -1
        curl_get_socket(easy.raw, &socket)
        guard socket >= 0 else { throw SystemError(call: "CURLINFO_ACTIVESOCKET", number: EBADF) }
        return socket
    }

    private func plainStream() throws(SystemError) -> ByteStream {
        let socket = try connectedSocket()
        let stream = ByteStream(socket, loop: multi.loop)
        try multi.handOver(socket, to: stream)
        isInside = false
        multi.remove(easy, keeping: socket)
        handles.giveBack(easy, target, address)
        return stream
    }

    private func encryptedStream() throws(SystemError) -> ByteStream {
        let socket = try connectedSocket()
        let stream = TLSStream(socket, easy: easy, multi: multi)
        try multi.handOver(socket, to: stream)
        isInside = false
        return stream
    }

    private func failure(_ code: CURLcode) -> DialFailure {
        let text = handles.errorText(easy) ?? String(cString: curl_easy_strerror(code))
        var number = 0
        curl_get_long(easy.raw, CURLINFO_OS_ERRNO, &number)
        switch code {
        case CURLE_OPERATION_TIMEDOUT: return .timedOut(address)
        case CURLE_COULDNT_CONNECT: return connectFailure(number == 0 ? multi.socketError : Int32(number), text)
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_ISSUER_ERROR: return .certificate(text)
        case CURLE_SSL_CACERT_BADFILE: return .fault(text)
        case CURLE_SSL_CONNECT_ERROR: return .tls(text)
        case CURLE_COULDNT_RESOLVE_PROXY: return .parentUnreachable(text)
        case CURLE_PROXY: return .parent(status: 0, text)
        case CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_SEND_ERROR:
            var status = 0
            curl_get_long(easy.raw, CURLINFO_HTTP_CONNECTCODE, &status)
            return status != 0 ? .parent(status: status, text) : .tls(text)
        default: return .fault(text)
        }
    }

    private func connectFailure(_ number: Int32, _ text: String) -> DialFailure {
        if handles.parent != nil { return .parentUnreachable(text) }
        switch number {
        case ECONNREFUSED, 0: return .refused(address)
        case ETIMEDOUT: return .timedOut(address)
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted(SystemError(call: "socket", number: number))
        default: return .unreachable(address, String(cString: strerror(number)))
        }
    }
}
