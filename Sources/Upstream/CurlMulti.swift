import CCurl
import EventLoop
import Glibc
import Net

/// One libcurl multi handle on one loop, driven by its socket interface.
///
/// Edge-triggered watching costs one `epoll_ctl` for each connection and is right for dials, which only connect and shake hands until the
/// kernel has no more; whole transfers read in portions and need level-triggered watching.
final class CurlMulti {
    enum Watching { case edge, level }

    let loop: EventLoop
    private let multi: OpaquePointer
    private let watching: Watching
    private let timer = Timer()
    private var sockets: [CurlSocket?] = []
    private var completions: [OpaquePointer: (CURLcode) -> Void] = [:]
    private var draining = false
    /// The socket that libcurl must leave open when it lets go of its connection.
    private var keptSocket: Int32 = -1
    /// How many handles are inside, finished ones whose connection is still used included.
    private(set) var handleCount = 0

    /// Throws when libcurl has no memory.
    init(loop: EventLoop, watching: Watching) throws(SystemError) {
        CurlLibrary.start()
        guard let made = curl_multi_init() else { throw SystemError(call: "curl_multi_init", number: ENOMEM) }
        multi = OpaquePointer(made)
        self.loop = loop
        self.watching = watching
        timer.action = { [unowned self] in act(CURL_SOCKET_TIMEOUT, 0) }
        let me = Unmanaged.passUnretained(self).toOpaque()
        curl_multi_set_socket(made, { _, socket, what, me, _ in CurlMulti.from(me).watch(socket, what) }, me)
        curl_multi_set_timer(made, { _, milliseconds, me in CurlMulti.from(me).arm(milliseconds) }, me)
        // libcurl keeps at most this many connections; ours are counted elsewhere.
        curl_multi_set_long(made, CURLMOPT_MAXCONNECTS, 100_000)
    }

    deinit {
        loop.timers.cancel(timer)
        curl_multi_cleanup(UnsafeMutableRawPointer(multi))
    }

    private static func from(_ raw: UnsafeMutableRawPointer?) -> CurlMulti {
        Unmanaged<CurlMulti>.fromOpaque(raw!).takeUnretainedValue()
    }

    /// Why the last socket could not be opened, errno; libcurl itself only says that it could not connect.
    private(set) var socketError: Int32 = 0

    private func open(_ address: curl_sockaddr) -> Int32 {
        let type = address.socktype | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let socket = Glibc.socket(address.family, type, address.protocol)
        socketError = socket < 0 ? errno : 0
        return socket
    }

    /// Makes a handle ready for this multi: sockets are opened and closed through us, so that a connection can be taken over.
    func prepare(_ easy: CurlEasy) {
        curl_set_pointer(easy.raw, CURLOPT_OPENSOCKETDATA, Unmanaged.passUnretained(self).toOpaque())
        curl_set_open_socket(easy.raw) { me, _, address in
            guard let address else { return -1 }
            return CurlMulti.from(me).open(address.pointee)
        }
        curl_set_pointer(easy.raw, CURLOPT_CLOSESOCKETDATA, Unmanaged.passUnretained(self).toOpaque())
        curl_set_close_socket(easy.raw) { me, socket in
            CurlMulti.from(me).closing(socket)
            return 0
        }
    }

    /// Starts a transfer or dial. `completion` is called once, later or before this returns, unless `remove` comes first.
    func add(_ easy: CurlEasy, completion: @escaping (CURLcode) -> Void) {
        completions[easy.key] = completion
        handleCount += 1
        socketError = 0
        curl_multi_add_handle(UnsafeMutableRawPointer(multi), easy.raw)
        act(CURL_SOCKET_TIMEOUT, 0)
    }

    /// Takes a handle out; libcurl closes its connection, except for the socket `keeping`.
    func remove(_ easy: CurlEasy, keeping socket: Int32 = -1) {
        completions[easy.key] = nil
        handleCount -= 1
        keptSocket = socket
        curl_multi_remove_handle(UnsafeMutableRawPointer(multi), easy.raw)
        keptSocket = -1
    }

    /// Gives the watching of a connected socket to its stream.
    func handOver(_ socket: Int32, to stream: ByteStream) throws(SystemError) {
        guard let watcher = watcher(socket) else { return try stream.register() }
        sockets[Int(socket)] = nil
        guard watching == .edge else {
            loop.remove(watcher)
            return try stream.register()
        }
        loop.replace(watcher, with: stream)
        // What libcurl was told comes only once: bytes that arrived with the connection would wait for an edge that is past.
        stream.ready(watcher.seen)
    }

    private func watcher(_ socket: Int32) -> CurlSocket? {
        Int(socket) < sockets.count ? sockets[Int(socket)] : nil
    }

    fileprivate func act(_ socket: Int32, _ bits: Int32) {
        var running: Int32 = 0
        curl_multi_socket_action(UnsafeMutableRawPointer(multi), socket, bits, &running)
        drainMessages()
    }

    private func drainMessages() {
        guard !draining else { return }
        draining = true
        defer { draining = false }
        var left: Int32 = 0
        while let message = curl_multi_info_read(UnsafeMutableRawPointer(multi), &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            let result = curl_message_result(message)
            completions.removeValue(forKey: OpaquePointer(easy))?(result)
        }
    }

    private func arm(_ milliseconds: Int) -> Int32 {
        if milliseconds < 0 {
            loop.timers.cancel(timer)
        } else {
            loop.timers.schedule(timer, at: loop.now + .milliseconds(milliseconds))
        }
        return 0
    }

    private func watch(_ socket: Int32, _ what: Int32) -> Int32 {
        guard what != CURL_POLL_REMOVE else {
            unwatch(socket)
            return 0
        }
        if let known = watcher(socket), !known.isGivenUp {
            known.update(what, loop)
            return 0
        }
        let added = CurlSocket(socket, multi: self, edge: watching == .edge, what: what)
        if Int(socket) >= sockets.count { sockets.append(contentsOf: repeatElement(nil, count: Int(socket) + 64 - sockets.count)) }
        guard (try? loop.add(added)) != nil else { return -1 }
        sockets[Int(socket)] = added
        return 0
    }

    /// libcurl needs no more news of a socket. It may close it without telling us more (a connect that failed or was given up), or keep it.
    private func unwatch(_ socket: Int32) {
        guard let known = watcher(socket) else { return }
        if watching == .edge {
            // The registration stays for the stream that may take the socket over in a moment; the next socket with this number replaces it.
            known.isGivenUp = true
        } else {
            loop.remove(known)
            sockets[Int(socket)] = nil
        }
    }

    private func closing(_ socket: Int32) {
        guard socket != keptSocket else { return }
        if let watcher = watcher(socket) {
            loop.forget(watcher)
            sockets[Int(socket)] = nil
        }
        Glibc.close(socket)
    }
}

/// A socket of libcurl's in our epoll set.
private final class CurlSocket: Descriptor {
    private unowned let multi: CurlMulti
    private let edge: Bool
    private var wanted: Int32
    /// Set when libcurl has lost interest, which can be the last that is heard of the socket.
    var isGivenUp = false
    /// Everything that was announced so far.
    private(set) var seen = Readiness()

    init(_ socket: Int32, multi: CurlMulti, edge: Bool, what: Int32) {
        self.multi = multi
        self.edge = edge
        wanted = what
        super.init(socket)
    }

    override var interest: UInt32 {
        guard !edge else { return super.interest }
        var mask = Readiness()
        if wanted & CURL_POLL_IN != 0 { mask.insert(.readable) }
        if wanted & CURL_POLL_OUT != 0 { mask.insert(.writable) }
        return mask.rawValue
    }

    func update(_ what: Int32, _ loop: EventLoop) {
        wanted = what
        if !edge { loop.modify(self) }
    }

    override func ready(_ readiness: Readiness) {
        seen.formUnion(readiness)
        guard !isGivenUp else { return }
        var bits: Int32 = 0
        if !readiness.isDisjoint(with: [.readable, .peerFinished]) { bits |= Int32(CURL_CSELECT_IN) }
        if readiness.contains(.writable) { bits |= Int32(CURL_CSELECT_OUT) }
        if !readiness.isDisjoint(with: [.failed, .hungUp]) { bits |= Int32(CURL_CSELECT_ERR) }
        multi.act(number, bits)
    }
}

/// libcurl as a whole.
enum CurlLibrary {
    private static let code = curl_global_init(Int(CURL_GLOBAL_ALL))

    /// Initialises libcurl once, however many call.
    static func start() { _ = code }
}

/// One libcurl easy handle, owned.
final class CurlEasy {
    let raw: UnsafeMutableRawPointer
    private var resolveList: UnsafeMutablePointer<curl_slist>?
    private var headerList: UnsafeMutablePointer<curl_slist>?

    init() throws(SystemError) {
        CurlLibrary.start()
        guard let made = curl_easy_init() else { throw SystemError(call: "curl_easy_init", number: ENOMEM) }
        raw = made
    }

    deinit {
        curl_easy_cleanup(raw)
        curl_slist_free_all(resolveList)
        curl_slist_free_all(headerList)
    }

    var key: OpaquePointer { OpaquePointer(raw) }

    func set(_ option: CURLoption, _ value: Int) { curl_set_long(raw, option, value) }
    func set(_ option: CURLoption, _ value: String?) { curl_set_string(raw, option, value) }

    /// The option behind this project: which address the name of the URL has (CURLOPT_RESOLVE).
    func setResolve(_ entry: String) {
        let list = curl_slist_append(nil, entry)
        curl_set_list(raw, CURLOPT_RESOLVE, list)
        curl_slist_free_all(resolveList)
        resolveList = list
    }

    /// libcurl takes the entries of a list once; a second transfer needs to be given the list again.
    func renewResolve() { curl_set_list(raw, CURLOPT_RESOLVE, resolveList) }

    func setHeaders(_ lines: [String]) {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines { list = curl_slist_append(list, line) }
        curl_set_list(raw, CURLOPT_HTTPHEADER, list)
        curl_slist_free_all(headerList)
        headerList = list
    }

    /// Turns every attempt of libcurl to resolve a name by itself into an error (CURLE_COULDNT_RESOLVE_HOST).
    func forbidResolving() {
        curl_set_resolver_start(raw) { _, _, _ in 1 }
    }
}
