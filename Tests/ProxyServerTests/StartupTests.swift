import EventLoop
import Glibc
import HTTPDNS
import Net
import Testing

@testable import ProxyServer

@Suite("Listening sockets of the proxy")
struct ListenerSocketsTests {
    @Test("every worker has a socket for every address, all of one address on the port that the kernel chose")
    func copies() throws {
        let wanted = [SocketAddress("127.0.0.1:0"), SocketAddress("[::1]:0")].compactMap { $0 }
        let sockets = try ListenerSockets(wanted, copies: 3)
        defer { for socket in sockets.copies.joined() { close(socket) } }
        #expect(sockets.copies.map(\.count) == [2, 2, 2])
        #expect(sockets.addresses.map(\.address) == wanted.map(\.address))
        for copy in sockets.copies { #expect(copy.compactMap { Socket.localAddress($0) } == sockets.addresses) }
        #expect(!sockets.addresses.contains { $0.port == 0 })
    }

    @Test("a port that is taken refuses the start and names address and reason, though it could be shared")
    func taken() throws {
        let other = try Socket.listen(SocketAddress(address: IPAddress(ipv4: 0x7f00_0001), port: 0))
        defer { close(other) }
        let address = try #require(Socket.localAddress(other))
        let error = #expect(throws: StartupError.self) { try ListenerSockets([address], copies: 2) }
        #expect(error?.sentence == "--listen: cannot listen on \(address): Address already in use")
    }
}

@Suite("The resolver's clock on a loop")
struct LoopClockTests {
    private let loop: EventLoop
    private let clock: LoopClock

    init() throws {
        loop = try EventLoop()
        clock = LoopClock(loop)
    }

    @Test("a body runs once, after its delay and not before the call returns")
    func schedule() {
        var runs = 0
        let start = clock.now
        let work = clock.schedule(after: .milliseconds(20)) { runs += 1 }
        #expect(runs == 0)
        #expect(loop.turn { runs == 1 })
        #expect(clock.now - start >= .milliseconds(20))
        loop.turn(for: .milliseconds(30))
        #expect(runs == 1)
        work.cancel()
    }

    @Test("a body for now runs in the next turn")
    func zero() {
        var runs = 0
        _ = clock.schedule(after: .zero) { runs += 1 }
        #expect(runs == 0)
        #expect(loop.turn(within: .seconds(1)) { runs == 1 })
    }

    @Test("a body runs though nobody holds what was returned, and not after it was cancelled")
    func cancel() {
        var ran: [Int] = []
        var kept: [any Cancellable] = []
        for index in 0..<4 {
            let work = clock.schedule(after: .milliseconds(5)) { ran.append(index) }
            if index.isMultiple(of: 2) { kept.append(work) }
        }
        for work in kept { work.cancel() }
        loop.turn(for: .milliseconds(30))
        #expect(ran.sorted() == [1, 3])
    }

    @Test("a body may cancel itself and schedule the next")
    func chained() {
        var runs = 0
        func next() {
            runs += 1
            if runs < 5 { _ = clock.schedule(after: .milliseconds(1), next) }
        }
        next()
        #expect(loop.turn { runs == 5 })
        #expect(loop.timers.next == nil)
    }

    @Test("seconds since 1970 are this host's")
    func epoch() {
        #expect(abs(clock.epochSeconds - Int64(time(nil))) <= 1)
    }
}
