import Testing

@testable import Net

@Suite("Address ranges")
struct IPPrefixTests {
    @Test(
        "A range reaches exactly to its edges",
        arguments: [
            ("10.0.0.0/8", "10.0.0.0", "10.255.255.255", "9.255.255.255", "11.0.0.0"),
            ("10.5.5.5/8", "10.0.0.0", "10.255.255.255", "9.255.255.255", "11.0.0.0"),
            ("10.0.0.0/7", "10.0.0.0", "11.255.255.255", "9.255.255.255", "12.0.0.0"),
            ("192.168.1.5", "192.168.1.5", "192.168.1.5", "192.168.1.4", "192.168.1.6"),
            ("172.16.0.0/12", "172.16.0.0", "172.31.255.255", "172.15.255.255", "172.32.0.0"),
            ("fe80::/10", "fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "fe7f:ffff::", "fec0::"),
            ("2001:db8::/64", "2001:db8::", "2001:db8::ffff:ffff:ffff:ffff", "2001:db7:ffff:ffff:ffff::", "2001:db8:0:1::"),
            ("2001:db8::/65", "2001:db8::", "2001:db8::7fff:ffff:ffff:ffff", "2001:db7::", "2001:db8::8000:0:0:0"),
            ("::1", "::1", "::1", "::", "::2"), ("::/127", "::", "::1", "ffff::", "::2"),
        ])
    func reachesItsEdges(range: String, first: String, last: String, below: String, above: String) throws {
        let prefix = try #require(IPPrefix(range))
        #expect(prefix.contains(try #require(IPAddress(first))))
        #expect(prefix.contains(try #require(IPAddress(last))))
        #expect(!prefix.contains(try #require(IPAddress(below))))
        #expect(!prefix.contains(try #require(IPAddress(above))))
    }

    @Test(
        "A mapped client address meets IPv4 rules, other carriers do not",
        arguments: [
            ("10.0.0.0/8", "::ffff:10.0.0.1", true), ("10.0.0.0/8", "::ffff:11.0.0.1", false),
            ("10.0.0.0/8", "::10.0.0.1", false),
            ("10.0.0.0/8", "64:ff9b::10.0.0.1", false), ("0.0.0.0/0", "::ffff:1.2.3.4", true), ("0.0.0.0/0", "::1", false),
            ("0.0.0.0/0", "255.255.255.255", true), ("::/0", "2001:db8::1", true), ("::/0", "::ffff:1.2.3.4", true),
            ("::/0", "1.2.3.4", false),
            ("::ffff:10.0.0.0/104", "10.9.8.7", true), ("::ffff:10.0.0.0/104", "::ffff:10.9.8.7", true),
            ("::ffff:10.0.0.0/104", "11.0.0.0", false),
            ("fe80::/10", "fe80::1%7", true), ("::ffff:0:0/95", "1.2.3.4", false),
        ])
    func meetsMappedAddresses(range: String, address: String, expected: Bool) throws {
        #expect(try #require(IPPrefix(range)).contains(try #require(IPAddress(address))) == expected)
    }

    @Test(
        "A bad range is refused, so that a typing error cannot open or close a rule in silence",
        arguments: [
            "", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/ 8", "10.0.0.0/8 ",
            "10.0.0.0/8/8", "10.0.0/8", "10/8",
            "::/129", "::/1000", "::1/0x10", "example.com/8", "[::1]/128", "fe80::1%3/64", "10.0.0.0/255.0.0.0", "*",
            "10.0.0.0/00000000000000000008",
        ])
    func refuses(text: String) {
        #expect(IPPrefix(text) == nil)
    }

    @Test(
        "A range prints its lowest address and its length",
        arguments: [
            ("10.5.5.5/8", "10.0.0.0/8"), ("192.168.1.5", "192.168.1.5/32"), ("::1", "::1/128"),
            ("2001:DB8::99/32", "2001:db8::/32"),
            ("0.0.0.0/0", "0.0.0.0/0"), ("1.2.3.4/0", "0.0.0.0/0"), ("::ffff:10.1.2.3/104", "10.0.0.0/8"),
            ("::ffff:1.2.3.4/95", "::fffe:0:0/95"),
        ])
    func prints(text: String, expected: String) {
        #expect(IPPrefix(text)?.description == expected)
        #expect(IPPrefix(expected) == IPPrefix(text))
    }

    @Test("Lengths outside the family's range are refused")
    func checksLength() {
        let address = IPAddress(ipv4: 0x0a00_0000)
        #expect(IPPrefix(address: address, length: 33) == nil)
        #expect(IPPrefix(address: address, length: -1) == nil)
        #expect(IPPrefix(address: IPAddress(ipv6High: 0, low: 1), length: 129) == nil)
        #expect(IPPrefix(address: address, length: 8) == IPPrefix("10.0.0.0/8"))
    }

    @Test("Membership is equality of the leading bits, for any length")
    func comparesLeadingBits() {
        var random = SeededRandom(seed: 6)
        for length in 0...128 {
            let high = random.next() | 1 << 63
            let low = random.next()
            let prefix = IPPrefix(address: IPAddress(ipv6High: high, low: low), length: length)
            for bit in 0..<128 {
                let flipped = IPAddress(ipv6High: bit < 64 ? high ^ 1 << (63 - bit) : high, low: bit < 64 ? low : low ^ 1 << (127 - bit))
                #expect(prefix?.contains(flipped) == (bit >= length))
            }
        }
    }
}
