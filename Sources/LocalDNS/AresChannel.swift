import CAres
import EventLoop
import Glibc
import HTTPDNS
import Net

/// One c-ares channel on one loop.
final class AresChannel {
    private let loop: EventLoop
    private let servers: [SocketAddress]
    private let search: Bool
    private var channel: OpaquePointer
    private var sockets: [Int32: AresSocket] = [:]
    private let timer = Timer()
    private var underWay = 0
    private var configurationStamp = AresChannel.stamp()
    private var checkedAt = MonotonicTime(nanoseconds: 0)
    /// Per try; the second try of a server waits twice as long.
    private static let timeout: Int32 = 1500
    private static let tries: Int32 = 2
    private static let checkInterval = Duration.seconds(5)

    init(loop: EventLoop, servers: [SocketAddress], search: Bool) throws(SystemError) {
        self.loop = loop
        self.servers = servers
        self.search = search
        let library = ares_library_init(Int32(ARES_LIB_INIT_ALL))
        guard library == ARES_SUCCESS else { throw SystemError(call: "ares_library_init", number: ENOMEM) }
        // A place for the callback to point at; the channel proper is made below, when `self` is whole.
        channel = OpaquePointer(bitPattern: 1)!
        channel = try makeChannel()
        timer.action = { [unowned self] in process(ARES_SOCKET_BAD, ARES_SOCKET_BAD) }
    }

    deinit {
        loop.timers.cancel(timer)
        ares_destroy(channel)
    }

    func start(_ question: Question, _ query: LocalQuery) {
        followConfiguration()
        var hints = ares_addrinfo_hints()
        hints.ai_family = question.type == .a ? AF_INET : AF_INET6
        hints.ai_flags = Int32(ARES_AI_NOSORT)
        underWay += 1
        let pending = Unmanaged.passRetained(Pending(self, query))
        ares_getaddrinfo(
            channel, question.name, nil, &hints,
            { argument, status, _, found in
                guard let argument else { return }
                let pending = Unmanaged<Pending>.fromOpaque(argument).takeRetainedValue()
                pending.channel.underWay -= 1
                pending.query.finish(status, found)
            }, pending.toOpaque())
        query.isStarting = false
        armTimer()
    }

    private final class Pending {
        let channel: AresChannel
        let query: LocalQuery
        init(_ channel: AresChannel, _ query: LocalQuery) {
            self.channel = channel
            self.query = query
        }
    }

    private func makeChannel() throws(SystemError) -> OpaquePointer {
        var options = ares_options()
        options.timeout = AresChannel.timeout
        options.tries = AresChannel.tries
        options.ndots = 1
        options.sock_state_cb = { me, socket, readable, writable in
            guard let me else { return }
            Unmanaged<AresChannel>.fromOpaque(me).takeUnretainedValue().watch(socket, readable != 0, writable != 0)
        }
        options.sock_state_cb_data = Unmanaged.passUnretained(self).toOpaque()
        var mask = ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_NDOTS | ARES_OPT_SOCK_STATE_CB
        // `ares_getaddrinfo` walks the search list whatever ARES_FLAG_NOSEARCH says (1.18), so the list itself has to be empty.
        options.domains = nil
        options.ndomains = 0
        if !search { mask |= ARES_OPT_DOMAINS }
        var made: OpaquePointer?
        guard ares_init_options(&made, &options, Int32(mask)) == ARES_SUCCESS, let made else {
            throw SystemError(call: "ares_init_options", number: ENOMEM)
        }
        if !servers.isEmpty {
            ares_set_servers_ports_csv(made, servers.map(\.description).joined(separator: ","))
        }
        return made
    }

    /// c-ares reads resolv.conf once for each channel: when the file has changed, an idle channel is made anew.
    private func followConfiguration() {
        guard servers.isEmpty, underWay == 0, loop.now - checkedAt > AresChannel.checkInterval else { return }
        checkedAt = loop.now
        let stamp = AresChannel.stamp()
        guard stamp != configurationStamp, let fresh = try? makeChannel() else { return }
        configurationStamp = stamp
        ares_destroy(channel)
        channel = fresh
    }

    private static func stamp() -> [Int] {
        var status = Glibc.stat()
        guard stat("/etc/resolv.conf", &status) == 0 else { return [] }
        return [status.st_mtim.tv_sec, status.st_mtim.tv_nsec, Int(status.st_size), Int(status.st_ino)]
    }

    fileprivate func process(_ readable: Int32, _ writable: Int32) {
        ares_process_fd(channel, readable, writable)
        armTimer()
    }

    private func armTimer() {
        var limit = timeval()
        guard let next = ares_timeout(channel, nil, &limit) else { return loop.timers.cancel(timer) }
        let wait = Duration.seconds(next.pointee.tv_sec) + .microseconds(Int64(next.pointee.tv_usec))
        loop.timers.schedule(timer, at: MonotonicTime.read() + wait)
    }

    private func watch(_ socket: Int32, _ readable: Bool, _ writable: Bool) {
        if let known = sockets[socket] {
            guard readable || writable else {
                // c-ares closes the socket right after this.
                loop.forget(known)
                sockets[socket] = nil
                return
            }
            known.want(readable, writable)
            return loop.modify(known)
        }
        guard readable || writable else { return }
        let added = AresSocket(socket, channel: self)
        added.want(readable, writable)
        guard (try? loop.add(added)) != nil else { return }
        sockets[socket] = added
    }
}

/// A socket of c-ares in our epoll set, level-triggered as c-ares expects.
private final class AresSocket: Descriptor {
    private unowned let channel: AresChannel
    private var wanted = Readiness()

    init(_ socket: Int32, channel: AresChannel) {
        self.channel = channel
        super.init(socket)
    }

    func want(_ readable: Bool, _ writable: Bool) {
        wanted = readable ? .readable : []
        if writable { wanted.insert(.writable) }
    }

    override var interest: UInt32 { wanted.rawValue }

    override func ready(_ readiness: Readiness) {
        let failed = !readiness.isDisjoint(with: [.failed, .hungUp])
        let readable = readiness.contains(.readable) || failed
        let writable = readiness.contains(.writable)
        channel.process(readable ? number : ARES_SOCKET_BAD, writable ? number : ARES_SOCKET_BAD)
    }
}
