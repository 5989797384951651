import EventLoop
import HTTP1
import HTTPDNS
import Net
import Policy
import Upstream

/// What all workers share: decided at start, never changed.
struct SharedState: Sendable {
    let configuration: ProxyConfiguration
    let access: AccessPolicy
    let destinations: DestinationPolicy
    let resolver: ResolverService
    let pseudonym: ViaPseudonym
    let log: DiagnosticLog
    let accessLogDescriptor: Int32?
}

/// One loop's part of the proxy: listeners, connections, pool and buffers. Not `Sendable`: it never leaves its loop.
final class Worker {
    let loop: EventLoop
    let shared: SharedState
    let dialer: Dialer
    let pool: ConnectionPool
    let buffers = BufferStock()
    let parsers: ParserStock
    let pipes = PipePool()
    let date = DateText()
    let accessLog: AccessLog?
    private(set) var isDraining = false
    private(set) var isCutting = false
    private var listeners: [Listener] = []
    /// Connections that are accepted and whose task has not run yet.
    private var starting = 0
    private var connections: [ObjectIdentifier: ClientConnection] = [:]
    private var refusalsReported = MonotonicTime(nanoseconds: .min / 2)

    init(loop: EventLoop, shared: SharedState) throws(SystemError) {
        self.loop = loop
        self.shared = shared
        var settings = DialerConfiguration()
        settings.certificateBundle = shared.configuration.originCA
        settings.timeout = shared.configuration.connectTimeout
        dialer = try Dialer(loop: loop, configuration: settings)
        pool = ConnectionPool(loop: loop)
        parsers = ParserStock(limits: shared.configuration.limits)
        accessLog = shared.accessLogDescriptor.map { [date] in AccessLog(sink: LogSink(descriptor: $0), date: date) }
        if let accessLog { loop.beforeWaiting = { accessLog.flush() } }
    }

    /// Starts accepting on a listening socket that is this worker's own.
    func listen(_ socket: Int32) throws(SystemError) {
        let worker = LoopLocal(self, on: loop)
        listeners.append(
            try Listener(
                socket, loop: loop, accepted: { [unowned self] socket, peer in accept(socket, peer, worker) },
                refused: { [unowned self] error in reportRefusal(error) }))
    }

    private func accept(_ socket: Int32, _ peer: SocketAddress, _ worker: LoopLocal<Worker>) {
        starting += 1
        Task(executorPreference: loop) {
            await ClientConnection.serve(socket, from: peer, on: worker.value)
        }
    }

    private func reportRefusal(_ error: SystemError) {
        guard loop.now - refusalsReported > .seconds(1) else { return }
        refusalsReported = loop.now
        shared.log.write(.warning, "accepting rests until descriptors are free; established connections go on", [("reason", error.reason)])
    }

    func add(_ connection: ClientConnection) {
        starting -= 1
        connections[ObjectIdentifier(connection)] = connection
    }

    func remove(_ connection: ClientConnection) {
        connections[ObjectIdentifier(connection)] = nil
        reportWhenDrained()
    }

    /// Ends what is still there after the drain time-out; each request and tunnel gets its access line all the same.
    func cut() {
        isCutting = true
        for connection in connections.values { connection.signal.raise() }
    }

    private var drained: (() -> Void)?

    private func reportWhenDrained() {
        guard isDraining, connections.isEmpty, starting == 0, let drained else { return }
        self.drained = nil
        accessLog?.flush()
        drained()
    }

    /// Stops accepting, lets what is under way end, closes what is idle. `done` is called when nothing is left.
    func drain(_ done: @escaping () -> Void) {
        isDraining = true
        drained = done
        for listener in listeners { listener.close() }
        listeners = []
        pool.closeAll()
        for connection in connections.values { connection.signal.raise() }
        reportWhenDrained()
    }
}

/// A worker's free buffers. They are borrowed only while bytes are in them, so an idle connection holds none.
final class BufferStock {
    private var free: [ByteBuffer] = []
    /// One read's worth.
    static let size = 64 * 1024
    private static let kept = 64

    func borrow() -> ByteBuffer { free.popLast() ?? ByteBuffer(capacity: BufferStock.size) }

    func giveBack(_ buffer: ByteBuffer) {
        guard free.count < BufferStock.kept, buffer.capacity == BufferStock.size else { return }
        buffer.clear()
        free.append(buffer)
    }
}
