import EventLoop
import Glibc
import Net
import Testing

@Suite("A listener")
struct ListenerTests {
    private let loop: EventLoop

    init() throws { loop = try EventLoop() }

    @Test("gives every connection with its peer's address, more than one turn takes")
    func accepts() throws {
        let port = try LoopbackListener()
        let accepted = Accepted()
        let listener = try accepted.listen(on: port, loop)
        defer { listener.close() }
        var clients: [Int32] = []
        for _ in 0..<100 { clients.append(try port.connect()) }
        defer { for client in clients { close(client) } }
        #expect(loop.turn { accepted.sockets.count == 100 })
        #expect(Set(accepted.peers) == Set(clients.compactMap { Socket.localAddress($0) }))
        #expect(accepted.refusals.isEmpty)
    }

    @Test("gives sockets that do not block and are not inherited")
    func flags() throws {
        let port = try LoopbackListener()
        let accepted = Accepted()
        let listener = try accepted.listen(on: port, loop)
        defer { listener.close() }
        let client = try port.connect()
        defer { close(client) }
        #expect(loop.turn { !accepted.sockets.isEmpty })
        for socket in accepted.sockets {
            #expect(fcntl(socket, F_GETFL) & O_NONBLOCK != 0)
            #expect(fcntl(socket, F_GETFD) & FD_CLOEXEC != 0)
        }
    }

    @Test("closed while connections wait, it gives out no other and its port is free")
    func closesInsideAccept() throws {
        let port = try LoopbackListener()
        let address = port.address
        var clients: [Int32] = []
        for _ in 0..<5 { clients.append(try port.connect()) }
        defer { for client in clients { close(client) } }
        var count = 0
        var listener: Listener?
        listener = try Listener(fcntl(port.socket, F_DUPFD_CLOEXEC, 0), loop: loop) { socket, _ in
            count += 1
            close(socket)
            listener?.close()
            listener?.close()
        } refused: { _ in
        }
        loop.turn(for: .milliseconds(20))
        #expect(count == 1)
        _ = consume port
        #expect(becomesFree(address))
    }

    @Test("out of descriptors it rests, tells so once for each rest, and goes on when there are some again")
    func outOfDescriptors() async {
        await #expect(processExitsWith: .success) {
            let loop = try EventLoop()
            let port = try LoopbackListener()
            let accepted = Accepted()
            let listener = try accepted.listen(on: port, loop)
            let established = try Pair(.local, on: loop)
            var clients: [Int32] = []
            for _ in 0..<6 { clients.append(try port.connect()) }
            let limit = try allowDescriptors(2)
            let start = MonotonicTime.read()
            #expect(loop.turn { accepted.refusals.count == 2 })
            #expect(MonotonicTime.read() - start > .milliseconds(90))
            #expect(accepted.refusals.allSatisfy { $0.isOutOfDescriptors && $0.call == "accept4" })
            // What is established goes on meanwhile.
            established.peer.send("still here")
            #expect(loop.turn { established.stream.isReadable })
            #expect(established.stream.read().bytes == Array("still here".utf8))
            #expect(accepted.sockets.count < 6)
            // Resting means resting: no turn after turn over the waiting connections.
            let end = MonotonicTime.read() + .milliseconds(60)
            var turns = 0
            loop.timers.schedule(Timer {}, at: end)
            while MonotonicTime.read() < end {
                loop.turn()
                turns += 1
            }
            #expect(turns < 20)
            allowDescriptors(restoring: limit)
            #expect(loop.turn { accepted.sockets.count == 6 })
            listener.close()
        }
    }

    @Test("closed while it rests, it does not come back")
    func closedWhileResting() async {
        await #expect(processExitsWith: .success) {
            let loop = try EventLoop()
            let port = try LoopbackListener()
            let accepted = Accepted()
            let listener = try accepted.listen(on: port, loop)
            let client = try port.connect()
            let limit = try allowDescriptors(0)
            #expect(loop.turn { accepted.refusals.count == 1 })
            listener.close()
            allowDescriptors(restoring: limit)
            loop.turn(for: .milliseconds(150))
            #expect(accepted.sockets.isEmpty)
            close(client)
        }
    }
}

/// Leaves this process room for `count` more descriptors and returns the limit that held before.
private func allowDescriptors(_ count: Int32) throws -> rlimit {
    var probes: [Int32] = []
    for _ in 0...count { probes.append(dup(0)) }
    for probe in probes { close(probe) }
    var limit = rlimit()
    try #require(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
    var lowered = limit
    lowered.rlim_cur = rlim_t(try #require(probes.last))
    try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &lowered) == 0)
    return limit
}

private func allowDescriptors(restoring limit: rlimit) {
    var limit = limit
    #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
}

/// What a listener has given out.
private final class Accepted {
    private(set) var sockets: [Int32] = []
    private(set) var peers: [SocketAddress] = []
    private(set) var refusals: [SystemError] = []

    deinit { for socket in sockets { close(socket) } }

    /// A listener on a duplicate of the port's socket, so that each side may close its own.
    func listen(on port: LoopbackListener, _ loop: EventLoop) throws -> Listener {
        try Listener(fcntl(port.socket, F_DUPFD_CLOEXEC, 0), loop: loop) { [unowned self] socket, peer in
            sockets.append(socket)
            peers.append(peer)
        } refused: { [unowned self] error in
            refusals.append(error)
        }
    }
}
