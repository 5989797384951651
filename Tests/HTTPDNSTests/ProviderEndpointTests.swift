import HTTPDNS
import Net
import Testing

@Suite struct ProviderEndpointTests {
    @Test(arguments: [
        ("https://dns.alidns.com", "dns.alidns.com", 443, "", "https://dns.alidns.com"),
        ("http://dns.alidns.com", "dns.alidns.com", 80, "", "http://dns.alidns.com"),
        ("https://dns.example:8443/", "dns.example", 8443, "", "https://dns.example:8443"),
        ("https://dns.example/a//", "dns.example", 443, "/a", "https://dns.example/a"),
        ("http://[2001:DB8::1]:8080/p", "2001:db8::1", 8080, "/p", "http://[2001:db8::1]:8080/p"),
        ("http://203.0.113.5", "203.0.113.5", 80, "", "http://203.0.113.5"),
        ("https://DNS.Example.", "dns.example", 443, "", "https://dns.example"),
    ])
    func readsBaseURLs(url: String, host: String, port: UInt16, path: String, base: String) throws {
        let endpoint = try ProviderEndpoint(url: url)
        #expect(endpoint.host == host)
        #expect(endpoint.port == port)
        #expect(endpoint.path == path)
        #expect(endpoint.baseURL == base)
    }

    @Test(arguments: [
        ("", EndpointError.scheme), ("dns.example", .scheme), ("ftp://dns.example", .scheme), ("https:/dns.example", .scheme),
        ("https://", .authority(.empty)), ("https://u@dns.example", .authority(.userinfo)),
        ("https://dns.example:0", .authority(.portOutOfRange)), ("https://dns.example:", .authority(.badPort)),
        ("https://127.1", .authority(.numericHost)), ("https://2001:db8::1", .authority(.badBracket)),
        ("https://dns.example?x=1", .authority(.badCharacter)), ("https://dns.example/p?x=1", .path), ("https://dns.example/p#f", .path),
        ("https://dns.example/a b", .path), ("https://dns.example/\r\nX: y", .path),
    ])
    func refusesWhatIsNoBaseURL(url: String, error: EndpointError) {
        #expect(throws: error) { try ProviderEndpoint(url: url) }
        #expect(!error.sentence.isEmpty)
    }

    @Test func aLiteralNeedsNoNameServiceAndANamedEndpointSaysSo() throws {
        #expect(try ProviderEndpoint(url: "https://203.0.113.5").dialAddress == IPAddress("203.0.113.5"))
        #expect(try ProviderEndpoint(url: "https://[2001:db8::5]").dialAddress == IPAddress("2001:db8::5"))
        let named = try ProviderEndpoint(url: "https://dns.example")
        #expect(named.dialAddress == nil)
        let address = try #require(IPAddress("203.0.113.5"))
        #expect(named.pinned(to: address).dialAddress == address)
        #expect("\(named.pinned(to: address))" == "https://dns.example at 203.0.113.5")
    }

    @Test func theServiceIsReachedWithoutResolvingItsName() {
        let four = AlibabaPublicDNS(hostHasIPv6: false).endpoints
        #expect(four.map { $0.address?.description } == ["223.5.5.5", "223.6.6.6"])
        #expect(four.allSatisfy { $0.scheme == .https && $0.port == 443 && $0.host == "dns.alidns.com" })
        let both = AlibabaPublicDNS(hostHasIPv6: true).endpoints
        #expect(both.map { $0.address?.description } == ["223.5.5.5", "223.6.6.6", "2400:3200::1", "2400:3200:baba::1"])
        let plain = AlibabaPublicDNS.defaultEndpoints(scheme: .http, hostHasIPv6: false)
        #expect(plain.allSatisfy { $0.scheme == .http && $0.port == 80 })
    }

    @Test func theServicesOwnNameInAConfiguredURLIsPinnedToo() throws {
        let configured = try [ProviderEndpoint(url: "http://dns.alidns.com"), ProviderEndpoint(url: "https://dns.example")]
        let endpoints = AlibabaPublicDNS(endpoints: configured, hostHasIPv6: false).endpoints
        #expect(
            endpoints.map(\.description) == [
                "http://dns.alidns.com at 223.5.5.5", "http://dns.alidns.com at 223.6.6.6", "https://dns.example",
            ])
    }

    @Test func theConfigurationChoosesTheService() throws {
        var configuration = ResolverConfiguration()
        #expect(configuration.makeProvider()?.name == "alibaba-public-dns")
        #expect(configuration.makeProvider()?.endpoints.count == 2)
        configuration.hostHasIPv6 = true
        #expect(configuration.makeProvider()?.endpoints.count == 4)
        configuration.endpoints = [try ProviderEndpoint(url: "http://127.0.0.1:8053")]
        #expect(configuration.makeProvider()?.endpoints == configuration.endpoints)
        configuration.credentials = SignatureTests.account
        let request = configuration.makeProvider()?
            .request(Question(name: "a.example", type: .a), endpoint: configuration.endpoints[0], epochSeconds: 1)
        #expect(request?.url.contains("&key=") == true)
        configuration.provider = .none
        #expect(configuration.makeProvider() == nil)
    }
}
