import EventLoop
import HTTP1
import Testing

@testable import ProxyServer

@Suite("Much through a tunnel")
struct BulkTunnelTests {
    private let scene: RelayScene

    init() throws { scene = try RelayScene() }

    private func upwards() -> TunnelDirection {
        TunnelDirection(
            from: scene.clientInput, to: BufferedOutput(scene.origin.stream, stock: scene.worker.buffers), pipes: scene.worker.pipes)
    }

    private func downwards() -> TunnelDirection {
        TunnelDirection(from: scene.originInput, to: scene.clientOutput, pipes: scene.worker.pipes)
    }

    @Test("arrives whole and in order at a slow target, first by reading, then inside the kernel")
    func bulk() throws {
        let direction = upwards()
        let bytes = pattern(16 << 20)
        var sent = 0
        var rounds = 0
        let isDone = scene.loop.turn {
            if sent < bytes.count {
                sent += scene.client.peer.send(bytes[sent..<min(bytes.count, sent + 500_000)])
                if sent == bytes.count { scene.client.peer.finishWriting() }
            }
            guard direction.pump(announcesEnd: true) != .failed else { return true }
            #expect(scene.clientInput.count <= 128 * 1024)
            rounds += 1
            if rounds > 40 { scene.origin.peer.receive(300_000) }
            return direction.isDone
        }
        #expect(isDone)
        #expect(direction.isDone)
        _ = scene.loop.turn(within: .seconds(10)) {
            scene.origin.peer.receive()
            return scene.origin.peer.sawEnd
        }
        #expect(firstDifference(scene.origin.peer.received, bytes) == nil)
        #expect(scene.origin.peer.sawEnd)
        #expect(scene.clientInput.total == UInt64(bytes.count))
    }

    @Test("what was read or was waiting before the tunnel goes first", arguments: [10, 200_000])
    func earlyBytes(size: Int) throws {
        let bytes = pattern(size)
        scene.clientOutput.open().append("200 OK|")
        var sent = 0
        #expect(
            scene.loop.turn {
                if sent < size { sent += scene.origin.peer.send(bytes[sent...]) }
                return scene.origin.stream.isReadable
            })
        #expect(scene.originInput.fill() != .wouldBlock)
        let direction = downwards()
        let expected = Array("200 OK|".utf8) + bytes
        _ = scene.loop.turn {
            if sent < size { sent += scene.origin.peer.send(bytes[sent...]) }
            _ = direction.pump(announcesEnd: true)
            scene.client.peer.receive()
            return scene.client.peer.received.count >= expected.count
        }
        #expect(firstDifference(scene.client.peer.received, expected) == nil)
        #expect(scene.clientOutput.total == UInt64(expected.count))
    }

    @Test("one direction ends while the other goes on")
    func halfClose() throws {
        let up = upwards()
        let down = downwards()
        scene.client.peer.send("question")
        scene.client.peer.finishWriting()
        #expect(
            scene.loop.turn {
                _ = up.pump(announcesEnd: true)
                scene.origin.peer.receive()
                return scene.origin.peer.sawEnd
            })
        #expect(scene.origin.peer.text == "question")
        #expect(up.isDone && !down.isDone)
        scene.origin.peer.send("answer")
        #expect(
            scene.loop.turn {
                _ = up.pump(announcesEnd: true)
                _ = down.pump(announcesEnd: true)
                scene.client.peer.receive()
                return scene.client.peer.text == "answer"
            })
        #expect(!scene.client.peer.sawEnd)
        scene.origin.peer.leave()
        #expect(
            scene.loop.turn {
                _ = down.pump(announcesEnd: true)
                scene.client.peer.receive()
                return scene.client.peer.sawEnd
            })
        #expect(down.isDone)
    }

    @Test("a reset on either side fails the direction, in bulk or before", arguments: [true, false], [true, false])
    func reset(bySource: Bool, inBulk: Bool) throws {
        let direction = upwards()
        let bytes = pattern(inBulk ? 400_000 : 10)
        var sent = 0
        _ = scene.loop.turn {
            if sent < bytes.count { sent += scene.client.peer.send(bytes[sent...]) }
            _ = direction.pump(announcesEnd: true)
            scene.origin.peer.receive()
            return scene.origin.peer.received.count == bytes.count
        }
        #expect(firstDifference(scene.origin.peer.received, bytes) == nil)
        if bySource { scene.client.peer.reset() } else { scene.origin.peer.reset() }
        let failed = scene.loop.turn(within: .seconds(5)) {
            if !bySource { scene.client.peer.send("more") }
            return direction.pump(announcesEnd: true) == .failed
        }
        #expect(failed)
        #expect(!direction.isDone)
    }
}
