import Testing

@testable import Net

@Suite("Writing addresses")
struct IPAddressTextTests {
    @Test(
        "The text is the canonical one of RFC 5952",
        arguments: [
            ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"), ("9.10.99.100", "9.10.99.100"),
            ("0:0:0:0:0:0:0:0", "::"), ("0:0:0:0:0:0:0:1", "::1"), ("1:0:0:0:0:0:0:0", "1::"), ("2001:DB8::1", "2001:db8::1"),
            ("2001:0db8:0001:0000:0000:0ab9:C0A8:0102", "2001:db8:1::ab9:c0a8:102"),
            ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
            ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"),
            ("0:0:1:2:3:4:5:6", "::1:2:3:4:5:6"),
            ("1:2:3:4:5:6:0:0", "1:2:3:4:5:6::"), ("0:1:2:3:4:5:6:7", "0:1:2:3:4:5:6:7"),
            ("1:2:3:4:5:6:7:0", "1:2:3:4:5:6:7:0"),
            ("::ffff:7f00:1", "::ffff:127.0.0.1"), ("::fffe:7f00:1", "::fffe:7f00:1"), ("::1.2.3.4", "::102:304"),
            ("64:ff9b::1.2.3.4", "64:ff9b::102:304"), ("fe80::1%3", "fe80::1%3"), ("::ffff:1.2.3.4%9", "::ffff:1.2.3.4%9"),
            ("abcd:ef01:2345:6789:abcd:ef01:2345:6789", "abcd:ef01:2345:6789:abcd:ef01:2345:6789"),
        ])
    func writesCanonicalText(text: String, expected: String) {
        #expect(IPAddress(text)?.description == expected)
    }

    @Test(
        "In a URI, IPv6 stands in brackets",
        arguments: [
            ("10.0.0.1", "10.0.0.1"), ("::1", "[::1]"), ("::ffff:10.0.0.1", "[::ffff:10.0.0.1]"),
            ("fe80::1%3", "[fe80::1%253]"),
        ])
    func writesURIHost(text: String, expected: String) {
        #expect(IPAddress(text)?.uriHost == expected)
    }

    @Test("Every IPv4 address reads back as itself")
    func roundTripsIPv4() {
        var random = SeededRandom(seed: 1)
        for _ in 0..<5_000 {
            let address = IPAddress(ipv4: random.next())
            #expect(IPAddress(address.description) == address)
        }
    }

    @Test("Every IPv6 address reads back as itself, whatever groups are zero")
    func roundTripsIPv6() {
        var random = SeededRandom(seed: 2)
        for _ in 0..<5_000 {
            let address = sparseAddress(using: &random)
            let text = address.description
            #expect(IPAddress(text) == address)
            #expect(IPAddress(text.uppercased()) == address)
            #expect(!text.contains(":::") && text.utf8.count <= 50)
        }
    }

    @Test("The full form with eight groups reads as the same address")
    func readsFullForm() {
        var random = SeededRandom(seed: 3)
        for _ in 0..<1_000 {
            let address = IPAddress(ipv6High: sparseHalf(using: &random), low: sparseHalf(using: &random))
            let groups = [address.ipv6High, address.ipv6Low].flatMap { half in
                [48, 32, 16, 0].map { String(half >> UInt64($0) & 0xffff, radix: 16) }
            }
            #expect(IPAddress(groups.joined(separator: ":")) == address)
        }
    }

    private func sparseAddress(using random: inout SeededRandom) -> IPAddress {
        let scope = Bool.random(using: &random) ? 0 : UInt32.random(in: 1...UInt32.max, using: &random)
        return IPAddress(ipv6High: sparseHalf(using: &random), low: sparseHalf(using: &random), scope: scope)
    }

    /// Four groups, each zero half of the time and short otherwise, so that every position of the zero run occurs.
    private func sparseHalf(using random: inout SeededRandom) -> UInt64 {
        var half: UInt64 = 0
        for _ in 0..<4 {
            let group = Bool.random(using: &random) ? 0 : random.next() & 0xffff >> UInt64.random(in: 0...15, using: &random)
            half = half << 16 | group
        }
        return half
    }
}
