import Net
import Testing

@testable import Policy

@Suite("Who may connect")
struct AccessPolicyTests {
    private static let loopback = ["127.0.0.1", "127.0.0.2", "127.255.255.255", "::1", "::ffff:127.0.0.1"]
    private static let others = [
        "126.255.255.255", "128.0.0.0", "10.0.0.1", "8.8.8.8", "::", "::2", "fe80::1%3", "2001:db8::1", "::ffff:10.0.0.1", "::127.0.0.1",
    ]

    private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

    private func listeners(_ texts: [String]) throws -> [SocketAddress] { try texts.map { try #require(SocketAddress($0)) } }

    @Test("The loopback policy admits this host and nobody else")
    func loopbackOnly() throws {
        for text in Self.loopback { #expect(AccessPolicy.loopbackOnly.permits(try address(text)), "\(text)") }
        for text in Self.others { #expect(!AccessPolicy.loopbackOnly.permits(try address(text)), "\(text)") }
    }

    @Test("The open policy admits every address")
    func everyone() throws {
        for text in Self.loopback + Self.others { #expect(AccessPolicy.everyone.permits(try address(text)), "\(text)") }
    }

    @Test("Without ranges nobody is admitted")
    func nobody() throws {
        for text in Self.loopback + Self.others { #expect(!AccessPolicy(allowed: []).permits(try address(text))) }
    }

    @Test(
        "Ranges admit exactly their members, mapped clients as their IPv4 address",
        arguments: [
            ("10.0.0.0/8", "10.0.0.1", true), ("10.0.0.0/8", "::ffff:10.0.0.1", true), ("10.0.0.0/8", "11.0.0.1", false),
            ("10.0.0.0/8", "::ffff:11.0.0.1", false), ("10.0.0.0/8", "::10.0.0.1", false), ("10.0.0.0/8", "127.0.0.1", false),
            ("192.168.1.5", "192.168.1.5", true), ("192.168.1.5", "192.168.1.4", false), ("fd00::/8", "fd12::1", true),
            ("fd00::/8", "fc00::1", false), ("fe80::/10", "fe80::9%2", true), ("::ffff:10.0.0.0/104", "10.1.1.1", true),
        ])
    func ranges(range: String, client: String, expected: Bool) throws {
        let policy = AccessPolicy(allowed: [try #require(IPPrefix("203.0.113.0/24")), try #require(IPPrefix(range))])
        #expect(policy.permits(try address(client)) == expected)
    }

    @Test(
        "By default a loopback listener serves this host, and a listener opened on another address serves all",
        arguments: [
            (["127.0.0.1:3128"], false), (["[::1]:3128"], false), (["127.0.0.1:3128", "[::1]:3128", "127.0.0.9:1"], false),
            (["[::ffff:127.0.0.1]:3128"], false), ([], false), (["0.0.0.0:3128"], true), (["[::]:3128"], true),
            (["10.0.0.5:3128"], true),
            (["127.0.0.1:3128", "192.168.1.1:3128"], true), (["[2001:db8::1]:80"], true), (["[::ffff:10.0.0.1]:80"], true),
        ])
    func standard(texts: [String], open: Bool) throws {
        let listeners = try listeners(texts)
        #expect(AccessPolicy.reachesOtherHosts(listeners) == open)
        let policy = AccessPolicy.standard(listeners: listeners, allowed: [])
        #expect(policy == (open ? .everyone : .loopbackOnly))
        #expect(policy.permits(try address("127.0.0.1")))
        #expect(policy.permits(try address("203.0.113.9")) == open)
    }

    @Test("Ranges named by the operator replace the default, whatever the listeners are", arguments: ["127.0.0.1:3128", "0.0.0.0:3128"])
    func operatorRangesWin(listener: String) throws {
        let range = try #require(IPPrefix("192.168.0.0/16"))
        let policy = AccessPolicy.standard(listeners: try listeners([listener]), allowed: [range])
        #expect(policy.permits(try address("192.168.3.4")))
        #expect(!policy.permits(try address("127.0.0.1")))
        #expect(!policy.permits(try address("203.0.113.9")))
    }
}
