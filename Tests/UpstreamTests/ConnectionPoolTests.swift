import Glibc
import Net
import Testing
import Upstream

@testable import EventLoop

@Suite("The pool of idle connections")
struct ConnectionPoolTests {
    private let farEnds = FarEnds()
    private let loop: EventLoop
    private let target = DialTarget(https: false, host: .name("origin.test"), port: 80)

    init() throws { loop = try EventLoop() }

    /// A connection whose far end the test holds.
    private func connection(_ target: DialTarget? = nil, _ address: IPAddress? = .loopback(1)) throws -> (UpstreamConnection, FarEnd) {
        var ends: [Int32] = [0, 0]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
        let stream = ByteStream(ends[0], loop: loop)
        try stream.register()
        return (UpstreamConnection(target ?? self.target, address: address, stream: stream), farEnds.add(ends[1]))
    }

    private func take(
        _ pool: ConnectionPool, _ target: DialTarget? = nil, _ addresses: [IPAddress]? = [.loopback(1)], freshness: Duration = .seconds(60),
        asksKernel: Bool = true
    ) -> UpstreamConnection? {
        pool.take(target ?? self.target, addresses: addresses, freshness: freshness, asksKernel: asksKernel)
    }

    /// Lets the next sweep happen now instead of in a second.
    private func ringSweep() throws { loop.timers.fire(try #require(loop.timers.next)) }

    @Test("gives back what was kept, once, and marks it as used before")
    func kept() throws {
        let pool = ConnectionPool(loop: loop)
        let (connection, far) = try connection()
        #expect(!connection.isReused)
        pool.give(connection)
        #expect(pool.count == 1)
        #expect(connection.stream.signal == nil)
        #expect(take(pool) === connection)
        #expect(connection.isReused)
        #expect(take(pool) == nil)
        #expect(pool.count == 0)
        #expect(!far.sawEnd)
        connection.stream.close()
    }

    @Test("the most recently used one goes first")
    func order() throws {
        let pool = ConnectionPool(loop: loop)
        let made = try (0..<3).map { _ in try connection() }
        for (connection, _) in made { pool.give(connection) }
        #expect(take(pool) === made[2].0)
        #expect(take(pool) === made[1].0)
        #expect(take(pool) === made[0].0)
        for (connection, _) in made { connection.stream.close() }
    }

    @Test(
        "another scheme, name, port or address is another connection",
        arguments: [
            DialTarget(https: true, host: .name("origin.test"), port: 80),
            DialTarget(https: false, host: .name("other.test"), port: 80),
            DialTarget(https: false, host: .name("origin.test"), port: 8080),
            DialTarget(https: false, host: .address(.loopback(1)), port: 80),
        ])
    func keyed(other: DialTarget) throws {
        let pool = ConnectionPool(loop: loop)
        let (connection, _) = try connection()
        pool.give(connection)
        #expect(take(pool, other) == nil)
        #expect(take(pool, nil, [.loopback(2), .loopback(3)]) == nil)
        #expect(take(pool, nil, []) == nil)
        #expect(pool.count == 1)
        #expect(take(pool, nil, [.loopback(2), .loopback(1)]) === connection)
        connection.stream.close()
    }

    @Test("through a parent no address is asked for")
    func parents() throws {
        let pool = ConnectionPool(loop: loop)
        let (connection, _) = try connection(nil, nil)
        pool.give(connection)
        #expect(take(pool, nil, nil) === connection)
        connection.stream.close()
    }

    @Test("a connection that became readable or closed is never given out", arguments: [true, false], [true, false])
    func disturbed(byClosing: Bool, turned: Bool) throws {
        let pool = ConnectionPool(loop: loop)
        let (sound, soundFar) = try connection()
        let (bad, far) = try connection()
        loop.turn(for: .zero)
        pool.give(sound)
        pool.give(bad)
        if byClosing { far.leave() } else { far.send("HTTP/1.1 408 Request Timeout\r\n\r\n") }
        if turned { loop.turn(for: .milliseconds(2)) }
        #expect(take(pool, asksKernel: !turned) === sound)
        #expect(take(pool) == nil)
        #expect(pool.count == 0)
        #expect(bad.stream.isClosed)
        #expect(!soundFar.sawEnd)
        sound.stream.close()
    }

    @Test("a connection with unread bytes or a gone peer is not kept at all", arguments: [true, false])
    func notKept(byClosing: Bool) throws {
        let pool = ConnectionPool(loop: loop)
        let (connection, far) = try connection()
        if byClosing { far.leave() } else { far.send("x") }
        loop.turn(for: .milliseconds(2))
        pool.give(connection)
        #expect(pool.count == 0)
        #expect(connection.stream.isClosed)
    }

    @Test("what has been idle for longer than it may be for this request stays for others")
    func freshness() throws {
        let pool = ConnectionPool(loop: loop)
        let (connection, far) = try connection()
        pool.give(connection)
        loop.turn(for: .milliseconds(30))
        #expect(take(pool, freshness: .milliseconds(10)) == nil)
        #expect(pool.count == 1)
        #expect(!far.sawEnd)
        #expect(take(pool, freshness: .seconds(10)) === connection)
        connection.stream.close()
    }

    @Test("the sweep closes what has been idle for too long, and only that")
    func sweep() throws {
        let pool = ConnectionPool(loop: loop, idleLimit: .milliseconds(40))
        let (old, oldFar) = try connection()
        let (young, youngFar) = try connection()
        pool.give(old)
        loop.turn(for: .milliseconds(50))
        pool.give(young)
        try ringSweep()
        #expect(pool.count == 1)
        #expect(oldFar.sawEnd)
        #expect(!youngFar.sawEnd)
        loop.turn(for: .milliseconds(50))
        try ringSweep()
        #expect(pool.count == 0)
        #expect(youngFar.sawEnd)
        #expect(take(pool) == nil)
        // Nothing is left to sweep for.
        #expect(loop.timers.next == nil)
    }

    @Test("the sweep closes what its peer has closed")
    func sweepClosed() throws {
        let pool = ConnectionPool(loop: loop)
        let made = try (0..<4).map { _ in try connection() }
        for (connection, _) in made { pool.give(connection) }
        made[1].1.leave()
        made[2].1.send("?")
        loop.turn(for: .milliseconds(2))
        try ringSweep()
        #expect(pool.count == 2)
        #expect(made.map { $0.0.stream.isClosed } == [false, true, true, false])
        pool.closeAll()
    }

    @Test("beyond the limit a connection is closed instead of kept")
    func countLimit() throws {
        let pool = ConnectionPool(loop: loop, countLimit: 2)
        let made = try (0..<3).map { try connection(DialTarget(https: false, host: .name("host-\($0).test"), port: 80)) }
        for (connection, _) in made { pool.give(connection) }
        #expect(pool.count == 2)
        #expect(made.map { $0.0.stream.isClosed } == [false, false, true])
        pool.closeAll()
    }

    @Test("closing all closes all")
    func closeAll() throws {
        let pool = ConnectionPool(loop: loop)
        let made = try (0..<5).map { try connection(DialTarget(https: false, host: .name("host-\($0 % 2).test"), port: 80)) }
        for (connection, _) in made { pool.give(connection) }
        pool.closeAll()
        #expect(pool.count == 0)
        #expect(made.allSatisfy { $0.1.sawEnd })
        #expect(loop.timers.next == nil)
    }
}

/// Keeps the origins' ends open for as long as the test runs.
private final class FarEnds {
    private var ends: [FarEnd] = []

    func add(_ number: Int32) -> FarEnd {
        let end = FarEnd(number)
        ends.append(end)
        return end
    }
}

/// The origin's end of a connection.
private final class FarEnd {
    private let number: Int32
    private var isOpen = true

    init(_ number: Int32) { self.number = number }

    deinit { leave() }

    var sawEnd: Bool {
        var byte: UInt8 = 0
        return recv(number, &byte, 1, Int32(MSG_PEEK)) == 0
    }

    func send(_ text: String) { _ = Glibc.send(number, text, text.utf8.count, Int32(MSG_NOSIGNAL)) }

    func leave() {
        guard isOpen else { return }
        isOpen = false
        close(number)
    }
}
