import EventLoop
import Glibc
import Net
import Testing
import Upstream

@Suite("Dialling over TLS")
struct TLSTests {
    private let server: TLSServer

    init() throws { server = try TLSServer() }

    private func scene(trusting bundle: String? = nil) throws -> DialScene {
        try DialScene { $0.certificateBundle = bundle ?? server.trusted }
    }

    @Test("the domain is what the server is asked for and checked against, not the address; bytes go both ways")
    func good() throws {
        let scene = try scene()
        let dialled = try scene.connect(.tls("origin.test", server.port), [.loopback()])
        #expect(dialled.address == .loopback())
        #expect(!dialled.stream.isPlain)
        #expect(dialled.stream.write(Array("over ".utf8), Array("TLS".utf8)) == .bytes(8))
        var received: [UInt8] = []
        #expect(
            scene.loop.turn {
                received += server.read()
                return received == Array("over TLS".utf8)
            })
        _ = server.write(Array("and back".utf8))
        #expect(scene.read(8, from: dialled.stream) == Array("and back".utf8))
        #expect(dialled.stream.isQuiet())
    }

    @Test("a certificate for another name is refused as such")
    func wrongName() throws {
        // Asked for a name that it does not know, the server shows its other certificate, which is trusted here.
        let scene = try scene(trusting: server.foreign)
        try expectCertificateFailure(scene.failure(.tls("elsewhere.test", server.port), [.loopback()]))
    }

    @Test("a certificate that nobody known has signed is refused as such")
    func unknownAuthority() throws {
        let scene = try scene(trusting: server.foreign)
        try expectCertificateFailure(scene.failure(.tls("origin.test", server.port), [.loopback()]))
    }

    @Test("the host's own bundle does not trust it either")
    func systemBundle() throws {
        let scene = try DialScene()
        try expectCertificateFailure(scene.failure(.tls("origin.test", server.port), [.loopback()]))
    }

    @Test("an address literal is checked against the address in the certificate")
    func literal() throws {
        let scene = try scene(trusting: server.foreign)
        let dialled = try scene.connect(.tls("127.0.0.1", server.port), [.loopback()])
        #expect(dialled.address == .loopback())
    }

    private func expectCertificateFailure(_ failure: DialFailure?) throws {
        guard case .certificate(let text) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(!text.isEmpty)
    }

    @Test("an address that refuses is passed over, TLS or not")
    func secondAddress() throws {
        let scene = try scene()
        let dialled = try scene.connect(.tls("origin.test", server.port), [.loopback(30), .loopback()])
        #expect(dialled.address == .loopback())
        #expect(dialled.failedAddresses == 1)
    }

    @Test("closing tells the server the end")
    func close() throws {
        let scene = try scene()
        for _ in 0..<3 {
            // The server takes the next connection only when it has seen the end of the one before.
            let dialled = try scene.connect(.tls("origin.test", server.port), [.loopback()])
            #expect(dialled.stream.write([0x78]) == .bytes(1))
            var received: [UInt8] = []
            #expect(
                scene.loop.turn {
                    received += server.read()
                    return !received.isEmpty
                })
            dialled.stream.close()
        }
    }

    @Test("a server that takes nothing holds the writer up, and everything arrives in order when it goes on")
    func backPressure() throws {
        let scene = try scene()
        let stream = try scene.connect(.tls("origin.test", server.port), [.loopback()]).stream
        let bytes = (0..<6_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 11) }
        var sent = 0
        var first = 0..<0
        var second = 0..<0
        var received: [UInt8] = []
        var blocked = 0
        let everything = scene.loop.turn(within: .seconds(60)) {
            while sent < bytes.count, !stream.waitsToWrite {
                // What was held up is offered again as it is: the same bytes, in the same memory, and no fewer.
                if first.isEmpty, second.isEmpty {
                    first = sent..<min(bytes.count, sent + 10_000)
                    second = first.upperBound..<min(bytes.count, sent + 60_000)
                }
                let result = bytes.withUnsafeBytes { stream.write(.init(rebasing: $0[first]), .init(rebasing: $0[second])) }
                guard case .bytes(let count) = result else { break }
                sent += count
                first = min(sent, first.upperBound)..<first.upperBound
                second = max(sent, second.lowerBound)..<second.upperBound
            }
            if stream.waitsToWrite { blocked += 1 }
            if blocked > 0 { received += server.read(100_000) }
            return received.count >= bytes.count || stream.hasFailed
        }
        #expect(everything)
        #expect(sent == bytes.count)
        #expect(firstDifference(received, bytes) == nil)
        #expect(blocked > 0)
    }

    @Test("much from the server is read to the last byte, whatever the size of the reads")
    func download() throws {
        let scene = try scene()
        let stream = try scene.connect(.tls("origin.test", server.port), [.loopback()]).stream
        let bytes = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 9) }
        var sent = 0
        var received: [UInt8] = []
        var size = 1
        let everything = scene.loop.turn(within: .seconds(60)) {
            if sent < bytes.count { sent += server.write(Array(bytes[sent..<min(bytes.count, sent + 40_000)])) }
            while stream.isReadable {
                size = size % 20_000 + 977
                guard
                    case .bytes = {
                        let (result, more) = stream.read(size)
                        received += more
                        return result
                    }()
                else { break }
            }
            return received.count >= bytes.count
        }
        #expect(everything)
        #expect(firstDifference(received, bytes) == nil)
    }
}

@Suite("Servers that do not speak TLS as they should")
struct BrokenTLSTests {
    @Test(
        "an answer that is not TLS is a TLS failure",
        arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "\u{15}\u{3}\u{3}\u{0}\u{2}\u{2}\u{28}"])
    func notTLS(answer: String) throws {
        let scene = try DialScene()
        let origin = try Origin(on: scene.loop, received: { $0.send(answer) })
        let failure = scene.failure(.tls("plain.test", origin.address.port), [.loopback()])
        guard case .tls = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    @Test("an end within the handshake is a TLS failure")
    func ends() throws {
        let scene = try DialScene()
        let origin = try Origin(on: scene.loop, received: { $0.close() })
        let failure = scene.failure(.tls("short.test", origin.address.port), [.loopback()])
        guard case .tls = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    @Test("a handshake that stands still is a time-out")
    func standsStill() throws {
        let scene = try DialScene { $0.timeout = .milliseconds(300) }
        let origin = try Origin(on: scene.loop)
        let failure = scene.failure(.tls("still.test", origin.address.port), [.loopback()])
        guard case .timedOut = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(scene.loop.turn { origin.connections.allSatisfy(\.sawEnd) })
    }
}
