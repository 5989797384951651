import EventLoop
import Net
import Testing
import Upstream

@Suite("Dialling through a parent proxy")
struct ParentHopTests {
    private let scene: DialScene
    private let target = DialTarget(https: false, host: .name("origin.test"), port: 8080)

    init() throws { scene = try DialScene() }

    private func hop(_ parent: Origin, credentials: ParentCredentials? = nil, tunnels: Bool = true) -> ParentHop {
        ParentHop(
            url: "http://parent.test:\(parent.address.port)", host: "parent.test", port: parent.address.port, credentials: credentials,
            tunnels: tunnels)
    }

    @Test("a tunnel is asked for by the target's name; what comes behind the answer is the tunnel's")
    func tunnel() throws {
        let parent = try Origin(
            on: scene.loop,
            received: { connection in
                guard let request = connection.takeRequest() else { return }
                #expect(request.hasPrefix("CONNECT origin.test:8080 HTTP/1.1\r\n"))
                connection.send("HTTP/1.1 200 OK\r\n\r\nfirst words")
            })
        let dialled = try scene.connect(target, [.loopback()], parent: hop(parent))
        #expect(dialled.address == nil)
        #expect(scene.read(11, from: dialled.stream) == Array("first words".utf8))
        #expect(dialled.stream.write(Array("hello".utf8)) == .bytes(5))
        #expect(scene.loop.turn { parent.connections.first?.text == "hello" })
    }

    @Test("without a tunnel the connection to the parent is given as it is")
    func absoluteForm() throws {
        let parent = try Origin(on: scene.loop)
        let dialled = try scene.connect(target, [.loopback()], parent: hop(parent, tunnels: false))
        #expect(dialled.stream.write(Array("GET http://origin.test:8080/ HTTP/1.1\r\n\r\n".utf8)) == .bytes(41))
        #expect(scene.loop.turn { parent.connections.first?.received.count == 41 })
    }

    @Test("a parent that refuses is told with its status", arguments: [403, 407, 502])
    func refuses(status: Int) throws {
        let parent = try Origin(
            on: scene.loop,
            received: { connection in
                guard connection.takeRequest() != nil else { return }
                connection.send("HTTP/1.1 \(status) No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                connection.close()
            })
        let failure = scene.failure(target, [.loopback()], parent: hop(parent))
        guard case .parent(status, _) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    @Test("credentials are sent when the parent asks for them")
    func credentials() throws {
        var requests: [String] = []
        let parent = try Origin(
            on: scene.loop,
            received: { connection in
                guard let request = connection.takeRequest() else { return }
                requests.append(request)
                if request.contains("Proxy-Authorization: Basic dXNlcjpwYXNz\r\n") {
                    connection.send("HTTP/1.1 200 OK\r\n\r\n")
                } else {
                    connection.send("HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n")
                }
            })
        _ = try scene.connect(target, [.loopback()], parent: hop(parent, credentials: ParentCredentials(user: "user", password: "pass")))
        #expect(requests.last?.contains("dXNlcjpwYXNz") == true)
        #expect(requests.allSatisfy { $0.hasPrefix("CONNECT origin.test:8080 ") })
    }

    @Test("a parent that is not there is told apart from an origin that is not there")
    func unreachable() throws {
        let parent = try Origin(on: scene.loop)
        let failure = scene.failure(target, [.loopback(50)], parent: hop(parent))
        guard case .parentUnreachable = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    @Test("a SOCKS parent is given the name to resolve")
    func socks() throws {
        var greeted = false
        let parent = try Origin(
            on: scene.loop,
            received: { connection in
                if !greeted {
                    greeted = true
                    connection.send([5, 0])
                } else if connection.received.count > 3 + 4 {
                    connection.send([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
                }
            })
        let hop = ParentHop(
            url: "socks5h://parent.test:\(parent.address.port)", host: "parent.test", port: parent.address.port, credentials: nil,
            tunnels: false)
        _ = try scene.connect(target, [.loopback()], parent: hop)
        #expect(parent.connections.first?.text.contains("origin.test") == true)
    }

    @Test("credentials are not shown")
    func hidden() {
        #expect("\(ParentCredentials(user: "user", password: "secret"))" == "(hidden)")
    }
}
