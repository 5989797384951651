import Glibc
import Net
import Testing

@testable import EventLoop

/// A descriptor that notes what it hears.
private final class Ear: Descriptor {
    private(set) var heard: [Readiness] = []
    var whenReady: () -> Void = {}

    override func ready(_ readiness: Readiness) {
        heard.append(readiness)
        whenReady()
    }
}

@Suite("Delivery of readiness")
struct PollerTests {
    private let loop: EventLoop

    init() throws { loop = try EventLoop() }

    /// A registered ear on one end of a socket pair, and the other end.
    private func listen() throws -> (ear: Ear, peer: Peer) {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        let ear = Ear(ends[0])
        try loop.add(ear)
        return (ear, Peer(ends[1]))
    }

    @Test("tells of readable, of a finished peer and of a closed one")
    func readiness() throws {
        let (ear, peer) = try listen()
        defer { close(ear.number) }
        #expect(loop.turn { !ear.heard.isEmpty })
        #expect(ear.heard == [[.writable]])
        peer.send("x")
        #expect(loop.turn { ear.heard.count > 1 })
        #expect(ear.heard.last?.contains(.readable) == true)
        peer.finishWriting()
        #expect(loop.turn { ear.heard.count > 2 })
        #expect(ear.heard.last?.contains(.peerFinished) == true)
        #expect(ear.heard.last?.contains(.hungUp) == false)
        shutdown(ear.number, Int32(SHUT_WR))
        #expect(loop.turn { ear.heard.last?.contains(.hungUp) == true })
    }

    @Test("says it once for each change, however long the bytes stay")
    func edges() throws {
        let (ear, peer) = try listen()
        defer { close(ear.number) }
        loop.turn(for: .zero)
        let before = ear.heard.count
        peer.send("x")
        loop.turn(for: .milliseconds(10))
        #expect(ear.heard.count == before + 1)
        peer.send("y")
        loop.turn(for: .milliseconds(10))
        #expect(ear.heard.count == before + 2)
    }

    /// Two descriptors become ready in the same batch. Whichever hears first closes the other and opens something new under its number.
    @Test("news of a descriptor that was closed and reopened within the batch reaches nobody")
    func generations() throws {
        let (one, onePeer) = try listen()
        let (two, twoPeer) = try listen()
        let (fresh, freshPeer) = try listen()
        loop.remove(fresh)
        loop.turn(for: .zero)
        #expect(one.heard == [[.writable]] && two.heard == [[.writable]])
        var heir: Ear?
        for (ear, other) in [(one, two), (two, one)] {
            ear.whenReady = { [loop] in
                guard heir == nil else { return }
                loop.forget(other)
                // Closes the other's socket and puts the fresh one under its number, in one step.
                dup2(fresh.number, other.number)
                let next = Ear(other.number)
                heir = next
                try? loop.add(next)
            }
        }
        onePeer.send("1")
        twoPeer.send("2")
        loop.turn()
        #expect(one.heard.count + two.heard.count == 3)
        #expect(heir != nil)
        #expect(heir?.heard == [])
        freshPeer.send("for the heir")
        #expect(loop.turn { heir?.heard.last?.contains(.readable) == true })
        for number in [one.number, two.number, fresh.number] { close(number) }
    }

    @Test("news of a descriptor that another one's news takes out reaches nobody", arguments: [true, false])
    func removedWithinBatch(byForgetting: Bool) throws {
        let (one, onePeer) = try listen()
        let (two, twoPeer) = try listen()
        defer { for ear in [one, two] { close(ear.number) } }
        loop.turn(for: .zero)
        let before = one.heard.count + two.heard.count
        for (ear, other) in [(one, two), (two, one)] {
            ear.whenReady = { [loop] in byForgetting ? loop.forget(other) : loop.remove(other) }
        }
        onePeer.send("1")
        twoPeer.send("2")
        loop.turn(for: .milliseconds(10))
        #expect(one.heard.count + two.heard.count == before + 1)
    }

    @Test("a descriptor takes another one's place without losing what comes later")
    func replace() throws {
        let (first, peer) = try listen()
        defer { close(first.number) }
        loop.turn(for: .zero)
        let second = Ear(first.number)
        let before = first.heard.count
        loop.replace(first, with: second)
        peer.send("x")
        #expect(loop.turn { !second.heard.isEmpty })
        #expect(first.heard.count == before)
        // The former one has no say any more.
        loop.forget(first)
        loop.remove(first)
        peer.send("y")
        #expect(loop.turn { second.heard.count == 2 })
    }

    @Test("a number that is registered already changes hands")
    func registeredTwice() throws {
        let (first, peer) = try listen()
        defer { close(first.number) }
        loop.turn(for: .zero)
        let second = Ear(first.number)
        try loop.add(second)
        peer.send("x")
        #expect(loop.turn { second.heard.contains { $0.contains(.readable) } })
        #expect(!first.heard.contains { $0.contains(.readable) })
    }

    @Test("what cannot be watched is refused with the kernel's reason")
    func refused() {
        #expect(throws: SystemError(call: "epoll_ctl", number: EBADF)) { try loop.add(Ear(1_000_000)) }
        #expect(SystemError(call: "epoll_ctl", number: EBADF).reason == "Bad file descriptor")
    }

    @Test("more descriptors than one batch holds are all heard")
    func manyDescriptors() async {
        await #expect(processExitsWith: .success) {
            try #require(Socket.raiseDescriptorLimit() > 2_000)
            let loop = try EventLoop()
            let pairs = try (0..<700).map { _ in try Pair(on: loop) }
            loop.turn(for: .zero)
            for pair in pairs { pair.peer.send("x") }
            #expect(loop.turn { pairs.allSatisfy { $0.stream.isReadable } })
        }
    }
}
