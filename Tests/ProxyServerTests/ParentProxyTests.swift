import Net
import Testing
import Upstream

@testable import ProxyServer

@Suite("URLs of parent proxies")
struct ParentProxyTests {
    @Test(
        "what is understood",
        arguments: [
            ("http://parent.test", "http://parent.test:3128"), ("http://parent.test:8080/", "http://parent.test:8080"),
            ("HTTPS://Parent.test", "https://parent.test:443"), ("socks5://10.0.0.1", "socks5://10.0.0.1:1080"),
            ("socks5h://[2001:db8::1]:99", "socks5h://[2001:db8::1]:99"), ("http://u:p@parent.test:1", "http://parent.test:1"),
        ])
    func understood(url: String, description: String) throws {
        #expect(try ParentProxy(url: url).description == description)
    }

    @Test("user and password are decoded and never printed")
    func credentials() throws {
        let parent = try ParentProxy(url: "http://us%40er:p%3Aa%2fss@parent.test:1")
        #expect(parent.credentials?.user == "us@er")
        #expect(parent.credentials?.password == "p:a/ss")
        #expect(!"\(parent) \(String(describing: parent.credentials))".contains("ss@"))
        #expect("\(String(describing: parent.credentials))".contains("hidden"))
    }

    @Test(
        "Basic credentials of every length",
        arguments: [("a", "", "YTo="), ("a", "b", "YTpi"), ("a", "bc", "YTpiYw=="), ("user", "pa:ss", "dXNlcjpwYTpzcw==")])
    func authorization(user: String, password: String, encoded: String) throws {
        let escaped = password.replacing(":", with: "%3A")
        let parent = try ParentProxy(url: "http://\(user):\(escaped)@parent.test")
        #expect(parent.authorizationLine == "Proxy-Authorization: Basic \(encoded)\r\n")
    }

    @Test("a SOCKS parent gets no line and no tunnel, but the name")
    func socks() throws {
        let parent = try ParentProxy(url: "socks5://u:p@parent.test")
        #expect(parent.authorizationLine == nil)
        #expect(!parent.takesAbsoluteForm)
        let hop = parent.hop(tunnels: true)
        #expect(hop.url == "socks5h://parent.test:1080")
        #expect(!hop.tunnels)
    }

    @Test(
        "what is refused, and why",
        arguments: [
            ("parent.test:3128", ParentProxyError.scheme), ("ftp://parent.test", .scheme), ("http://parent.test/path", .path),
            ("http://parent.test?x", .path), ("http://u:%zz@parent.test", .credentials), ("http://u:%ff@parent.test", .credentials),
            ("http://u:%0a@parent.test", .credentials),
            ("http://u:%4@parent.test", .credentials), ("http://parent.test:99999", .authority(.portOutOfRange)),
            ("http://", .authority(.empty)),
        ])
    func refused(url: String, error: ParentProxyError) {
        #expect(throws: error) { try ParentProxy(url: url) }
        #expect(!error.sentence.isEmpty)
    }
}
