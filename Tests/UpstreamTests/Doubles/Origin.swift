import EventLoop
import Glibc
import Net
import Testing

/// A server on a loopback address, run by the loop under test.
final class Origin {
    let address: SocketAddress
    private(set) var connections: [OriginConnection] = []
    private var listener: Listener?

    /// - Parameters:
    ///   - text: where to listen; port 0 for one of the kernel's choice.
    ///   - accepted: called with each new connection.
    ///   - received: called when bytes have come on one.
    init(
        _ text: String = "127.0.0.1:0", on loop: EventLoop, accepted: @escaping (OriginConnection) -> Void = { _ in },
        received: @escaping (OriginConnection) -> Void = { _ in }
    ) throws {
        let socket = try Socket.listen(try #require(SocketAddress(text)))
        address = try #require(Socket.localAddress(socket))
        listener = try Listener(socket, loop: loop) { [unowned self] socket, _ in
            let connection = OriginConnection(socket, index: connections.count, loop: loop, received)
            connections.append(connection)
            accepted(connection)
            try? loop.add(connection)
        } refused: { _ in
        }
    }

    deinit { close() }

    /// Stops serving: what is established is closed, nobody listens any more.
    func close() {
        listener?.close()
        listener = nil
        for connection in connections { connection.close() }
    }
}

/// One connection of an origin.
final class OriginConnection: Descriptor {
    /// How many the origin had accepted before.
    let index: Int
    private(set) var received: [UInt8] = []
    /// Whether the client has ended, or this side has.
    var isOver: Bool { sawEnd || !isOpen }
    private(set) var sawEnd = false
    private let loop: EventLoop
    private let changed: (OriginConnection) -> Void
    private var isOpen = true

    init(_ socket: Int32, index: Int, loop: EventLoop, _ changed: @escaping (OriginConnection) -> Void) {
        self.index = index
        self.loop = loop
        self.changed = changed
        super.init(socket)
    }

    var text: String { String(decoding: received, as: UTF8.self) }

    /// The next whole request head that has come, taken away.
    func takeRequest() -> String? {
        guard let end = text.firstRange(of: "\r\n\r\n") else { return nil }
        let head = String(text[..<end.upperBound])
        received.removeFirst(head.utf8.count)
        return head
    }

    override func ready(_ readiness: Readiness) {
        guard isOpen else { return }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(number, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            if count <= 0 {
                sawEnd = sawEnd || count == 0 || errno != EAGAIN
                break
            }
            received += bytes[..<count]
        }
        changed(self)
    }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) { _ = Glibc.send(number, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

    func close() {
        guard isOpen else { return }
        isOpen = false
        loop.forget(self)
        Glibc.close(number)
    }
}

/// A listener without room for another connection in its queue: whoever dials it hears nothing.
final class BlackHole {
    private let socket: Int32
    private var fillers: [Int32] = []

    init(_ address: SocketAddress) throws {
        socket = try Socket.listen(address, backlog: 0)
        for _ in 0..<4 {
            let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            let filler = Glibc.socket(AF_INET, type, 0)
            fillers.append(filler)
            var raw = sockaddr_in()
            raw.sin_family = sa_family_t(AF_INET)
            raw.sin_port = address.port.bigEndian
            raw.sin_addr.s_addr = try #require(address.address.ipv4Value).bigEndian
            withUnsafePointer(to: raw) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = connect(filler, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
            }
        }
    }

    deinit { for socket in fillers + [socket] { close(socket) } }
}

/// How many descriptors this process has open.
func descriptorCount() -> Int {
    guard let directory = opendir("/proc/self/fd") else { return -1 }
    defer { closedir(directory) }
    var count = 0
    while readdir(directory) != nil { count += 1 }
    return count
}

extension ByteStream {
    /// Reads once.
    func read(_ limit: Int = 1 << 16) -> (result: IOResult, bytes: [UInt8]) {
        var bytes = [UInt8](repeating: 0, count: limit)
        let result = bytes.withUnsafeMutableBytes { read(into: $0) }
        guard case .bytes(let count) = result else { return (result, []) }
        return (result, Array(bytes.prefix(count)))
    }

    func write(_ bytes: [UInt8]) -> IOResult { bytes.withUnsafeBytes { write($0) } }

    /// Writes once, in two parts.
    func write(_ first: [UInt8], _ second: [UInt8]) -> IOResult {
        first.withUnsafeBytes { first in second.withUnsafeBytes { write(first, $0) } }
    }
}

/// Where two long arrays differ; nil when they are equal.
func firstDifference(_ one: [UInt8], _ other: [UInt8]) -> Int? {
    guard one != other else { return nil }
    return zip(one, other).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(one.count, other.count)
}
