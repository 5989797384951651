import Testing

@testable import Net

@Suite("IPv4 addresses inside IPv6 addresses")
struct EmbeddedIPv4Tests {
    @Test(
        "Every carrier gives up its IPv4 address",
        arguments: [
            ("::ffff:169.254.169.254", "169.254.169.254"), ("::ffff:0.0.0.0", "0.0.0.0"), ("::127.0.0.1", "127.0.0.1"),
            ("::2", "0.0.0.2"),
            ("64:ff9b::7f00:1", "127.0.0.1"), ("64:ff9b::10.0.0.1", "10.0.0.1"), ("64:ff9b:1::10.0.0.1", "10.0.0.1"),
            ("64:ff9b:1:abcd::192.168.0.1", "192.168.0.1"), ("64:ff9b:1:a9fe:a9:fe00::", "169.254.169.254"),
            ("2002:7f00:1::", "127.0.0.1"),
            ("2002:c0a8:101:5::9", "192.168.1.1"), ("2001:0:4136:e378:8000:63bf:80ff:fffe", "127.0.0.1"),
        ])
    func unpacks(text: String, expected: String) {
        #expect(IPAddress(text)?.embeddedIPv4 == IPAddress(expected))
    }

    @Test(
        "Neighbours of the carriers and ordinary addresses carry nothing",
        arguments: [
            "127.0.0.1", "::", "::1", "::fffe:127.0.0.1", "::1:0:127.0.0.1", "::ffff:0:127.0.0.1", "64:ff9a::7f00:1",
            "64:ff9b::1:7f00:1", "64:ff9b:2::7f00:1",
            "64:ff9c::7f00:1", "2001:1::7f00:1", "2003:7f00:1::", "2001:db8::1", "fe80::1", "fd00::127.0.0.1",
        ])
    func findsNone(text: String) throws {
        #expect(try #require(IPAddress(text)).embeddedIPv4 == nil)
    }

    @Test("What is found is always IPv4 and carries nothing itself")
    func endsAfterOneStep() {
        var random = SeededRandom(seed: 5)
        let prefixes: [UInt64] = [0, 0x0064_ff9b_0000_0000, 0x0064_ff9b_0001_0000, 0x2002_0000_0000_0000, 0x2001_0000_0000_0000]
        for prefix in prefixes {
            for _ in 0..<200 {
                let address = IPAddress(ipv6High: prefix | random.next() & 0xffff, low: random.next() & 0xffff_ffff_ffff)
                let inner = address.embeddedIPv4
                #expect(inner?.embeddedIPv4 == nil)
                #expect(inner.map { $0.family == .ipv4 } ?? true)
            }
        }
    }

    @Test("An IPv4 address reads as the halves of its mapped form")
    func readsAsMapped() throws {
        let plain = try #require(IPAddress("192.0.2.7"))
        let mapped = try #require(IPAddress("::ffff:192.0.2.7"))
        #expect(plain != mapped)
        #expect(plain.ipv6High == mapped.ipv6High && plain.ipv6Low == mapped.ipv6Low)
        #expect(mapped.embeddedIPv4 == plain)
    }
}
