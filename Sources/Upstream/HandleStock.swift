import CCurl
import EventLoop
import Glibc
import Net

/// libcurl handles for dials, ready with the options that never change. A handle that was used for the same target and address before is
/// handed out again as it is, which saves libcurl the parsing of the URL and of the CURLOPT_RESOLVE entry.
final class HandleStock {
    let parent: ParentHop?
    private let certificateBundle: String?
    private let timeout: Duration
    private let share: UnsafeMutableRawPointer?
    private var idle: [Slot] = []
    private var errorBuffers: [OpaquePointer: ErrorBuffer] = [:]
    private static let kept = 64

    private struct Slot {
        let easy: CurlEasy
        let target: DialTarget
        let address: IPAddress?
    }

    private final class ErrorBuffer {
        let bytes = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
        deinit { bytes.deallocate() }
    }

    /// `certificateBundle`: a PEM file; nil for the system's.
    init(certificateBundle: String?, timeout: Duration, parent: ParentHop?) {
        self.certificateBundle = certificateBundle
        self.timeout = timeout
        self.parent = parent
        // TLS sessions are resumed across the connections of a loop. One thread uses the share, so it needs no locks.
        share = curl_share_init()
        curl_share_sessions(share)
    }

    deinit {
        idle = []
        curl_share_cleanup(share)
    }

    func take(_ target: DialTarget, _ address: IPAddress?) throws(SystemError) -> CurlEasy {
        if let index = idle.lastIndex(where: { $0.target == target && $0.address == address }) {
            let easy = idle.remove(at: index).easy
            easy.renewResolve()
            return easy
        }
        let easy = idle.count >= HandleStock.kept ? idle.removeFirst().easy : try make()
        aim(easy, target, address)
        return easy
    }

    func giveBack(_ easy: CurlEasy, _ target: DialTarget, _ address: IPAddress?) {
        guard idle.count < HandleStock.kept else {
            errorBuffers[easy.key] = nil
            return
        }
        idle.append(Slot(easy: easy, target: target, address: address))
    }

    /// libcurl's own words for the handle's last failure.
    func errorText(_ easy: CurlEasy) -> String? {
        guard let buffer = errorBuffers[easy.key], buffer.bytes.pointee != 0 else { return nil }
        defer { buffer.bytes.pointee = 0 }
        return String(cString: buffer.bytes)
    }

    /// Forgets what is kept for a handle that ends with its connection.
    func discard(_ easy: CurlEasy) { errorBuffers[easy.key] = nil }

    private func make() throws(SystemError) -> CurlEasy {
        let easy = try CurlEasy()
        let buffer = ErrorBuffer()
        buffer.bytes.pointee = 0
        errorBuffers[easy.key] = buffer
        curl_set_pointer(easy.raw, CURLOPT_ERRORBUFFER, buffer.bytes)
        curl_set_pointer(easy.raw, CURLOPT_SHARE, share)
        easy.set(CURLOPT_CONNECT_ONLY, 1)
        easy.set(CURLOPT_NOSIGNAL, 1)
        easy.set(CURLOPT_PROTOCOLS_STR, "http,https")
        easy.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        easy.set(CURLOPT_CONNECTTIMEOUT_MS, Int(timeout.nanosecondsClamped / 1_000_000))
        easy.set(CURLOPT_TCP_KEEPALIVE, 0)
        // A directory of certificates switches libcurl's cache of the bundle off: 22 ms for each connection instead of 1.
        easy.set(CURLOPT_CAPATH, nil)
        if let certificateBundle { easy.set(CURLOPT_CAINFO, certificateBundle) }
        // Entries of the form "+name:port:address" age out of libcurl's table, which would grow for ever otherwise.
        easy.set(CURLOPT_DNS_CACHE_TIMEOUT, 1)
        // Without these the environment of the process would send connections elsewhere.
        easy.set(CURLOPT_PROXY, parent?.url ?? "")
        easy.set(CURLOPT_NOPROXY, parent == nil ? "*" : "")
        easy.forbidResolving()
        if let parent { configure(easy, parent) }
        return easy
    }

    private func configure(_ easy: CurlEasy, _ parent: ParentHop) {
        if parent.tunnels { easy.set(CURLOPT_HTTPPROXYTUNNEL, 1) }
        easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        guard let credentials = parent.credentials else { return }
        easy.set(CURLOPT_PROXYAUTH, Int(bitPattern: curl_auth_basic))
        easy.set(CURLOPT_PROXYUSERNAME, credentials.user)
        easy.set(CURLOPT_PROXYPASSWORD, credentials.password)
    }

    private func aim(_ easy: CurlEasy, _ target: DialTarget, _ address: IPAddress?) {
        easy.set(CURLOPT_URL, "\(target.https ? "https" : "http")://\(target.host.uriText):\(target.port)/")
        guard let address else { return }
        // Through a parent it is the parent's own name that has to be known here; the target's travels in the request.
        let pinned = parent?.host ?? target.host.text
        // An IPv6 literal cannot stand as the name of an entry; the wildcard is asked last, and every other dial brings its own entry.
        let name = pinned.contains(":") ? "*" : pinned
        easy.setResolve("+\(name):\(parent?.port ?? target.port):\(address.uriHost)")
    }
}
