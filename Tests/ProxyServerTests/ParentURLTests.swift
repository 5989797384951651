import Net
import Testing
import Upstream

@testable import ProxyServer

@Suite("Hosts, ports and credentials of parent URLs")
struct ParentURLTests {
    @Test(
        "each scheme has its port",
        arguments: [("http", 3128), ("https", 443), ("socks5", 1080), ("socks5h", 1080)] as [(String, UInt16)])
    func ports(scheme: String, port: UInt16) throws {
        for url in ["\(scheme)://p.test", "\(scheme.uppercased())://p.test", "\(scheme)://p.test/", "\(scheme)://u:p@p.test"] {
            let parent = try ParentProxy(url: url)
            #expect(parent.scheme.rawValue == scheme)
            #expect(parent.port == port)
            #expect(parent.host == .name("p.test"))
        }
        #expect(try ParentProxy(url: "\(scheme)://[::1]").host == .address(IPAddress(ipv6High: 0, low: 1)))
        #expect(try ParentProxy(url: "\(scheme)://p.test:7").port == 7)
    }

    @Test(
        "credentials",
        arguments: [
            ("u", "u", ""), ("u:", "u", ""), (":p", "", "p"), ("u:p", "u", "p"), ("u:p:q", "u", "p:q"), ("u:p@q", "u", "p@q"),
            ("u%20v:%25%40", "u v", "%@"), ("b%C3%BCro:%e2%82%ac", "b\u{fc}ro", "\u{20ac}"), ("u:p+q", "u", "p+q"),
        ])
    func credentials(written: String, user: String, password: String) throws {
        let parent = try ParentProxy(url: "http://\(written)@p.test:9")
        #expect(parent.credentials == ParentCredentials(user: user, password: password))
        #expect(parent.description == "http://p.test:9")
        #expect(parent.credentials?.description == "(hidden)")
    }

    @Test("a user with a colon cannot be told from its password (RFC 7617 section 2)")
    func colonInUser() {
        #expect(throws: ParentProxyError.credentials) { try ParentProxy(url: "http://a%3Ab:c@p.test") }
    }

    @Test("without any there is no line for them")
    func none() throws {
        let parent = try ParentProxy(url: "https://p.test")
        #expect(parent.credentials == nil)
        #expect(parent.authorizationLine == nil)
    }

    @Test("bytes beyond ASCII are encoded as UTF-8")
    func utf8() throws {
        #expect(try ParentProxy(url: "https://t%C3%A9st:%C2%A3@p.test").authorizationLine == "Proxy-Authorization: Basic dMOpc3Q6wqM=\r\n")
    }

    @Test(
        "the hop never shows credentials, and asks HTTP parents alone for tunnels",
        arguments: [
            ("http", "http://p.test:3128", true), ("https", "https://p.test:443", true), ("socks5", "socks5h://p.test:1080", false),
            ("socks5h", "socks5h://p.test:1080", false),
        ])
    func hop(scheme: String, url: String, tunnels: Bool) throws {
        let parent = try ParentProxy(url: "\(scheme)://me:secret@p.test")
        #expect(parent.hop(tunnels: true).url == url)
        #expect(parent.hop(tunnels: true).tunnels == tunnels)
        #expect(!parent.hop(tunnels: false).tunnels)
        #expect(parent.hop(tunnels: false).credentials == ParentCredentials(user: "me", password: "secret"))
        #expect(!"\(parent.hop(tunnels: true))".contains("secret"))
    }

    @Test(
        "what is refused",
        arguments: [
            ("", ParentProxyError.scheme), ("://p.test", .scheme), ("http:p.test", .scheme), (" http://p.test", .scheme),
            ("socks4://p.test", .scheme), ("http://p.test//", .path), ("http://p.test#x", .path), ("http://u:p/q@p.test", .path),
            ("http://u:%@p.test", .credentials), ("http://u:%+9@p.test", .credentials), ("http://%00:p@p.test", .credentials),
            ("http://u:%7f@p.test", .credentials), ("http://u:p@", .authority(.empty)), ("http:///", .authority(.empty)),
            ("http://p.test:0", .authority(.portOutOfRange)), ("http://p.test:x", .authority(.badPort)),
            ("http://[::1", .authority(.badBracket)), ("http://p..test", .authority(.emptyLabel)),
        ])
    func refused(url: String, error: ParentProxyError) {
        #expect(throws: error) { try ParentProxy(url: url) }
    }
}
