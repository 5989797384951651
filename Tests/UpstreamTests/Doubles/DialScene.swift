import EventLoop
import Net
import Testing
import Upstream

/// A loop, a dialer and what a client's connection would bring along.
final class DialScene {
    // The loop outlives what belongs to it: properties go in the order of their declaration.
    let signal: Signal
    private var streams: [ByteStream] = []
    let dialer: Dialer
    let loop: EventLoop
    var isWanted = true

    typealias Result = Swift.Result<Dialled, FailedDial>

    init(_ change: (inout DialerConfiguration) -> Void = { _ in }) throws {
        var configuration = DialerConfiguration()
        change(&configuration)
        loop = try EventLoop()
        signal = Signal(loop: loop)
        dialer = try Dialer(loop: loop, configuration: configuration)
    }

    deinit { for stream in streams { stream.close() } }

    /// Starts a dial as a task of the loop. Streams that come of it are closed with the scene.
    func start(_ target: DialTarget, _ addresses: [IPAddress], parent: ParentHop? = nil) -> Outcome<Result> {
        loop.start(with: self) { scene in
            do throws(FailedDial) {
                let dialled: Dialled
                if let parent {
                    dialled = try await scene.dialer.dial(target, through: parent, at: addresses, signal: scene.signal) { scene.isWanted }
                } else {
                    dialled = try await scene.dialer.dial(target, addresses: addresses, signal: scene.signal) { scene.isWanted }
                }
                scene.streams.append(dialled.stream)
                dialled.stream.signal = scene.signal
                return .success(dialled)
            } catch {
                return .failure(error)
            }
        }
    }

    /// Dials and turns until the dial has ended.
    func dial(_ target: DialTarget, _ addresses: [IPAddress], parent: ParentHop? = nil) -> Result? {
        let outcome = start(target, addresses, parent: parent)
        _ = loop.turn { outcome.content != nil }
        return outcome.content
    }

    /// Dials and insists on a connection.
    func connect(_ target: DialTarget, _ addresses: [IPAddress], parent: ParentHop? = nil) throws -> Dialled {
        try #require(dial(target, addresses, parent: parent)).get()
    }

    /// Dials and insists on a failure.
    func failure(_ target: DialTarget, _ addresses: [IPAddress], parent: ParentHop? = nil) -> DialFailure? {
        guard case .failure(let failure) = dial(target, addresses, parent: parent) else { return nil }
        return failure.reason
    }

    /// Reads `count` bytes, however they come; what there was when it takes too long.
    func read(_ count: Int, from stream: ByteStream) -> [UInt8] {
        var bytes: [UInt8] = []
        _ = loop.turn(within: .seconds(10)) {
            while stream.isReadable, bytes.count < count {
                let (result, more) = stream.read(count - bytes.count)
                guard case .bytes = result else { break }
                bytes += more
            }
            return bytes.count >= count
        }
        return bytes
    }
}

extension DialTarget {
    static func plain(_ name: String, _ address: SocketAddress) -> DialTarget {
        DialTarget(https: false, host: IPAddress(name).map(Host.address) ?? .name(name), port: address.port)
    }

    static func tls(_ name: String, _ port: UInt16) -> DialTarget {
        DialTarget(https: true, host: IPAddress(name).map(Host.address) ?? .name(name), port: port)
    }
}

extension IPAddress {
    /// 127.0.0.`last`.
    static func loopback(_ last: UInt32 = 1) -> IPAddress { IPAddress(ipv4: 0x7f00_0000 | last) }
}
