import Testing

@testable import Net

@Suite("Socket addresses and hosts")
struct SocketAddressTests {
    @Test(
        "Address and port are read and written alike",
        arguments: [
            ("127.0.0.1:80", "127.0.0.1", 80), ("0.0.0.0:0", "0.0.0.0", 0), ("[::1]:65535", "::1", 65535),
            ("[::]:3128", "::", 3128),
            ("[fe80::1%3]:53", "fe80::1%3", 53), ("[::ffff:10.0.0.1]:1", "::ffff:10.0.0.1", 1),
        ] as [(String, String, UInt16)])
    func roundTrips(text: String, address: String, port: UInt16) throws {
        let parsed = try #require(SocketAddress(text))
        #expect(parsed.address == IPAddress(address))
        #expect(parsed.port == port)
        #expect(parsed.description == text)
        #expect(parsed == SocketAddress(address: try #require(IPAddress(address)), port: port))
    }

    @Test(
        "Anything else is refused",
        arguments: [
            "", ":", "127.0.0.1", "127.0.0.1:", ":80", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1", "127.0.0.1: 80",
            "127.0.0.1:80 ", "127.0.0.1:http",
            "::1:80", "::1", "[::1]", "[::1]:", "[::1]80", "[::1:80", "::1]:80", "[127.0.0.1]:80", "[]:80", "[[::1]]:80",
            "localhost:80", "127.1:80", "1.2.3.4:5:6",
            "[::1%eth0]:80",
        ])
    func refuses(text: String) {
        #expect(SocketAddress(text) == nil)
    }

    @Test("A host shows itself without brackets to rules and with brackets in a URI")
    func showsHosts() throws {
        let name = Host.name("a.test")
        #expect(name.text == "a.test" && name.uriText == "a.test")
        let six = Host.address(try #require(IPAddress("2001:db8::1")))
        #expect(six.text == "2001:db8::1" && six.uriText == "[2001:db8::1]")
        let four = Host.address(try #require(IPAddress("10.0.0.1")))
        #expect(four.text == "10.0.0.1" && four.uriText == "10.0.0.1")
    }
}
