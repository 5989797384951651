import EventLoop
import HTTPDNS
import Net
import Policy
import Testing
import Upstream

@testable import ProxyServer

@Suite("What failures of look-ups and dials mean to a client")
struct FailureMappingTests {
    @Test(
        "look-ups",
        arguments: [
            (ResolutionFailure.noSuchName, 502, "dns_error"), (.noRecord, 502, "dns_error"), (.timedOut, 504, "dns_timeout"),
            (.serverFailure(rcode: "SERVFAIL"), 502, "dns_error"), (.refused, 502, "dns_error"),
        ])
    func lookUps(failure: ResolutionFailure, status: Int, token: String) {
        let mapped = ProxyFailure(failure, name: "a.test")
        #expect(mapped.status == status)
        #expect(mapped.proxyStatusError == token)
        #expect(mapped.sentence.contains("a.test"))
    }

    @Test(
        "dials",
        arguments: [
            (DialFailure.refused(nil), 502, "connection_refused"), (.timedOut(nil), 504, "connection_timeout"),
            (.unreachable(nil, "no route"), 502, "destination_ip_unroutable"), (.certificate("expired"), 502, "tls_certificate_error"),
            (.tls("wrong version number"), 502, "tls_protocol_error"), (.tls("alert handshake failure"), 502, "tls_alert_received"),
            (.exhausted(SystemError(call: "socket", number: 24)), 503, "proxy_internal_response"),
        ])
    func dials(failure: DialFailure, status: Int, token: String) {
        let mapped = ProxyFailure(failure, destination: "a.test:443")
        #expect(mapped.status == status)
        #expect(mapped.proxyStatusError == token)
    }

    @Test("what is asked for follows the networks that the host reaches")
    func families() {
        #expect(HostStack(reachesIPv4: true, reachesIPv6: true).families == .both)
        #expect(HostStack(reachesIPv4: true, reachesIPv6: false).families == .ipv4)
        #expect(HostStack(reachesIPv4: false, reachesIPv6: true).families == .ipv6)
        #expect(HostStack(reachesIPv4: false, reachesIPv6: false).families == .ipv4)
    }

    @Test("a mixed or unknown origin is judged like an outside one")
    func origins() {
        #expect(AddressOrigin(.httpdns) == .httpdns)
        #expect(AddressOrigin(.cache) == .httpdns)
        #expect(AddressOrigin(.hosts) == .hosts)
        #expect(AddressOrigin(.local) == .local)
        #expect(AddressOrigin(.literal) == .literal)
    }
}
