import Net
import Testing

@testable import Policy

@Suite("Names that stay local")
struct ResolutionRulesTests {
    @Test(
        "Reserved and single-label names never leave for a public resolver",
        arguments: [
            "localhost", "a.localhost", "b.a.localhost", "printer", "printer.local", "a.b.local", "db.internal",
            "metadata.google.internal", "api.svc",
            "api.default.svc", "api.default.svc.cluster.local", "cluster.local", "router.home.arpa", "home.arpa", "local",
            "internal", "svc",
        ])
    func staysLocal(name: String) {
        #expect(ResolutionRules(localSuffixes: []).staysLocal(name))
    }

    @Test(
        "Public names do not stay local, however much they look like it",
        arguments: [
            "a.test", "example.com", "localhost.example.com", "notlocalhost.com", "a.xlocal", "local.example.com",
            "internal.example.com", "arpa.test",
            "homearpa.test", "xhome.arpa", "a.xinternal", "mysvc.com", "1.0.0.127.in-addr.arpa", "cluster.local.test",
        ])
    func isPublic(name: String) {
        #expect(!ResolutionRules(localSuffixes: []).staysLocal(name))
    }

    @Test("The operator's patterns add to the built-in ones, at label boundaries")
    func configured() throws {
        let rules = ResolutionRules(
            localSuffixes: try [".corp.example", "*.lan.example", "one.example"].map { try #require(NamePattern($0)) })
        for name in ["corp.example", "a.corp.example", "a.lan.example", "one.example", "printer.local", "x"] {
            #expect(rules.staysLocal(name), "\(name)")
        }
        for name in ["xcorp.example", "lan.example", "a.one.example", "example.com", "example.corp"] {
            #expect(!rules.staysLocal(name), "\(name)")
        }
    }

    @Test("The rule for everything keeps every name local")
    func everything() throws {
        #expect(ResolutionRules(localSuffixes: [try #require(NamePattern("*"))]).staysLocal("example.com"))
    }
}

@Suite("The pseudonym in Via")
struct ViaPseudonymTests {
    @Test(
        "It has a fixed length and is a token",
        arguments: [
            (0, "httpdns-proxy-00000000"), (1, "httpdns-proxy-00000001"), (0xdead_beef, "httpdns-proxy-deadbeef"),
            (.max, "httpdns-proxy-ffffffff"),
        ]
            as [(UInt32, String)])
    func isWritten(random: UInt32, expected: String) {
        #expect(ViaPseudonym(random: random).text == expected)
        #expect("\(ViaPseudonym(random: random))" == expected)
    }

    @Test("Two processes have different ones")
    func differs() {
        #expect(ViaPseudonym(random: 7) != ViaPseudonym(random: 8))
    }
}
