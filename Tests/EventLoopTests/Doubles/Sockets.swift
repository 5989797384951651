import EventLoop
import Glibc
import Net
import Testing

/// Two connected sockets: a stream of the loop under test, and the bare other end in the test's hand. Both are closed with the pair,
/// which must not outlive the loop.
final class Pair {
    enum Kind: CaseIterable, Sendable { case local, tcp }

    let stream: ByteStream
    let peer: Peer

    init(_ kind: Kind = .local, on loop: EventLoop, signal: Signal? = nil) throws {
        let ends = try kind == .local ? Pair.localEnds() : Pair.tcpEnds()
        stream = ByteStream(ends.0, loop: loop)
        peer = Peer(ends.1)
        stream.signal = signal
        try stream.register()
    }

    deinit { stream.close() }

    private static func localEnds() throws -> (Int32, Int32) {
        var ends: [Int32] = [0, 0]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
        return (ends[0], ends[1])
    }

    private static func tcpEnds() throws -> (Int32, Int32) {
        let listener = try LoopbackListener()
        let client = try listener.connect()
        return (client, try #require(listener.accept()))
    }
}

/// The far end of a connection: plain system calls, non-blocking.
final class Peer {
    let number: Int32
    private var isOpen = true

    init(_ number: Int32) { self.number = number }

    deinit { leave() }

    /// Closes this end.
    func leave() {
        guard isOpen else { return }
        isOpen = false
        close(number)
    }

    /// Sends all of `bytes` that the kernel takes and returns how many that were.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Int {
        max(0, Glibc.send(number, bytes, bytes.count, Int32(MSG_NOSIGNAL)))
    }

    func send(_ text: String) { send(Array(text.utf8)) }

    /// What is there to read, at most `limit` bytes.
    func receive(_ limit: Int = 1 << 20) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = recv(number, &bytes, limit, 0)
        return Array(bytes.prefix(max(0, count)))
    }

    /// The next bytes, waited for: even on loopback they need not be there when the call that sent them returns.
    func awaitBytes() -> [UInt8] {
        waitUntilReadable()
        return receive()
    }

    /// Blocks until there is something to read, an end or a failure.
    func waitUntilReadable() {
        var entry = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        poll(&entry, 1, 10_000)
    }

    /// Whether the other side has ended; waited for.
    var sawEnd: Bool {
        waitUntilReadable()
        var byte: UInt8 = 0
        return recv(number, &byte, 1, Int32(MSG_PEEK)) == 0
    }

    func finishWriting() { shutdown(number, Int32(SHUT_WR)) }

    /// Closes this end with a reset.
    func reset() {
        var value = linger(l_onoff: 1, l_linger: 0)
        setsockopt(number, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
        leave()
    }
}

/// A listening socket on a loopback address and clients for it, made of plain system calls.
final class LoopbackListener {
    let socket: Int32
    let address: SocketAddress

    init(_ address: SocketAddress = .loopback(0)) throws {
        socket = try Socket.listen(address)
        self.address = try #require(Socket.localAddress(socket))
    }

    deinit { close(socket) }

    /// A connected, non-blocking client; the kernel completes the connection without anybody accepting.
    func connect() throws -> Int32 {
        let client = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        try #require(client >= 0)
        var raw = sockaddr_in()
        raw.sin_family = sa_family_t(AF_INET)
        raw.sin_port = address.port.bigEndian
        raw.sin_addr.s_addr = (address.address.ipv4Value ?? 0).bigEndian
        let code = withUnsafePointer(to: &raw) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
        try #require(code == 0)
        try #require(fcntl(client, F_SETFL, O_NONBLOCK) == 0)
        return client
    }

    func accept() -> Int32? {
        let accepted = Glibc.accept(socket, nil, nil)
        guard accepted >= 0 else { return nil }
        _ = fcntl(accepted, F_SETFL, O_NONBLOCK)
        _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
        return accepted
    }
}

extension SocketAddress {
    static func loopback(_ port: UInt16) -> SocketAddress { SocketAddress(address: IPAddress(ipv4: 0x7f00_0001), port: port) }
}

extension ByteStream {
    /// Reads once, at most `limit` bytes.
    func read(_ limit: Int = 1 << 16) -> (result: IOResult, bytes: [UInt8]) {
        var bytes = [UInt8](repeating: 0, count: limit)
        let result = bytes.withUnsafeMutableBytes { read(into: $0) }
        guard case .bytes(let count) = result else { return (result, []) }
        return (result, Array(bytes.prefix(count)))
    }

    /// Writes once.
    func write(_ first: [UInt8], _ second: [UInt8] = []) -> IOResult {
        first.withUnsafeBytes { first in second.withUnsafeBytes { write(first, $0) } }
    }
}

/// Whether nobody holds the address any more. A program that another test starts at this moment may hold it a little longer.
func becomesFree(_ address: SocketAddress) -> Bool {
    let deadline = MonotonicTime.read() + .seconds(10)
    while MonotonicTime.read() < deadline {
        if (try? Socket.probe(address)) != nil { return true }
        sched_yield()
    }
    return false
}

/// Bytes whose order can be checked.
func pattern(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var random = SeededRandom(seed: seed)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 8)
    while bytes.count < count {
        var word = random.next()
        for _ in 0..<8 {
            bytes.append(UInt8(truncatingIfNeeded: word))
            word >>= 8
        }
    }
    return Array(bytes.prefix(count))
}

/// Where two long arrays differ; nil when they are equal.
func firstDifference(_ one: [UInt8], _ other: [UInt8]) -> Int? {
    guard one != other else { return nil }
    return zip(one, other).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(one.count, other.count)
}
