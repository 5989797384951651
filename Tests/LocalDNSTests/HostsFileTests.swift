import EventLoop
import Glibc
import HTTPDNS
import LocalDNS
import Net
import Testing

@Suite("The hosts file")
struct HostsFileTests {
    /// The first name of this host's own file that is not one of localhost, with its IPv4 address.
    static let entry = HostsFileTests.firstEntry()

    private static func firstEntry() -> (name: String, address: IPAddress)? {
        guard let file = fopen("/etc/hosts", "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = fread(&bytes, 1, bytes.count, file)
        for line in String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n") {
            let words = line.prefix { $0 != "#" }.split { $0 == " " || $0 == "\t" }
            guard words.count >= 2, let address = IPAddress(words[0]), address.family == .ipv4 else { continue }
            let name = words[1].lowercased()
            if !name.contains("localhost"), !name.hasSuffix(".") { return (name, address) }
        }
        return nil
    }

    @Test("answers before any server, for local and for public names", .enabled(if: entry != nil), arguments: [true, false])
    func hosts(isLocal: Bool) throws {
        let entry = try #require(HostsFileTests.entry)
        let staysLocal = { (_: String) in isLocal }
        let scene = try LookUpScene(staysLocal: staysLocal) { _ in .code(3) }
        guard case .success(let answer) = scene.ask(entry.name), case .addresses(let found) = answer.outcome else {
            Issue.record("no answer")
            return
        }
        #expect(found.contains(entry.address))
        #expect(answer.fromHosts)
        #expect(scene.server.asked.isEmpty)
    }

    @Test("an answer of a server never passes for one of the hosts file, however often it is asked for")
    func servers() throws {
        let scene = try LookUpScene { _ in .records(.a("192.0.2.1", ttl: 3_600)) }
        // Each question goes out: keeping answers is not LocalDNS's business.
        for _ in 0..<3 { #expect(scene.ask("www.example") == .success(.addresses("192.0.2.1", ttl: 3_600))) }
        #expect(scene.server.asked.count == 3)
    }
}

@Suite("Questions as they go out")
struct QuestionNameTests {
    @Test(
        "public names are asked for as written",
        arguments: ["com", "www.example", "a.b.c.d.e.example", "xn--bcher-kva.example", "_srv.example"])
    func asWritten(name: String) throws {
        let scene = try LookUpScene { _ in .code(3) }
        #expect(scene.ask(name) == .success(LocalAnswer(outcome: .noSuchName, ttl: 10, fromHosts: false)))
        #expect(Set(scene.server.asked.map(\.name)) == [name])
    }

    @Test("records of another type than the one asked for are no answer")
    func otherType() throws {
        let scene = try LookUpScene { asked in
            asked.type == 1 ? .records(.aaaa("2001:db8::1", ttl: 60)) : .records(.a("192.0.2.1", ttl: 60))
        }
        for type in RecordType.allCases {
            guard case .success(let answer) = scene.ask("www.example", type) else {
                Issue.record("no answer")
                continue
            }
            #expect(answer.outcome == .noRecord)
        }
    }

    @Test("a completion may ask the next question")
    func chained() throws {
        let scene = try LookUpScene { _ in .records(.a("192.0.2.1", ttl: 60)) }
        var answers = 0
        func next() {
            guard answers < 5 else { return }
            _ = scene.dns.query(Question(name: "host\(answers).example", type: .a)) { _ in
                answers += 1
                next()
            }
        }
        next()
        #expect(scene.loop.turn { answers == 5 })
    }
}
