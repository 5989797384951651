import EventLoop
import HTTPDNS
import Net
import Policy
import Testing
import Upstream

@testable import ProxyServer

@Suite("Every failure of a look-up or dial has its own meaning")
struct FailureTableTests {
    @Test(
        "look-ups",
        arguments: [
            (ResolutionFailure.noSuchName, ProxyFailure.dnsNoSuchName("a.test")), (.noRecord, .dnsNoRecord("a.test")),
            (.timedOut, .dnsTimeout("a.test")), (.serverFailure(rcode: "SERVFAIL"), .dnsFailure("a.test", rcode: "SERVFAIL")),
            (.refused, .dnsFailure("a.test", rcode: "REFUSED")),
            (.unreachable(reason: "no server"), .dnsUnreachable("a.test", reason: "no server")), (.cancelled, .shuttingDown),
        ])
    func lookUps(failure: ResolutionFailure, meaning: ProxyFailure) {
        #expect(ProxyFailure(failure, name: "a.test") == meaning)
    }

    private static let address = IPAddress(ipv4: 0xc000_0201)

    @Test(
        "dials",
        arguments: [
            (DialFailure.refused(address), ProxyFailure.connectRefused(destination: "a.test:1")),
            (.timedOut(address), .connectTimeout(destination: "a.test:1")),
            (.unreachable(address, "no route"), .connectUnroutable(destination: "a.test:1")),
            (.certificate("expired"), .tlsCertificate(destination: "a.test:1", reason: "expired")),
            (.tls("wrong version number"), .tlsProtocol(destination: "a.test:1", reason: "wrong version number")),
            (.tls("tlsv1 alert internal error"), .tlsAlert(destination: "a.test:1", reason: "tlsv1 alert internal error")),
            (.parent(status: 407, "no"), .parentRefused(status: 407)), (.parent(status: 502, "no"), .parentRefused(status: 502)),
            (.parent(status: 0, "not SOCKS"), .parentUnreachable(reason: "not SOCKS")),
            (.parentUnreachable("refused"), .parentUnreachable(reason: "refused")),
            (.exhausted(SystemError(call: "socket", number: 24)), .resourceExhausted("Too many open files")),
            (.cancelled, .internalError("the dial was given up")), (.fault("odd"), .internalError("odd")),
        ])
    func dials(failure: DialFailure, meaning: ProxyFailure) {
        #expect(ProxyFailure(failure, destination: "a.test:1") == meaning)
    }

    @Test("a name in libcurl's words is not taken for an alert")
    func nameLikeAnAlert() {
        let text = "OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to alert.test:443 "
        let failure = ProxyFailure(DialFailure.tls(text), destination: "alert.test:443")
        #expect(failure == .tlsProtocol(destination: "alert.test:443", reason: text))
    }

    @Test(
        "the access line says where an address came from",
        arguments: [
            (AnswerSource.httpdns, AccessRecord.DNS.httpdns), (.local, .local), (.hosts, .hosts), (.literal, .literal), (.cache, .cache),
        ])
    func sources(source: AnswerSource, written: AccessRecord.DNS) {
        func resolution(fromCache: Bool) -> Resolution {
            Resolution(
                addresses: [FailureTableTests.address], source: source, fromCache: fromCache, stale: false, ttl: .zero, elapsed: .zero)
        }
        #expect(AccessRecord.DNS(resolution(fromCache: false)) == written)
        #expect(AccessRecord.DNS(resolution(fromCache: true)) == .cache)
    }
}
