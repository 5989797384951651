import Testing

@testable import Net

private let label63 = String(repeating: "a", count: 63)
private let name253 = [label63, label63, label63, String(repeating: "b", count: 61)].joined(separator: ".")

@Suite("Authorities")
struct AuthorityTests {
    @Test(
        "A name with or without a port",
        arguments: [
            ("a.test", "a.test", nil, false), ("a.test:80", "a.test", 80, false), ("A.TeSt:443", "a.test", 443, false),
            ("a.test.", "a.test", nil, true),
            ("a.test.:8080", "a.test", 8080, true), ("localhost", "localhost", nil, false), ("x", "x", nil, false),
            ("my_host-1.a.test", "my_host-1.a.test", nil, false),
            ("a.test:1", "a.test", 1, false), ("a.test:65535", "a.test", 65535, false), ("a.test:0080", "a.test", 80, false),
            ("1.a", "1.a", nil, false),
            ("127.0.0.1.nip.test", "127.0.0.1.nip.test", nil, false), ("0x7g", "0x7g", nil, false), ("1e3", "1e3", nil, false),
            ("0x7f.a", "0x7f.a", nil, false),
            ("xn--bcher-kva.test", "xn--bcher-kva.test", nil, false), ("COM.", "com", nil, true),
        ] as [(String, String, UInt16?, Bool)])
    func readsNames(text: String, name: String, port: UInt16?, hasTrailingDot: Bool) throws {
        let authority = try Authority(text)
        #expect(authority.host == .name(name))
        #expect(authority.port == port)
        #expect(authority.hasTrailingDot == hasTrailingDot)
    }

    @Test(
        "An address literal is an address, never a name",
        arguments: [
            ("127.0.0.1", "127.0.0.1", nil), ("10.0.0.1:8080", "10.0.0.1", 8080), ("[::1]", "::1", nil),
            ("[2001:DB8::1]:443", "2001:db8::1", 443),
            ("[::ffff:127.0.0.1]:80", "::ffff:127.0.0.1", 80), ("[::]", "::", nil), ("0.0.0.0", "0.0.0.0", nil),
            ("255.255.255.255", "255.255.255.255", nil),
        ] as [(String, String, UInt16?)])
    func readsLiterals(text: String, address: String, port: UInt16?) throws {
        let authority = try Authority(text)
        #expect(authority.host == .address(try #require(IPAddress(address))))
        #expect(authority.port == port)
        #expect(!authority.hasTrailingDot)
    }

    @Test("Labels and names may be as long as DNS allows and no longer")
    func limitsLengths() throws {
        #expect(try Authority(label63 + ".test").host == .name(label63 + ".test"))
        #expect(throws: AuthorityError.labelTooLong) { try Authority(label63 + "a.test") }
        #expect(throws: AuthorityError.labelTooLong) { try Authority("test." + label63 + "a:80") }
        #expect(name253.utf8.count == 253)
        #expect(try Authority(name253).host == .name(name253))
        #expect(try Authority(name253 + ".:80").hasTrailingDot)
        #expect(throws: AuthorityError.nameTooLong) { try Authority(name253 + "b") }
    }

    @Test("Every byte outside the allowed set is refused, wherever it stands")
    func refusesBytes() {
        let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:[]@%".utf8)
        for byte in UInt8.min...UInt8.max where !allowed.contains(byte) {
            for (before, after) in [("", ""), ("", "a.test"), ("a.test:80", ""), ("a.te", "st")] {
                let bytes = Array(before.utf8) + [byte] + Array(after.utf8)
                #expect(throws: AuthorityError.badCharacter) { try Authority(parsing: bytes.span) }
            }
        }
    }

    @Test("Every letter, digit, hyphen and underscore may stand anywhere in a name, letters in lower case afterwards")
    func acceptsBytes() throws {
        for byte in Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_".utf8) {
            let character = String(decoding: [byte], as: UTF8.self)
            for (before, after) in [("", ".test"), ("a", ".test"), ("", "b.test"), ("x.", "y"), ("x.y", "")] {
                let written = before + character + after
                #expect(try Authority(written + ":80").host == .name(written.lowercased()))
            }
        }
    }

    @Test("Random bytes never trap, and what is accepted prints as itself")
    func survivesNoise() {
        var random = SeededRandom(seed: 8)
        let alphabet = Array("aZ09.:.:[]-_x%".utf8)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...12, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? 0 }
            guard let authority = try? Authority(parsing: bytes.span) else { continue }
            #expect(authority.description == canonical(bytes, authority))
            #expect((try? Authority(authority.description)) == authority)
        }
    }

    /// Lower case of what was written, except for the port's leading zeros and the spelling of IPv6.
    private func canonical(_ bytes: [UInt8], _ authority: Authority) -> String {
        let written = String(decoding: bytes, as: UTF8.self).lowercased()
        guard let port = authority.port else { return bytes.first == UInt8(ascii: "[") ? authority.host.uriText : written }
        guard bytes.first != UInt8(ascii: "[") else { return "\(authority.host.uriText):\(port)" }
        return "\(written.prefix { $0 != ":" }):\(port)"
    }
}

@Suite("Refused authorities")
struct RefusedAuthorityTests {
    @Test(
        "Each fault is named",
        arguments: [
            ("", .empty), (":80", .empty), (":", .empty),
            ("u@a.test", .userinfo), ("user:pw@a.test", .userinfo), ("a@b@evil.test", .userinfo), ("@", .userinfo),
            ("[::1]@a.test", .userinfo),
            ("a.test:", .badPort), ("a.test:abc", .badPort), ("a.test:-1", .badPort), ("a.test:80a", .badPort),
            ("a.test:8.0", .badPort), ("[::1]:", .badPort),
            ("[::1]:x", .badPort), ("127.0.0.1:", .badPort), ("a.test:0x50", .badPort),
            ("a.test:0", .portOutOfRange), ("a.test:00", .portOutOfRange), ("a.test:65536", .portOutOfRange),
            ("a.test:99999", .portOutOfRange),
            ("a.test:18446744073709551617", .portOutOfRange), ("[::1]:70000", .portOutOfRange),
            ("[::1", .badBracket), ("::1", .badBracket), ("::1:443", .badBracket), ("::1]", .badBracket),
            ("[::1]80", .badBracket), ("[::1]]", .badBracket),
            ("[[::1]]", .badBracket), ("a[::1]", .badBracket), ("a.test:80:1", .badBracket), ("a]", .badBracket),
            ("[", .badBracket), ("2001:db8::1:443", .badBracket),
            ("[]", .badAddress), ("[127.0.0.1]", .badAddress), ("[a.test]", .badAddress), ("[::g1]", .badAddress),
            ("[::1.2.3]", .badAddress),
            ("[fe80::1%25eth0]", .zone), ("[fe80::1%eth0]:80", .zone), ("[fe80::1%3]", .zone), ("[::1%]", .zone),
        ] as [(String, AuthorityError)])
    func namesStructureFaults(text: String, error: AuthorityError) {
        #expect(throws: error) { try Authority(text) }
    }

    @Test(
        "A delimiter inside the host cannot make rules and connection see different hosts",
        arguments: [
            "ok.test\\@evil.test", "a.test/x", "/a.test", "a.test#@evil.test", "a.test?x", "a b", " a.test", "a.test ",
            "a.test\t", "a.test\r\n", "a\0b", "a.test,b.test",
            "a%2etest", "%61.test", "b\u{fc}cher.test", "a.test;b", "a*b", "*.a.test", "a.test:80/", "\u{3002}test", "a\"b",
            "http://a.test", "a.test:80,",
        ])
    func refusesDelimiters(text: String) {
        #expect(throws: AuthorityError.badCharacter) { try Authority(text) }
    }

    @Test(
        "A number in disguise is neither a name nor an address",
        arguments: [
            "2130706433", "0x7f.1", "0x7f000001", "0X7F.0.0.1", "0177.0.0.1", "127.1", "127.0.1", "1.2.3.256", "1.2.3.4.5",
            "127.0.0.01", "00.0.0.0", "0x", "a.0x",
            "a.test.1", "a.0xff", "0", "1", "127.0.0.1.", "1.2.3.4.:80", "99999999999", "2130706433:80", "a.12",
        ])
    func refusesDisguisedNumbers(text: String) {
        #expect(throws: AuthorityError.numericHost) { try Authority(text) }
    }

    @Test("Empty labels are refused", arguments: [".", "..", ".a.test", "a..test", "a.test..", "a.test..:80", "127.0.0..1", ".:80", "..a"])
    func refusesEmptyLabels(text: String) {
        #expect(throws: AuthorityError.emptyLabel) { try Authority(text) }
    }

    @Test("Every fault has a sentence of its own, in plain ASCII on one line", arguments: AuthorityError.allCases)
    func hasSentences(error: AuthorityError) {
        #expect(error.sentence.utf8.count > 10)
        #expect(error.sentence.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7f })
        #expect(AuthorityError.allCases.filter { $0.sentence == error.sentence } == [error])
    }
}

@Suite("Printing authorities")
struct AuthorityTextTests {
    @Test(
        "An authority prints in canonical form",
        arguments: [
            ("A.Test", "a.test"), ("a.test.:080", "a.test.:80"), ("[2001:DB8:0::1]:443", "[2001:db8::1]:443"),
            ("10.0.0.1:80", "10.0.0.1:80"), ("[::1]", "[::1]"),
        ])
    func prints(text: String, expected: String) throws {
        #expect(try Authority(text).description == expected)
        #expect(try Authority(expected) == Authority(text))
    }

    @Test("Made from parts, it prints and reads back the same")
    func roundTripsParts() throws {
        let made = Authority(host: .name("a.test"), port: 8080, hasTrailingDot: true)
        #expect(made.description == "a.test.:8080")
        #expect(try Authority(made.description) == made)
        #expect(Authority(host: .address(IPAddress(ipv6High: 0, low: 1)), port: nil).description == "[::1]")
    }

    @Test("Case and a dot at the end change neither the host nor its place in a table")
    func hashesCanonically() throws {
        #expect(try Set(["a.test", "A.test", "A.TEST."].map { try Authority($0).host }) == [.name("a.test")])
    }

    @Test("Every address prints as an authority that reads back as that address")
    func roundTripsAddresses() throws {
        var random = SeededRandom(seed: 9)
        for _ in 0..<1_000 {
            for address in [IPAddress(ipv4: random.next()), IPAddress(ipv6High: random.next(), low: random.next() >> 40)] {
                let authority = Authority(host: .address(address), port: UInt16.random(in: 1...UInt16.max, using: &random))
                #expect(try Authority(authority.description) == authority)
            }
        }
    }
}
