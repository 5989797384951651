import EventLoop
import Glibc
import Net
import Testing

/// A DNS server on a loopback port, over UDP and TCP, run by the loop under test. A script answers each question.
final class NameServer {
    /// What is said to one question; nil says nothing.
    typealias Script = (Asked) -> Reply?

    /// A question as it came.
    struct Asked: Hashable {
        let name: String
        let type: UInt16
        let overTCP: Bool
    }

    let address: SocketAddress
    private(set) var asked: [Asked] = []
    private let script: Script
    private let loop: EventLoop
    private var datagrams: Datagrams?
    private var listener: Listener?
    private var streams: [ByteStream] = []

    init(on loop: EventLoop, _ script: @escaping Script) throws {
        self.loop = loop
        self.script = script
        let socket = try Socket.listen(SocketAddress(address: IPAddress(ipv4: 0x7f00_0001), port: 0))
        address = try #require(Socket.localAddress(socket))
        listener = try Listener(socket, loop: loop) { [unowned self] socket, _ in
            serve(socket)
        } refused: { _ in
        }
        let datagrams = try Datagrams(port: address.port) { [unowned self] in answer($0, overTCP: false) }
        try loop.add(datagrams)
        self.datagrams = datagrams
    }

    deinit {
        listener?.close()
        for stream in streams { stream.close() }
        if let datagrams {
            loop.forget(datagrams)
            close(datagrams.number)
        }
    }

    private func answer(_ message: [UInt8], overTCP: Bool) -> [UInt8]? {
        guard message.count > 16 else { return nil }
        var labels: [String] = []
        var offset = 12
        while message[offset] > 0 {
            let length = Int(message[offset])
            labels.append(String(decoding: message[offset + 1...offset + length], as: UTF8.self))
            offset += 1 + length
        }
        let type = UInt16(message[offset + 1]) << 8 | UInt16(message[offset + 2])
        let question = Asked(name: labels.joined(separator: ".").lowercased(), type: type, overTCP: overTCP)
        asked.append(question)
        return script(question)?.message(to: message, questionEnd: offset + 5)
    }

    /// One question for each connection is enough here.
    private func serve(_ socket: Int32) {
        let stream = TCPQuestions(socket, loop: loop) { [unowned self] in answer($0, overTCP: true) }
        streams.append(stream)
        try? stream.register()
        let signal = Signal(loop: loop)
        stream.signal = signal
        let carried = LoopLocal((stream, signal), on: loop)
        Task(executorPreference: loop) { while await carried.value.1.wait(until: .distantFuture) == .raised, carried.value.0.serve() {} }
    }
}

/// The UDP side.
private final class Datagrams: Descriptor {
    private let answer: ([UInt8]) -> [UInt8]?

    init(port: UInt16, answer: @escaping ([UInt8]) -> [UInt8]?) throws {
        self.answer = answer
        let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let socket = Glibc.socket(AF_INET, type, 0)
        try #require(socket >= 0)
        super.init(socket)
        var raw = sockaddr_in()
        raw.sin_family = sa_family_t(AF_INET)
        raw.sin_port = port.bigEndian
        raw.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let code = withUnsafePointer(to: raw) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
        try #require(code == 0)
    }

    override func ready(_ readiness: Readiness) {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        var peer = sockaddr_in()
        while true {
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let count = withUnsafeMutablePointer(to: &peer) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { recvfrom(number, &bytes, bytes.count, 0, $0, &length) }
            }
            guard count > 0 else { return }
            guard let reply = answer(Array(bytes[..<count])) else { continue }
            _ = withUnsafePointer(to: peer) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { sendto(number, reply, reply.count, 0, $0, length) }
            }
        }
    }
}

/// The TCP side: messages with their length before them.
private final class TCPQuestions: ByteStream {
    private let answer: ([UInt8]) -> [UInt8]?
    private var received: [UInt8] = []

    init(_ socket: Int32, loop: EventLoop, answer: @escaping ([UInt8]) -> [UInt8]?) {
        self.answer = answer
        super.init(socket, loop: loop)
    }

    /// Reads and answers; false when the client has ended.
    func serve() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let result = bytes.withUnsafeMutableBytes { read(into: $0) }
        guard case .bytes(let count) = result else { return result == .wouldBlock }
        received += bytes[..<count]
        guard received.count >= 2 else { return true }
        let length = Int(received[0]) << 8 | Int(received[1])
        guard received.count >= 2 + length else { return true }
        let message = Array(received[2..<2 + length])
        received.removeFirst(2 + length)
        if let reply = answer(message) {
            let framed = [UInt8(reply.count >> 8), UInt8(reply.count & 255)] + reply
            _ = framed.withUnsafeBytes { write($0) }
        }
        return true
    }
}

/// What a server says.
struct Reply {
    /// One record of the answer section.
    enum Record {
        case a(String, ttl: UInt32, owner: String? = nil)
        case aaaa(String, ttl: UInt32)
        case alias(to: String, ttl: UInt32, owner: String? = nil)
    }

    var code: UInt8 = 0
    var isTruncated = false
    var records: [Record] = []

    static func records(_ records: Record...) -> Reply { Reply(records: records) }
    static func code(_ code: UInt8) -> Reply { Reply(code: code) }

    /// The message that answers `query`, whose question ends at `questionEnd`.
    func message(to query: [UInt8], questionEnd: Int) -> [UInt8] {
        let flags: [UInt8] = [0x81 | (isTruncated ? 2 : 0), 0x80 | code]
        let counts: [UInt8] = [0, 1, 0, UInt8(records.count), 0, 0, 0, 0]
        return Array(query[..<2]) + flags + counts + Array(query[12..<questionEnd]) + records.flatMap(Reply.encoded)
    }

    private static func encoded(_ record: Record) -> [UInt8] {
        switch record {
        case .a(let text, let ttl, let owner): encoded(owner, 1, ttl, octets(text))
        case .aaaa(let text, let ttl): encoded(nil, 28, ttl, octets(text))
        case .alias(let name, let ttl, let owner): encoded(owner, 5, ttl, encoded(name: name))
        }
    }

    private static func encoded(_ owner: String?, _ type: UInt8, _ ttl: UInt32, _ data: [UInt8]) -> [UInt8] {
        // Without an owner the record belongs to the name of the question, by reference.
        (owner.map(encoded(name:)) ?? [0xc0, 12]) + [0, type, 0, 1] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: ttl >> $0) }
            + [UInt8(data.count >> 8), UInt8(data.count & 255)] + data
    }

    private static func encoded(name: String) -> [UInt8] {
        name.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    }

    private static func octets(_ text: String) -> [UInt8] {
        guard let address = IPAddress(text) else { return [] }
        if let value = address.ipv4Value { return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
        return [address.ipv6High, address.ipv6Low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) } }
    }
}
