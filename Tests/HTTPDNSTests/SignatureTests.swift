import HTTPDNS
import Net
import Testing

/// The request that goes out: parameters, signature, what must not be in it.
@Suite struct SignatureTests {
    static let account = Credentials(accountID: "123456", accessKeyID: "AKIDEXAMPLE", secret: "s3cr3tKeyForDocs")
    private let endpoint = ProviderEndpoint(scheme: .https, host: "dns.alidns.com", address: IPAddress(ipv4: 0xdf05_0505))

    private func url(_ name: String, _ credentials: Credentials?, _ type: RecordType = .a, at epoch: Int64 = 1_700_000_000) -> String {
        AlibabaPublicDNS(credentials: credentials, hostHasIPv6: false)
            .request(Question(name: name, type: type), endpoint: endpoint, epochSeconds: epoch).url
    }

    @Test(arguments: [
        ("www.example.com", "ac878500bfdb83f4fff06180f8488216cf125adfbac20a909e22259df056eaf8"),
        ("missing.example.net", "fe0c00ca5c2f864d3679f358c9d5a30e56d839633d9351f28dcc9644ab4f21c8"),
        ("www.example.com.", "2d33e1b9b3a6462bac30b7e74b12eac864a4308c0a59b659da2f13567f7ba011"),
        ("xn--bcher-kva.example", "502470ebdca19d91788e1fc225abdf7531ca0b17e035191b325c963c4d6e829d"),
    ])
    func signsAsTheServiceExpects(name: String, digest: String) {
        #expect(parameters(of: url(name, Self.account))["key"] == digest)
    }

    @Test func anotherSecretGivesAnotherSignature() {
        let wrong = Credentials(accountID: "123456", accessKeyID: "AKIDEXAMPLE", secret: "wrongSecret")
        #expect(
            parameters(of: url("www.example.com", wrong))["key"] == "f4b3ee365fb7a22099755e59dde6f85e6eb20b05ae6ed177f7e7386b00b41355")
    }

    @Test func writesTheWholeSignedURL() {
        #expect(
            url("www.example.com", Self.account)
                == "https://dns.alidns.com/resolve?name=www.example.com&type=1&uid=123456&ts=1700000000"
                + "&key=ac878500bfdb83f4fff06180f8488216cf125adfbac20a909e22259df056eaf8&ak=AKIDEXAMPLE")
    }

    @Test func typeIsAskedByNumberAndIsNotSigned() {
        let (four, six) = (parameters(of: url("a.example", Self.account)), parameters(of: url("a.example", Self.account, .aaaa)))
        #expect(four["type"] == "1")
        #expect(six["type"] == "28")
        #expect(four["key"] == six["key"])
    }

    @Test func timeIsSignedInSeconds() {
        let (early, late) = (url("a.example", Self.account), url("a.example", Self.account, at: 1_700_000_001))
        #expect(parameters(of: late)["ts"] == "1700000001")
        #expect(parameters(of: early)["key"] != parameters(of: late)["key"])
    }

    @Test(arguments: [
        nil, Credentials(accountID: ""), Credentials(accountID: "", accessKeyID: "AKIDEXAMPLE", secret: "s3cr3tKeyForDocs"),
    ])
    func withoutAccountNothingIdentifiesUs(credentials: Credentials?) {
        #expect(url("a.example", credentials) == "https://dns.alidns.com/resolve?name=a.example&type=1")
    }

    @Test(arguments: [
        Credentials(accountID: "123456"), Credentials(accountID: "123456", accessKeyID: "AKIDEXAMPLE"),
        Credentials(accountID: "123456", secret: "s3cr3tKeyForDocs"), Credentials(accountID: "123456", accessKeyID: "", secret: "x"),
        Credentials(accountID: "123456", accessKeyID: "AKIDEXAMPLE", secret: ""),
    ])
    func withHalfAKeyOnlyTheAccountIsSent(credentials: Credentials) {
        #expect(url("a.example", credentials) == "https://dns.alidns.com/resolve?name=a.example&type=1&uid=123456")
    }

    @Test func oddCharactersInCredentialsCannotAddParameters() {
        let odd = Credentials(accountID: "1&type=28#", accessKeyID: "A B+é", secret: "s")
        let sent = url("a.example", odd)
        #expect(sent.contains("&uid=1%26type%3D28%23&"))
        #expect(sent.hasSuffix("&ak=A%20B%2B%C3%A9"))
    }

    @Test(arguments: [
        ("http://127.0.0.1:8053", "http://127.0.0.1:8053/resolve?name=a.example&type=1"),
        ("https://[2001:db8::53]/pre/fix/", "https://[2001:db8::53]/pre/fix/resolve?name=a.example&type=1"),
        ("HTTPS://Dns.Example:443", "https://dns.example/resolve?name=a.example&type=1"),
        ("http://dns.example:80/x", "http://dns.example/x/resolve?name=a.example&type=1"),
    ])
    func usesTheConfiguredBaseURL(base: String, expected: String) throws {
        let endpoint = try ProviderEndpoint(url: base)
        let provider = AlibabaPublicDNS(endpoints: [endpoint], hostHasIPv6: false)
        let request = provider.request(Question(name: "a.example", type: .a), endpoint: endpoint, epochSeconds: 0)
        #expect(request.url == expected)
    }

    @Test func aLoggedRequestShowsNeitherKeyNorSignature() {
        let request = AlibabaPublicDNS(credentials: Self.account, hostHasIPv6: false)
            .request(Question(name: "a.example", type: .a), endpoint: endpoint, epochSeconds: 0)
        #expect("\(request)" == "https://dns.alidns.com/resolve")
    }
}

/// Secrets must not get into logs by printing a value that holds them.
@Suite struct CredentialsTests {
    private struct Holder { let credentials: Credentials? }

    @Test func noTextShowsTheSecret() {
        let credentials = SignatureTests.account
        var dumped = ""
        dump(Holder(credentials: credentials), to: &dumped)
        var configuration = ResolverConfiguration()
        configuration.credentials = credentials
        let texts = ["\(credentials)", String(reflecting: credentials), "\(Holder(credentials: credentials))", dumped, "\(configuration)"]
        for text in texts { #expect(!text.contains("s3cr3tKeyForDocs")) }
        #expect("\(credentials)".contains("123456"))
    }
}
