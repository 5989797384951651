import Testing

@testable import Net

@Suite("Name patterns")
struct NamePatternTests {
    @Test(
        "Each form picks what its row of the table says, at label boundaries only",
        arguments: [
            ("example.com", ["example.com"], ["www.example.com", "badexample.com", "com", "example.com.evil.test", "example.co"]),
            (
                ".example.com", ["example.com", "www.example.com", "a.b.example.com"],
                ["badexample.com", "com", "example.org", "example.com.evil.test", "xexample.com"]
            ),
            ("*.example.com", ["www.example.com", "a.b.example.com"], ["example.com", "badexample.com", "com", "wwwexample.com"]),
            ("*", ["example.com", "x", "a.b.c.d"], []),
            ("local", ["local"], ["a.local", "xlocal"]),
            (".local", ["local", "a.local", "b.a.local"], ["xlocal", "local.test"]),
            (".svc.cluster.local", ["a.b.svc.cluster.local"], ["cluster.local", "a.cluster.local"]),
        ])
    func picks(text: String, inside: [String], outside: [String]) throws {
        let pattern = try #require(NamePattern(text))
        for name in inside { #expect(pattern.matches(name), "\(text) should pick \(name)") }
        for name in outside { #expect(!pattern.matches(name), "\(text) should not pick \(name)") }
    }

    @Test("Case and a dot at the end do not matter", arguments: ["EXAMPLE.com", "example.COM.", "Example.Com"])
    func ignoresCaseAndDot(text: String) {
        #expect(NamePattern(text) == NamePattern("example.com"))
        #expect(NamePattern(text)?.matches("example.com") == true)
        #expect(NamePattern("*." + text) == NamePattern("*.example.com"))
        #expect(NamePattern("." + text) == NamePattern(".example.com"))
    }

    @Test(
        "A name as a client wrote it meets the pattern in its canonical form",
        arguments: ["example.com", "EXAMPLE.com", "example.com.", "Example.COM.:443"])
    func meetsCanonicalNames(written: String) throws {
        guard case .name(let name) = try Authority(written).host else {
            Issue.record("not a name")
            return
        }
        #expect(NamePattern("example.com")?.matches(name) == true)
        #expect(NamePattern(".Example.com.")?.matches(name) == true)
    }

    @Test(
        "A pattern that could never pick what its author meant is refused",
        arguments: [
            "", " ", ".", "*.", "..", "**", "*example.com", "*.*.example.com", "www.*.com", "www.*", "..example.com",
            "example..com", "example.com..", "+.example.com",
            "example.com:8443", " example.com", "example.com ", "a,b", "10.0.0.1", "*.10.0.0.1", "10.0.0.0/7", "::1", "[::1]",
            "http://a.test", "u@a.test", "b\u{fc}cher.test",
            "127.1", "^a$",
        ])
    func refuses(text: String) {
        #expect(NamePattern(text) == nil)
    }

    @Test(
        "A pattern prints in canonical form",
        arguments: [("Example.COM.", "example.com"), (".A.b", ".a.b"), ("*.A.b.", "*.a.b"), ("*", "*")])
    func prints(text: String, expected: String) {
        #expect(NamePattern(text)?.description == expected)
        #expect(NamePattern(expected) == NamePattern(text))
    }

    @Test("The three forms agree: name and below is the name, or below it")
    func formsAgree() throws {
        var random = SeededRandom(seed: 10)
        let labels = ["a", "b", "ab", "ba"]
        for _ in 0..<2_000 {
            let base = (0..<Int.random(in: 1...2, using: &random)).map { _ in labels[Int.random(in: 0..<4, using: &random)] }
            let name = (0..<Int.random(in: 1...4, using: &random)).map { _ in labels[Int.random(in: 0..<4, using: &random)] }
            let text = base.joined(separator: ".")
            let candidate = name.joined(separator: ".")
            let below = name.count > base.count && Array(name.suffix(base.count)) == base
            #expect(try #require(NamePattern(text)).matches(candidate) == (name == base))
            #expect(try #require(NamePattern("*." + text)).matches(candidate) == below)
            #expect(try #require(NamePattern("." + text)).matches(candidate) == (below || name == base))
        }
    }
}
