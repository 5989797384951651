import EventLoop
import Glibc
import Net
import Testing

/// Two connected TCP sockets: a stream of the loop under test, and the bare other end in the test's hand. Both are closed with the pair,
/// which must not outlive the loop.
final class Pair {
    let stream: ByteStream
    let peer: Peer

    init(on loop: EventLoop) throws {
        let listener = try Socket.listen(SocketAddress(address: IPAddress(ipv4: 0x7f00_0001), port: 0))
        defer { close(listener) }
        peer = try Peer(connectingTo: try #require(Socket.localAddress(listener)))
        let accepted = accept(listener, nil, nil)
        try #require(accepted >= 0)
        _ = fcntl(accepted, F_SETFL, O_NONBLOCK)
        _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
        stream = ByteStream(accepted, loop: loop)
        try stream.register()
    }

    deinit { stream.close() }
}

/// The far end of a connection: plain system calls, non-blocking.
final class Peer {
    private let number: Int32
    private var isOpen = true
    /// Everything that has come.
    private(set) var received: [UInt8] = []
    /// How the reading ended: false as long as it has not, also for a reset.
    private(set) var sawEnd = false
    private(set) var sawReset = false

    init(connectingTo address: SocketAddress) throws {
        number = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        try #require(number >= 0)
        var raw = sockaddr_in()
        raw.sin_family = sa_family_t(AF_INET)
        raw.sin_port = address.port.bigEndian
        raw.sin_addr.s_addr = (address.address.ipv4Value ?? 0).bigEndian
        let number = number
        let code = withUnsafePointer(to: &raw) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
        try #require(code == 0)
        _ = fcntl(number, F_SETFL, O_NONBLOCK)
        // Small pieces leave as they are instead of waiting for an acknowledgement.
        var one: Int32 = 1
        setsockopt(number, Int32(IPPROTO_TCP), 1, &one, 4)
    }

    deinit { leave() }

    /// Sends what the kernel takes and returns how many bytes that were.
    @discardableResult
    func send(_ bytes: some Collection<UInt8>) -> Int {
        let bytes = Array(bytes)
        return max(0, Glibc.send(number, bytes, bytes.count, Int32(MSG_NOSIGNAL)))
    }

    func send(_ text: String) { send(text.utf8) }

    /// Takes what has come, at most `limit` bytes.
    func receive(_ limit: Int = 1 << 20) {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = recv(number, &bytes, limit, 0)
        if count > 0 { received += bytes[..<count] }
        if count == 0 { sawEnd = true }
        if count < 0, errno != EAGAIN { sawReset = true }
    }

    var text: String { String(decoding: received, as: UTF8.self) }

    func finishWriting() { shutdown(number, Int32(SHUT_WR)) }

    func leave() {
        guard isOpen else { return }
        isOpen = false
        close(number)
    }

    /// Closes with a reset.
    func reset() {
        var value = linger(l_onoff: 1, l_linger: 0)
        setsockopt(number, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
        leave()
    }
}

/// Bytes whose order can be checked.
func pattern(_ count: Int) -> [UInt8] {
    var random = SeededRandom(seed: 1)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 8)
    while bytes.count < count {
        let word = random.next()
        for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: word >> (8 * shift))) }
    }
    return Array(bytes.prefix(count))
}

/// Where two long arrays differ; nil when they are equal.
func firstDifference(_ one: [UInt8], _ other: [UInt8]) -> Int? {
    guard one != other else { return nil }
    return zip(one, other).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(one.count, other.count)
}
