import HTTP1
import Net
import Testing

/// The request target and Host: which forms are taken, and what goes upstream.
struct TargetTests {
    @Test(arguments: [
        ("http://o.test/p?q=1", "/p?q=1", "o.test"),
        ("http://o.test", "/", "o.test"),
        ("http://o.test?x=1", "/?x=1", "o.test"),
        ("http://o.test/?", "/?", "o.test"),
        ("HTTP://O.TeSt/c", "/c", "O.TeSt"),
        ("hTtPs://o.test/c", "/c", "o.test"),
        ("http://o.test:8080/", "/", "o.test:8080"),
        ("http://o.test:80/", "/", "o.test:80"),
        ("http://o.test./x", "/x", "o.test."),
        ("http://[::1]:8080/x", "/x", "[::1]:8080"),
        ("http://127.0.0.1/x", "/x", "127.0.0.1"),
        ("http://o.test/a%2Fb%20c/%7Euser?q=%41%2f&r=%zz", "/a%2Fb%20c/%7Euser?q=%41%2f&r=%zz", "o.test"),
        ("http://o.test/a/../b/./c/..", "/a/../b/./c/..", "o.test"),
        ("http://o.test//x//y///", "//x//y///", "o.test"),
        ("http://o.test/a;b=c,d:e@f!$&'()*+=?x?y/z", "/a;b=c,d:e@f!$&'()*+=?x?y/z", "o.test"),
        ("http://o.test/%0d%0aX-Injected:%201", "/%0d%0aX-Injected:%201", "o.test"),
        ("http://o.test/@evil.test", "/@evil.test", "o.test"),
        ("http://o.test/http://evil.test/", "/http://evil.test/", "o.test"),
        ("http://o.test/{|}^`\"<>\\", "/{|}^`\"<>\\", "o.test"),
    ])
    func absoluteFormBecomesOriginForm(target: String, path: String, host: String) throws {
        let request = try Request("GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        #expect(request.forwarded() == "GET \(path) HTTP/1.1\r\nHost: \(host)\r\nVia: 1.1 p\r\n\r\n")
        #expect(request.forwarded(absoluteForm: true).hasPrefix("GET \(target) HTTP/1.1\r\n"))
        #expect(request.head.target == .absolute(https: target.lowercased().hasPrefix("https")))
    }

    @Test func theAuthorityIsReadOnceForEveryone() throws {
        let request = try Request("GET http://O.TeSt.:8080/ HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(request.head.authority == (try Authority("o.test.:8080")))
        #expect(try Request("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n").head.authority == nil)
        #expect(try Request("GET /x HTTP/1.1\r\nHost: x\r\n\r\n").head.authority == nil)
    }

    @Test(arguments: ["other.test", "o.test:80", "O.TEST", "o.test.", "[::1]:3128", "proxy.test:3128"])
    func hostOfTheTargetReplacesTheClients(host: String) throws {
        let request = try Request("GET http://o.test/ HTTP/1.1\r\nA: 1\r\nhOST: \(host)\r\nB: 2\r\n\r\n")
        #expect(request.forwarded() == "GET / HTTP/1.1\r\nA: 1\r\nHost: o.test\r\nB: 2\r\nVia: 1.1 p\r\n\r\n")
    }

    @Test func anHTTP10RequestGetsAHostInFront() throws {
        let request = try Request("GET http://o.test/x HTTP/1.0\r\nA: 1\r\n\r\n")
        #expect(request.forwarded() == "GET /x HTTP/1.1\r\nHost: o.test\r\nA: 1\r\nVia: 1.0 p\r\n\r\n")
        let bare = try Request("GET http://o.test/x HTTP/1.0\r\n\r\n")
        #expect(bare.forwarded() == "GET /x HTTP/1.1\r\nHost: o.test\r\nVia: 1.0 p\r\n\r\n")
    }

    @Test(arguments: [
        ("GET http://o.test/ HTTP/1.1\r\n\r\n", HeadError.missingHost),
        ("CONNECT o.test:443 HTTP/1.1\r\n\r\n", .missingHost),
        ("GET http://o.test/ HTTP/1.1\r\nHost: o.test\r\nHost: o.test\r\n\r\n", .duplicateHost),
        ("GET http://o.test/ HTTP/1.1\r\nHost: o.test\r\nhost: evil.test\r\n\r\n", .duplicateHost),
        ("GET http://o.test/ HTTP/1.0\r\nHost: o.test\r\nHost: o.test\r\n\r\n", .duplicateHost),
        ("GET http://o.test/ HTTP/1.1\r\nHost:\r\n\r\n", .badHost(.empty)),
        ("GET http://o.test/ HTTP/1.1\r\nHost: a b\r\n\r\n", .badHost(.badCharacter)),
        ("GET http://o.test/ HTTP/1.1\r\nHost: o.test, evil.test\r\n\r\n", .badHost(.badCharacter)),
        ("GET http://o.test/ HTTP/1.1\r\nHost: o.test/x\r\n\r\n", .badHost(.badCharacter)),
        ("GET http://o.test/ HTTP/1.1\r\nHost: u@o.test/x\r\n\r\n", .badHost(.userinfo)),
        ("GET http://o.test/ HTTP/1.1\r\nHost: o.test:\r\n\r\n", .badHost(.badPort)),
        ("GET http://o.test/ HTTP/1.1\r\nHost: o.test:99999\r\n\r\n", .badHost(.portOutOfRange)),
        ("GET http://o.test/ HTTP/1.1\r\nHost: o.test\u{E9}\r\n\r\n", .badHost(.badCharacter)),
    ])
    func hostMustBeOneValidValue(text: String, fault: HeadError) {
        #expect(requestFault(text) == fault)
        #expect(fault.status == 400)
    }

    @Test func hostMayBeEmptyWhereItSaysNothing() throws {
        #expect(try Request("CONNECT o.test:443 HTTP/1.1\r\nHost: \r\n\r\n").head.target == .authority)
        #expect(try Request("GET http://o.test/ HTTP/1.0\r\nHost:\r\n\r\n").forwarded().contains("\r\nHost: o.test\r\n"))
    }

    @Test(arguments: [
        ("http://o.test:99999/", HeadError.badAuthority(.portOutOfRange)),
        ("http://o.test:abc/", .badAuthority(.badPort)),
        ("http://o.test:0/", .badAuthority(.portOutOfRange)),
        ("http://o.test:/", .badAuthority(.badPort)),
        ("http:///", .badAuthority(.empty)),
        ("http://", .badAuthority(.empty)),
        ("http://?x", .badAuthority(.empty)),
        ("http://:80/", .badAuthority(.empty)),
        ("http://o.test:80:1/", .badAuthority(.badBracket)),
        ("http://o.test:-1/", .badAuthority(.badPort)),
        ("http://user:pw@o.test/", .badAuthority(.userinfo)),
        ("http://a@b@evil.test/", .badAuthority(.userinfo)),
        ("http://ok.test\\@evil.test/", .badAuthority(.badCharacter)),
        ("http://o.test../", .badAuthority(.emptyLabel)),
        ("http://2130706433/", .badAuthority(.numericHost)),
        ("http://o.test/p#frag", .fragmentInTarget),
        ("http://ok.test#@evil.test/", .fragmentInTarget),
        ("/x#y", .fragmentInTarget),
        ("foo://o.test/", .schemeUnsupported),
        ("ftp://o.test/", .schemeUnsupported),
        ("http:/o.test/", .methodTargetMismatch),
        ("http:o.test", .methodTargetMismatch),
        ("o.test:80", .methodTargetMismatch),
        ("o.test", .methodTargetMismatch),
        ("://o.test/", .methodTargetMismatch),
        ("*", .methodTargetMismatch),
        ("*x", .methodTargetMismatch),
    ])
    func badTargetsAreRefused(target: String, fault: HeadError) {
        #expect(requestFault("GET \(target) HTTP/1.1\r\nHost: o.test\r\n\r\n") == fault)
        #expect(requestFault("GET \(target) HTTP/1.0\r\n\r\n") == fault)
        #expect(fault.status == 400)
    }

    @Test(arguments: [
        "http://[::1/", "http://[fe80::1%25eth0]/", "http://::1:443/", "http://[1.2.3.4]/", "http://1.2.3.256/", "http://0x7f.1/",
    ])
    func literalsThatAreNoneAreRefused(target: String) {
        #expect(requestFault("GET \(target) HTTP/1.1\r\nHost: o.test\r\n\r\n")?.status == 400)
    }

    @Test(arguments: [
        ("o.test:443", "o.test"), ("[2001:db8::1]:443", "proxy.test:3128"), ("127.0.0.1:1", ""), ("O.TEST.:65535", "o.test:443"),
    ])
    func connectTakesHostAndPort(target: String, host: String) throws {
        let request = try Request("CONNECT \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        #expect(request.head.method == .connect)
        #expect(request.head.target == .authority)
        #expect(request.head.authority == (try Authority(target)))
        #expect(request.message.text(request.head.authorityRange) == target)
        #expect(request.head.framing == .none)
        #expect(request.head.pathRange.isEmpty)
    }

    @Test func connectOf10NeedsNoHost() throws {
        let head = try Request("CONNECT o.test:443 HTTP/1.0\r\n\r\n").head
        #expect(head.target == .authority)
        #expect(!head.keepAlive)
    }

    @Test(arguments: [
        ("/", HeadError.methodTargetMismatch), ("http://o.test/", .methodTargetMismatch), ("http://o.test:443", .methodTargetMismatch),
        ("/path", .methodTargetMismatch), ("o.test:443/", .methodTargetMismatch), ("o.test", .missingPort), ("[::1]", .missingPort),
        ("*", .badAuthority(.badCharacter)), ("o.test:", .badAuthority(.badPort)), ("o.test:99999", .badAuthority(.portOutOfRange)),
        ("o.test:abc", .badAuthority(.badPort)), ("o.test:0", .badAuthority(.portOutOfRange)), (":443", .badAuthority(.empty)),
        ("u@o.test:443", .badAuthority(.userinfo)), ("o.test:443#", .fragmentInTarget), ("o.test:443?x", .badAuthority(.badCharacter)),
        ("::1:443", .badAuthority(.badBracket)),
    ])
    func connectRefusesOtherForms(target: String, fault: HeadError) {
        #expect(requestFault("CONNECT \(target) HTTP/1.1\r\nHost: o.test\r\n\r\n") == fault)
    }

    @Test func optionsWithoutAPathAsksTheWholeServer() throws {
        #expect(try Request(get(path: "", method: "OPTIONS")).forwarded().hasPrefix("OPTIONS * HTTP/1.1\r\n"))
        #expect(try Request(get(path: "", method: "OPTIONS")).forwarded(absoluteForm: true).hasPrefix("OPTIONS http://o.test HTTP/1.1\r\n"))
        #expect(try Request(get(path: "/", method: "OPTIONS")).forwarded().hasPrefix("OPTIONS / HTTP/1.1\r\n"))
        #expect(try Request(get(path: "?x", method: "OPTIONS")).forwarded().hasPrefix("OPTIONS /?x HTTP/1.1\r\n"))
    }

    @Test func formsForTheServerItselfAreTold() throws {
        let asterisk = try Request("OPTIONS * HTTP/1.1\r\nHost: o.test\r\n\r\n")
        #expect(asterisk.head.target == .asterisk)
        let origin = try Request("GET /healthz?x HTTP/1.1\r\nHost: o.test\r\n\r\n")
        #expect(origin.head.target == .origin)
        #expect(origin.message.text(origin.head.pathRange) == "/healthz?x")
        #expect(origin.forwarded() == "GET /healthz?x HTTP/1.1\r\nHost: o.test\r\nVia: 1.1 p\r\n\r\n")
        #expect(try Request("GET /x HTTP/1.0\r\n\r\n").forwarded() == "GET /x HTTP/1.1\r\nVia: 1.0 p\r\n\r\n")
    }
}
