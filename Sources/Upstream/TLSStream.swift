import CCurl
import EventLoop
import Glibc

/// A TLS connection that libcurl made and verified; bytes go through `curl_easy_recv` and `curl_easy_send`.
final class TLSStream: ByteStream {
    private let easy: CurlEasy
    private let multi: CurlMulti

    init(_ socket: Int32, easy: CurlEasy, multi: CurlMulti) {
        self.easy = easy
        self.multi = multi
        super.init(socket, loop: multi.loop)
        // The last record of the handshake may have brought application bytes along that will raise no new edge.
        isReadable = true
    }

    override var isPlain: Bool { false }

    override func read(into target: UnsafeMutableRawBufferPointer) -> IOResult {
        var count = 0
        switch curl_easy_recv(easy.raw, target.baseAddress, target.count, &count) {
        case CURLE_OK: return count > 0 ? .bytes(count) : .end
        case CURLE_AGAIN:
            isReadable = false
            return .wouldBlock
        default: return .failed(SystemError(call: "TLS read", number: ECONNRESET))
        }
    }

    override func write(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> IOResult {
        let whole = send(first)
        guard whole == .bytes(first.count) || first.count == 0, second.count > 0 else { return whole }
        guard case .bytes(let more) = send(second) else { return first.count > 0 ? whole : send(second) }
        return .bytes(first.count + more)
    }

    private func send(_ bytes: UnsafeRawBufferPointer) -> IOResult {
        guard bytes.count > 0 else { return .bytes(0) }
        var count = 0
        switch curl_easy_send(easy.raw, bytes.baseAddress, bytes.count, &count) {
        case CURLE_OK: return .bytes(count)
        case CURLE_AGAIN:
            waitsToWrite = true
            return .wouldBlock
        default: return .failed(SystemError(call: "TLS write", number: EPIPE))
        }
    }

    // libcurl has no call for a one-sided TLS close; the peer learns of the end when the connection closes.
    override func finishWriting() {}

    override func isQuiet() -> Bool {
        guard isReadable, !peerFinished, !hasFailed else { return !peerFinished && !hasFailed }
        var byte: UInt8 = 0
        let outcome = withUnsafeMutableBytes(of: &byte) { read(into: $0) }
        return outcome == .wouldBlock
    }

    override func release() { multi.remove(easy, keeping: number) }
}
