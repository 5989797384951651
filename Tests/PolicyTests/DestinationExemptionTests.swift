import Net
import Testing

@testable import Policy

@Suite("Ranges the operator allowed")
struct DestinationExemptionTests {
    @Test("Every address rule can be lifted for a range", arguments: RangeSample.always + RangeSample.conditional)
    func liftsEveryRule(sample: RangeSample) throws {
        for text in sample.inside {
            let exact = text.prefix { $0 != "%" }
            let policy = try policy(open: true, allowed: [String(exact)])
            for origin in AddressOrigin.allCases {
                #expect(try verdict(policy, text, origin: origin) == .allowed, "\(text) from \(origin)")
            }
        }
    }

    @Test(
        "A range lifts the rules for its members and for nothing else",
        arguments: [
            ("127.0.0.0/8", "127.0.0.2", nil), ("127.0.0.0/8", "10.0.0.1", .privateRange), ("127.0.0.0/8", "::1", .loopback),
            ("10.1.0.0/16", "10.1.2.3", nil), ("10.1.0.0/16", "10.2.0.1", .privateRange),
            ("169.254.0.0/16", "169.254.169.254", nil),
            ("0.0.0.0/0", "127.0.0.1", nil), ("0.0.0.0/0", "::1", .loopback), ("::/0", "fd00::1", nil),
            ("::/0", "127.0.0.1", .loopback),
            ("fd00::/8", "fd00::1", nil), ("fd00::/8", "fc00::1", .privateRange), ("fe80::/10", "fe80::1%3", nil),
        ] as [(String, String, DenialReason?)])
    func liftsItsMembers(range: String, text: String, reason: DenialReason?) throws {
        let expected: DestinationPolicy.Verdict = reason.map { .denied($0) } ?? .allowed
        #expect(try verdict(try policy(open: true, allowed: [range]), text, origin: .httpdns) == expected)
    }

    @Test(
        "An IPv4 range counts for its members inside IPv6 too, but an IPv6 range says nothing about the IPv4 address inside",
        arguments: [
            (["127.0.0.0/8"], "::ffff:127.0.0.1", nil), (["127.0.0.0/8"], "64:ff9b::7f00:1", nil),
            (["127.0.0.0/8"], "2002:7f00:1::", nil),
            (["10.0.0.0/8"], "::ffff:127.0.0.1", .loopback), (["::/0"], "::ffff:127.0.0.1", .loopback),
            (["::/0"], "64:ff9b::a9fe:a9fe", .metadata),
            (["::/0", "169.254.0.0/16"], "64:ff9b::a9fe:a9fe", nil), (["10.0.0.0/8"], "64:ff9b:1::10.0.0.1", .privateRange),
            (["64:ff9b:1::/48"], "64:ff9b:1::10.0.0.1", .privateRange),
            (["10.0.0.0/8", "64:ff9b:1::/48"], "64:ff9b:1::10.0.0.1", nil),
        ] as [([String], String, DenialReason?)])
    func judgesInnerAddressByItself(ranges: [String], text: String, reason: DenialReason?) throws {
        let expected: DestinationPolicy.Verdict = reason.map { .denied($0) } ?? .allowed
        #expect(try verdict(try policy(open: true, allowed: ranges), text) == expected)
    }
}

@Suite("The proxy's own listeners")
struct OwnAddressTests {
    @Test("A listener is refused whatever its address, the origin and the exemptions", arguments: AddressOrigin.allCases)
    func refusesListeners(origin: AddressOrigin) throws {
        let own = ["127.0.0.1:3128", "127.0.0.1:3129", "[::1]:3128", "203.0.113.5:3128"]
        for allowed in [[], ["0.0.0.0/0", "::/0"]] {
            let policy = try policy(allowed: allowed, own: own)
            for text in own {
                let listener = try #require(SocketAddress(text))
                #expect(policy.admit(listener.address, port: listener.port, origin: origin) == .denied(.ownAddress), "\(text)")
            }
        }
    }

    @Test(
        "As a literal it is refused before resolving",
        arguments: ["127.0.0.1:3129", "[::ffff:127.0.0.1]:3129", "0.0.0.0:3129", "[::]:3129"])
    func refusesLiterals(text: String) throws {
        let authority = try Authority(text)
        let policy = try policy(allowed: ["0.0.0.0/0", "::/0"], own: ["127.0.0.1:3128", "127.0.0.1:3129"])
        #expect(policy.decide(host: authority.host, port: try #require(authority.port)) == .denied(.ownAddress))
    }

    @Test(
        "Which spellings reach a listener",
        arguments: [
            ("127.0.0.1:3128", "127.0.0.1", 3128, true), ("127.0.0.1:3128", "127.0.0.1", 3129, false),
            ("127.0.0.1:3128", "127.0.0.2", 3128, false),
            ("127.0.0.1:3128", "::ffff:127.0.0.1", 3128, true), ("127.0.0.1:3128", "::1", 3128, false),
            ("127.0.0.1:3128", "0.0.0.0", 3128, true),
            ("127.0.0.1:3128", "::", 3128, true), ("127.0.0.1:3128", "0.0.0.0", 80, false),
            ("127.0.0.1:3128", "64:ff9b::7f00:1", 3128, true),
            ("127.0.0.1:3128", "10.0.0.5", 3128, false), ("[::ffff:127.0.0.1]:3128", "127.0.0.1", 3128, true),
            ("0.0.0.0:3128", "127.0.0.1", 3128, true), ("0.0.0.0:3128", "127.9.9.9", 3128, true),
            ("0.0.0.0:3128", "10.0.0.5", 3128, true),
            ("0.0.0.0:3128", "10.0.0.6", 3128, false), ("0.0.0.0:3128", "::1", 3128, false),
            ("0.0.0.0:3128", "fd00::5", 3128, false),
            ("0.0.0.0:3128", "::ffff:10.0.0.5", 3128, true), ("[::]:3128", "::1", 3128, true),
            ("[::]:3128", "fd00::5", 3128, true),
            ("[::]:3128", "10.0.0.5", 3128, true), ("[::]:3128", "fe80::5", 3128, true), ("[::]:3128", "fd00::6", 3128, false),
            ("[::]:3128", "10.0.0.5", 80, false), ("[fe80::5%2]:3128", "fe80::5%2", 3128, true),
            ("[fe80::5%2]:3128", "fe80::5", 3128, true),
            ("10.0.0.5:3128", "10.0.0.5", 3128, true), ("10.0.0.5:3128", "127.0.0.1", 3128, false),
        ] as [(String, String, UInt16, Bool)])
    func spellings(listener: String, target: String, port: UInt16, isOwn: Bool) throws {
        let policy = try policy(
            allowed: ["0.0.0.0/0", "::/0"], own: [listener], host: ["127.0.0.1", "10.0.0.5", "::1", "fd00::5", "fe80::5%2"])
        #expect(try verdict(policy, target, port: port, origin: .local) == (isOwn ? .denied(.ownAddress) : .allowed))
    }

    @Test("Other servers on this host stay reachable for its own clients")
    func neighboursAllowed() throws {
        let policy = try policy(own: ["127.0.0.1:3128"], host: ["127.0.0.1", "10.0.0.5"])
        #expect(try verdict(policy, "127.0.0.1", port: 8080) == .allowed)
        #expect(try verdict(policy, "127.0.0.2", port: 3128, origin: .hosts) == .allowed)
        #expect(try verdict(policy, "10.0.0.5", port: 3128, origin: .local) == .allowed)
    }
}
