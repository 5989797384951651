import HTTPDNS
import Net
import Testing

/// Names that must never be sent to a public service.
@Suite struct LocalNamesTests {
    @Test(arguments: [
        "printer", "localhost", "app.localhost", "a.b.localhost", "printer.local", "local", "db.internal", "metadata.google.internal",
        "api.default.svc", "api.default.svc.cluster.local", "nas.home.arpa", "home.arpa",
    ])
    func stayLocal(name: String) { #expect(LocalNames().staysLocal(name)) }

    @Test(arguments: [
        "example.com", "notlocal.example", "xlocal.com", "local.example.com", "foo.notlocal", "a.xinternal", "svc.example", "arpa.example",
        "example.arpa", "xhome.arpa", "mylocalhost.com", "localhost.example.com", "a.notlocalhost",
    ])
    func goToTheService(name: String) { #expect(!LocalNames().staysLocal(name)) }

    @Test func configuredPatternsAreAdded() throws {
        let names = LocalNames(extra: try [".corp.example", "*.lan", "one.test"].map { try #require(NamePattern($0)) })
        for name in ["corp.example", "www.corp.example", "nas.lan", "one.test", "printer.local"] { #expect(names.staysLocal(name)) }
        for name in ["xcorp.example", "two.test", "x.one.test", "nas.xlan"] { #expect(!names.staysLocal(name)) }
    }

    @Test(arguments: ["localhost", "app.localhost"])
    func localhostIsLoopbackWithoutAskingAnyone(name: String) {
        let scene = ResolverScene()
        #expect(Client(scene, name).addresses == ["::1", "127.0.0.1"])
        #expect(Client(scene, name, .ipv4).addresses == ["127.0.0.1"])
        #expect(Client(scene, name, .ipv6).addresses == ["::1"])
        #expect(Client(scene, name).resolution?.source == .local)
        #expect(scene.transport.sent.isEmpty)
        #expect(scene.local.asked.isEmpty)
    }

    @Test(arguments: ["127.0.0.1", "192.0.2.1", "2001:db8::1", "::1"])
    func anAddressIsNotLookedUp(literal: String) {
        let scene = ResolverScene()
        let client = Client(scene, literal)
        #expect(client.addresses == [literal])
        #expect(client.resolution?.source == .literal)
        #expect(scene.transport.sent.isEmpty)
        #expect(scene.local.asked.isEmpty)
    }

    @Test(arguments: ["printer", "printer.local", "db.internal", "api.default.svc"])
    func localNamesAreAskedLocallyOnlyEvenWithoutFallback(name: String) {
        let scene = ResolverScene { $0.fallback = .none }
        let client = Client(scene, name)
        scene.clock.advance(by: .seconds(1))
        #expect(client.addresses == ["2001:db8:1::1", "198.51.100.1"])
        #expect(client.resolution?.source == .local)
        #expect(scene.transport.sent.isEmpty)
        #expect(scene.observer.fallbacks.isEmpty)
    }

    @Test func localNamesKeepTheirOwnTTLAndHostsEntriesAShortOne() {
        let scene = ResolverScene()
        scene.local.script = { question in
            .reply(.addresses([ResolverScene.localAddress(question.type)]), ttl: 300, fromHosts: question.name == "hosts.local")
        }
        let (dns, hosts) = (Client(scene, "dns.local", .ipv4), Client(scene, "hosts.local", .ipv4))
        scene.clock.advance(by: .milliseconds(10))
        #expect(dns.resolution?.ttl == .seconds(300))
        #expect(hosts.resolution?.ttl == .seconds(5))
        #expect(hosts.resolution?.source == .hosts)
    }

    @Test func withoutProviderEverythingIsAskedLocally() {
        let scene = ResolverScene(hasProvider: false) { $0.fallback = .none }
        let client = Client(scene, "www.example.com")
        scene.clock.advance(by: .milliseconds(10))
        #expect(client.resolution?.source == .local)
        #expect(client.resolution?.ttl == .seconds(300))
        #expect(scene.observer.fallbacks.isEmpty)
    }
}
