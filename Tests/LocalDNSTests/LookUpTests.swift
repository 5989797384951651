import EventLoop
import Glibc
import HTTPDNS
import LocalDNS
import Net
import Testing

@Suite("Looking names up by LocalDNS")
struct LookUpTests {
    @Test("asks for the one type that is wanted and gives all addresses in the server's order")
    func addresses() throws {
        let scene = try LookUpScene { asked in
            asked.type == 1
                ? .records(.a("192.0.2.9", ttl: 60), .a("192.0.2.1", ttl: 60), .a("192.0.2.5", ttl: 60))
                : .records(.aaaa("2001:db8::9", ttl: 90), .aaaa("2001:db8::1", ttl: 90))
        }
        #expect(scene.ask("www.example", .a) == .success(.addresses("192.0.2.9", "192.0.2.1", "192.0.2.5", ttl: 60)))
        #expect(scene.ask("www.example", .aaaa) == .success(.addresses("2001:db8::9", "2001:db8::1", ttl: 90)))
        #expect(scene.server.asked.map(\.name) == ["www.example", "www.example"])
        #expect(scene.server.asked.map(\.type) == [1, 28])
    }

    @Test("an address that is named twice is given once")
    func duplicates() throws {
        let scene = try LookUpScene { _ in .records(.a("192.0.2.1", ttl: 60), .a("192.0.2.1", ttl: 60)) }
        #expect(scene.ask("www.example") == .success(.addresses("192.0.2.1", ttl: 60)))
    }

    @Test("an answer lives as long as the shortest record of its chain", arguments: [(30, 300, 300), (300, 30, 300), (300, 300, 30)])
    func shortestTTL(alias: Int, first: Int, second: Int) throws {
        let scene = try LookUpScene { _ in
            .records(
                .alias(to: "edge.example", ttl: UInt32(alias)), .a("192.0.2.1", ttl: UInt32(first), owner: "edge.example"),
                .a("192.0.2.2", ttl: UInt32(second), owner: "edge.example"))
        }
        #expect(scene.ask("www.example") == .success(.addresses("192.0.2.1", "192.0.2.2", ttl: 30)))
    }

    @Test("a chain of aliases is followed within the answer")
    func chain() throws {
        let scene = try LookUpScene { _ in
            .records(
                .alias(to: "a.example", ttl: 50), .alias(to: "b.example", ttl: 20, owner: "a.example"),
                .a("192.0.2.1", ttl: 70, owner: "b.example"))
        }
        #expect(scene.ask("www.example") == .success(.addresses("192.0.2.1", ttl: 20)))
    }

    @Test("records that must not be kept have a life of zero")
    func zeroTTL() throws {
        let scene = try LookUpScene { _ in .records(.a("192.0.2.1", ttl: 0)) }
        #expect(scene.ask("www.example") == .success(.addresses("192.0.2.1", ttl: 0)))
    }

    @Test("a name that does not exist is told from one without an address; both are kept for a short time", arguments: [true, false])
    func negative(exists: Bool) throws {
        let scene = try LookUpScene { _ in exists ? .records() : .code(3) }
        guard case .success(let answer) = scene.ask("www.example") else {
            Issue.record("no answer")
            return
        }
        #expect(answer.outcome == (exists ? .noRecord : .noSuchName))
        #expect((1...60).contains(answer.ttl))
        #expect(!answer.fromHosts)
    }

    @Test("an alias that leads to no address is no record")
    func danglingAlias() throws {
        let scene = try LookUpScene { _ in .records(.alias(to: "nothing.example", ttl: 60)) }
        guard case .success(let answer) = scene.ask("www.example") else {
            Issue.record("no answer")
            return
        }
        #expect(answer.outcome == .noRecord)
    }

    @Test("a server that cannot or will not answer is a failure of the service", arguments: [2, 5] as [UInt8])
    func serverFailure(code: UInt8) throws {
        let scene = try LookUpScene { _ in .code(code) }
        guard case .failure(.serverFailure) = scene.ask("www.example") else {
            Issue.record("no failure")
            return
        }
    }

    @Test("a truncated answer is asked for again over TCP")
    func truncated() throws {
        let scene = try LookUpScene { asked in
            asked.overTCP ? .records(.a("192.0.2.1", ttl: 60), .a("192.0.2.2", ttl: 60)) : Reply(isTruncated: true)
        }
        #expect(scene.ask("www.example") == .success(.addresses("192.0.2.1", "192.0.2.2", ttl: 60)))
        #expect(scene.server.asked.map(\.overTCP) == [false, true])
    }

    @Test("a lost datagram is made good by a second try")
    func secondTry() throws {
        var count = 0
        let scene = try LookUpScene { _ in
            count += 1
            return count == 1 ? nil : .records(.a("192.0.2.1", ttl: 60))
        }
        #expect(scene.ask("www.example") == .success(.addresses("192.0.2.1", ttl: 60)))
        #expect(scene.server.asked.count == 2)
    }

    @Test("silence is a time-out")
    func silence() throws {
        let scene = try LookUpScene { _ in nil }
        #expect(scene.ask("www.example") == .failure(.timedOut))
    }

    @Test("many questions at the same time all get their own answer")
    func concurrent() throws {
        let scene = try LookUpScene { asked in .records(.a("192.0.2.\(asked.name.dropFirst(4).prefix { $0 != "." })", ttl: 60)) }
        var results: [Int: LookUpScene.Result] = [:]
        for index in 1...60 {
            _ = scene.dns.query(Question(name: "host\(index).example", type: .a)) { results[index] = $0 }
        }
        #expect(scene.loop.turn { results.count == 60 })
        for index in 1...60 { #expect(results[index] == .success(.addresses("192.0.2.\(index)", ttl: 60))) }
    }

    @Test("localhost needs no server")
    func localhost() throws {
        let everything = { (_: String) in true }
        let scene = try LookUpScene(staysLocal: everything) { _ in .code(3) }
        guard case .success(let answer) = scene.ask("localhost"), case .addresses(let found) = answer.outcome else {
            Issue.record("no answer")
            return
        }
        #expect(found.contains(IPAddress(ipv4: 0x7f00_0001)))
        #expect(answer.fromHosts)
        #expect(scene.server.asked.isEmpty)
    }
}

@Suite("Giving a look-up up")
struct CancelledLookUpTests {
    @Test("a question that was given up never completes, whatever comes", arguments: [true, false])
    func cancelled(answered: Bool) throws {
        let scene = try LookUpScene { _ in answered ? .records(.a("192.0.2.1", ttl: 60)) : nil }
        var completed = false
        let query = scene.dns.query(Question(name: "www.example", type: .a)) { _ in completed = true }
        query.cancel()
        query.cancel()
        #expect(scene.ask("other.example") == (answered ? .success(.addresses("192.0.2.1", ttl: 60)) : .failure(.timedOut)))
        #expect(!completed)
    }

    @Test("giving up after the answer is harmless")
    func late() throws {
        let scene = try LookUpScene { _ in .records(.a("192.0.2.1", ttl: 60)) }
        var count = 0
        let query = scene.dns.query(Question(name: "www.example", type: .a)) { _ in count += 1 }
        #expect(scene.loop.turn { count == 1 })
        query.cancel()
        #expect(scene.ask("www.example") == .success(.addresses("192.0.2.1", ttl: 60)))
        #expect(count == 1)
    }

    @Test("LocalDNS may go while a question is under way")
    func released() async {
        await #expect(processExitsWith: .success) {
            let loop = try EventLoop()
            var results: [LookUpScene.Result] = []
            let server = try NameServer(on: loop) { _ in .records(.a("192.0.2.1", ttl: 60)) }
            do {
                let dns = try LocalDNS(loop: loop, servers: [server.address]) { _ in false }
                _ = dns.query(Question(name: "www.example", type: .a)) { results.append($0) }
            }
            #expect(loop.turn { results.count == 1 })
            let again = try LocalDNS(loop: loop, servers: [server.address]) { _ in false }
            _ = again.query(Question(name: "www.example", type: .a)) { results.append($0) }
            #expect(loop.turn { results.count == 2 })
        }
    }
}

@Suite("The search list")
struct SearchListTests {
    /// The host's configuration is taken from the environment here, so that the test does not depend on a file of the host.
    @Test("is applied to names that stay local, and never to public ones")
    func searchList() async {
        await #expect(processExitsWith: .success) {
            setenv("LOCALDOMAIN", "corp.test", 1)
            let isLocal = { (name: String) in name == "db" || name == "db.internal" }
            let scene = try LookUpScene(staysLocal: isLocal) { asked in
                asked.name.hasSuffix("db.corp.test") ? .records(.a("192.0.2.1", ttl: 60)) : .code(3)
            }
            #expect(scene.ask("db") == .success(.addresses("192.0.2.1", ttl: 60)))
            #expect(scene.server.asked.contains { $0.name == "db.corp.test" })

            let before = scene.server.asked.count
            for name in ["www.example", "nothing.test"] {
                guard case .success(let answer) = scene.ask(name) else {
                    Issue.record("no answer for \(name)")
                    continue
                }
                #expect(answer.outcome == .noSuchName)
            }
            #expect(scene.server.asked.dropFirst(before).allSatisfy { !$0.name.hasSuffix("corp.test") })
            #expect(Set(scene.server.asked.dropFirst(before).map(\.name)) == ["www.example", "nothing.test"])
        }
    }
}

@Suite("Servers of LocalDNS")
struct ServerListTests {
    @Test("the second server is asked when the first refuses or is not there", arguments: [true, false])
    func secondServer(listening: Bool) throws {
        let loop = try EventLoop()
        let good = try NameServer(on: loop) { _ in .records(.a("192.0.2.1", ttl: 60)) }
        let bad = try NameServer(on: loop) { _ in .code(2) }
        let first = listening ? bad.address : SocketAddress(address: IPAddress(ipv4: 0x7f00_0063), port: bad.address.port)
        let dns = try LocalDNS(loop: loop, servers: [first, good.address]) { _ in false }
        var result: LookUpScene.Result?
        _ = dns.query(Question(name: "www.example", type: .a)) { result = $0 }
        #expect(loop.turn { result != nil })
        #expect(result == .success(.addresses("192.0.2.1", ttl: 60)))
    }

    @Test("nobody there is told at once, not after a time-out")
    func nobody() throws {
        let loop = try EventLoop()
        let gone = SocketAddress(address: IPAddress(ipv4: 0x7f00_0062), port: 9)
        let dns = try LocalDNS(loop: loop, servers: [gone]) { _ in false }
        var result: LookUpScene.Result?
        let start = MonotonicTime.read()
        _ = dns.query(Question(name: "www.example", type: .a)) { result = $0 }
        #expect(loop.turn { result != nil })
        guard case .failure = result else {
            Issue.record("\(String(describing: result))")
            return
        }
        #expect(MonotonicTime.read() - start < .seconds(1))
    }
}
