import Testing

@testable import Net

@Suite("Reading addresses")
struct IPAddressParsingTests {
    @Test(
        "A dotted quad is an IPv4 address",
        arguments: [
            ("127.0.0.1", 0x7f00_0001), ("0.0.0.0", 0), ("255.255.255.255", 0xffff_ffff), ("10.20.30.40", 0x0a14_1e28),
            ("1.2.3.4", 0x0102_0304),
        ] as [(String, UInt32)])
    func readsIPv4(text: String, value: UInt32) {
        #expect(IPAddress(text) == IPAddress(ipv4: value))
        #expect(IPAddress(text)?.ipv4Value == value)
        #expect(IPAddress(text)?.family == .ipv4)
    }

    @Test(
        "Anything that some program reads as an IPv4 address but is not a plain dotted quad is refused",
        arguments: [
            "", ".", "1", "2130706433", "127.1", "127.0.1", "0x7f.1", "0x7f.0.0.1", "0177.0.0.1", "127.0.0.01", "00.0.0.0",
            "1.2.3.256", "1.2.3.1000",
            "1.2.3", "1.2.3.", ".1.2.3", "1..2.3", "1.2.3.4.", "1.2.3.4.5", " 1.2.3.4", "1.2.3.4 ", "1.2.3.4\n", "+1.2.3.4",
            "-1.2.3.4", "1.2.3.4%3",
            "1.2.3.4/8", "[1.2.3.4]", "1.2.3.a", "99999999999999999999.0.0.1", "\u{661}.2.3.4", "1\u{3002}2.3.4", "localhost",
            "1.2.3.4\0",
        ])
    func refusesOtherIPv4(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(
        "Every text form of RFC 4291 2.2 is an IPv6 address",
        arguments: [
            ("::", 0, 0), ("::1", 0, 1), ("1::", 0x0001_0000_0000_0000, 0), ("2001:db8::1", 0x2001_0db8_0000_0000, 1),
            ("2001:0DB8:0000:0000:0000:0000:0000:0001", 0x2001_0db8_0000_0000, 1),
            ("1:2:3:4:5:6:7:8", 0x0001_0002_0003_0004, 0x0005_0006_0007_0008),
            ("1:2:3:4:5:6:7::", 0x0001_0002_0003_0004, 0x0005_0006_0007_0000),
            ("::2:3:4:5:6:7:8", 0x0000_0002_0003_0004, 0x0005_0006_0007_0008),
            ("1:2:3::5:6:7:8", 0x0001_0002_0003_0000, 0x0005_0006_0007_0008),
            ("fe80::a:B", 0xfe80_0000_0000_0000, 0x000a_000b), ("::ffff:127.0.0.1", 0, 0xffff_7f00_0001),
            ("::1.2.3.4", 0, 0x0102_0304),
            ("64:ff9b::192.0.2.33", 0x0064_ff9b_0000_0000, 0xc000_0221),
            ("1:2:3:4:5:6:1.2.3.4", 0x0001_0002_0003_0004, 0x0005_0006_0102_0304),
            ("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .max, .max), ("::FFFF:0:0", 0, 0xffff_0000_0000),
        ] as [(String, UInt64, UInt64)])
    func readsIPv6(text: String, high: UInt64, low: UInt64) {
        #expect(IPAddress(text) == IPAddress(ipv6High: high, low: low))
        #expect(IPAddress(text)?.ipv4Value == nil)
        #expect(IPAddress(text)?.family == .ipv6)
    }

    @Test(
        "A text that is not quite an IPv6 address is refused",
        arguments: [
            ":", ":1", "1:", ":::", "1:::2", "1::2::3", "::1::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8:",
            ":1:2:3:4:5:6:7:8",
            "::1:2:3:4:5:6:7:8", "1:2:3:4::5:6:7:8", "1:2:3:4:5:6:7:8::", "12345::", "::12345", "g::", "::g", "[::1]", "[::1",
            "::1]", " ::1", "::1 ",
            "::1.2.3", "::1.2.3.4.5", "::1.2.3.256", "::01.2.3.4", "1.2.3.4::", "::1.2.3.4:5", "1:2:3:4:5:6:7:1.2.3.4",
            "::ffff:0x7f.1", "::1/128", "::-1",
            "0x1::", "::1\0", "::1%", "::1%eth0", "::1%0", "::1%03", "::1%4294967296", "::1%3%4", "%3", "%", "::%3:1",
            "fe80::1%25eth0", "::1%-1",
        ])
    func refusesOtherIPv6(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(
        "A numeric zone becomes the scope",
        arguments: [("fe80::1%3", 3), ("fe80::1%1", 1), ("::%4294967295", 4_294_967_295)] as [(String, UInt32)])
    func readsZone(text: String, scope: UInt32) {
        #expect(IPAddress(text)?.scope == scope)
        #expect(IPAddress(text) != IPAddress(text.prefix { $0 != "%" }))
    }

    @Test("Network bytes give the address, other lengths give none")
    func readsNetworkBytes() {
        let four: [UInt8] = [192, 0, 2, 1]
        let sixteen: [UInt8] = [0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xab, 0xcd]
        #expect(IPAddress(network: four.span) == IPAddress("192.0.2.1"))
        #expect(IPAddress(network: sixteen.span) == IPAddress("2001:db8::abcd"))
        for count in [0, 1, 3, 5, 15, 17] {
            let bytes = [UInt8](repeating: 1, count: count)
            #expect(IPAddress(network: bytes.span) == nil)
        }
    }

    @Test("Network bytes and halves are the same address, for any address")
    func agreesWithNetworkBytes() {
        var random = SeededRandom(seed: 11)
        for _ in 0..<1_000 {
            let (high, low) = (random.next(), random.next())
            let sixteen = [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> UInt64(56 - 8 * $0)) } }
            #expect(IPAddress(network: sixteen.span) == IPAddress(ipv6High: high, low: low))
            let value = UInt32(truncatingIfNeeded: high)
            let four = (0..<4).map { UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * $0)) }
            #expect(IPAddress(network: four.span) == IPAddress(ipv4: value))
            #expect(IPAddress(four.map(String.init).joined(separator: ".")) == IPAddress(ipv4: value))
        }
    }

    @Test("An address without a scope differs from the same one with a scope, in a table too")
    func keepsScopesApart() {
        let addresses = ["fe80::1", "fe80::1%1", "fe80::1%2", "fe80::1", "fe80:0::1%2"].compactMap { IPAddress($0) }
        #expect(addresses.count == 5)
        #expect(Set(addresses).count == 3)
    }

    @Test("Text in a larger buffer is read by its bytes alone")
    func readsSlice() {
        let bytes = Array("x[2001:db8::7]:80".utf8)
        #expect(IPAddress(parsing: bytes.span.extracting(2..<13)) == IPAddress("2001:db8::7"))
        #expect(IPAddress("10.0.0.1:80".dropLast(3)) == IPAddress("10.0.0.1"))
    }

    @Test("Random bytes never trap, and what is accepted is canonical after one round")
    func survivesNoise() {
        var random = SeededRandom(seed: 4)
        let alphabet = Array("0123456789abcdefF:.%::..".utf8)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...24, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? 0 }
            guard let address = IPAddress(parsing: bytes.span) else { continue }
            #expect(IPAddress(address.description) == address)
        }
    }
}
