import HTTP1
import Net
import Testing

@testable import Policy

@Suite("The table of failures")
struct ProxyFailureTests {
    /// The error types of RFC 9209 2.3.
    private static let registered: Set<String> = [
        "dns_timeout", "dns_error", "destination_not_found", "destination_unavailable", "destination_ip_prohibited",
        "destination_ip_unroutable",
        "connection_refused", "connection_terminated", "connection_timeout", "connection_read_timeout",
        "connection_write_timeout",
        "connection_limit_reached", "tls_protocol_error", "tls_certificate_error", "tls_alert_received", "http_request_error",
        "http_request_denied", "http_response_incomplete", "http_response_header_section_size", "http_response_header_size",
        "http_response_body_size", "http_response_trailer_section_size", "http_response_trailer_size",
        "http_response_transfer_coding",
        "http_response_content_coding", "http_response_timeout", "http_upgrade_failed", "http_protocol_error",
        "proxy_internal_response",
        "proxy_internal_error", "proxy_configuration_error", "proxy_loop_detected",
    ]

    @Test("Every case has a row, and no row is there twice")
    func isComplete() {
        #expect(Set(FailureSamples.all.map { FailureSamples.position($0.failure) }) == Set(0..<FailureSamples.positions))
        #expect(Set(FailureSamples.all.map(\.failure.label)).count == FailureSamples.all.count)
        #expect(Set(FailureSamples.all.map(\.failure.sentence)).count == FailureSamples.all.count)
    }

    @Test("Each failure is answered as its row says", arguments: FailureSamples.all)
    func isAnswered(row: FailureSamples.Row) {
        #expect(row.failure.status == row.status)
        #expect(row.failure.proxyStatusError == row.error)
        #expect(row.failure.label == row.label)
        #expect(row.failure.faultSide == row.side)
        #expect(Self.registered.contains(row.error))
        #expect(ReasonPhrase.text(row.status) != "Error")
    }

    @Test("Each failure says what happened in one line that a terminal can show", arguments: FailureSamples.all)
    func isExplained(row: FailureSamples.Row) {
        let sentence = row.failure.sentence
        #expect(sentence.utf8.count > 20 && sentence.utf8.count <= 600)
        #expect(sentence.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7f })
        #expect(sentence != "This proxy failed.")
        #expect(row.label.utf8.allSatisfy { $0 == UInt8(ascii: "_") || ($0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z")) })
    }

    @Test(
        "The sentence tells the particulars",
        arguments: [
            (.badRequest(.missingHost), HeadError.missingHost.sentence),
            (.badRequest(.badHost(.userinfo)), AuthorityError.userinfo.sentence),
            (.badRequestBody("the chunk size is not hexadecimal"), "the chunk size is not hexadecimal"),
            (.originForm, "CONNECT"),
            (.clientDenied(IPAddress(ipv4: 0x0a01_0203)), "10.1.2.3"), (.clientDenied(IPAddress(ipv4: 1)), "--allow-client"),
            (
                .destinationDenied(.loopback, destination: "a.test (127.0.0.1)"),
                "a.test (127.0.0.1) is refused because it is a loopback address"
            ),
            (.destinationDenied(.privateRange, destination: "x"), "--allow-destination"),
            (.destinationDenied(.ownAddress, destination: "x"), "loop"),
            (.dnsNoSuchName("nope.test"), "nope.test does not exist"), (.dnsFailure("a.test", rcode: "SERVFAIL"), "SERVFAIL"),
            (.dnsUnreachable("a.test", reason: "no route"), "no route"),
            (.connectRefused(destination: "127.0.0.2:81"), "127.0.0.2:81"),
            (.tlsCertificate(destination: "a.test:443", reason: "it has expired"), "it has expired"),
            (.responseMalformed(.bareLF, destination: "a.test:80"), HeadError.bareLF.sentence),
            (.parentRefused(status: 503), "503"),
            (.parentRefused(status: 407), "credentials"), (.resourceExhausted("descriptors"), "descriptors"),
            (.internalError("oops"), "oops"),
        ] as [(ProxyFailure, String)])
    func tellsParticulars(failure: ProxyFailure, part: String) {
        #expect(failure.sentence.contains(part), "\(failure.sentence)")
    }

    @Test("An exemption is never offered where none exists")
    func offersNoFalseHope() {
        #expect(!ProxyFailure.destinationDenied(.ownAddress, destination: "x").sentence.contains("--allow-destination"))
    }

    @Test("Every fault of a request head becomes a client error or says what is not implemented")
    func keepsHeadStatus() {
        for error in [
            HeadError.badTarget, .missingHost, .badHost(.zone), .badAuthority(.empty), .tooManyFields, .requestLineTooLong,
            .versionNotSupported,
        ] {
            #expect(ProxyFailure.badRequest(error).status == error.status)
            #expect(ProxyFailure.responseMalformed(error, destination: "a.test").status == 502)
        }
    }
}

@Suite("Proxy-Status")
struct ProxyStatusTests {
    @Test(
        "The field names this proxy, the error and what belongs to it",
        arguments: [
            (.dnsNoSuchName("a.test"), "httpdns-proxy; error=dns_error; rcode=\"NXDOMAIN\"; details=\""),
            (.dnsNoRecord("a.test"), "httpdns-proxy; error=dns_error; rcode=\"NOERROR\"; details=\""),
            (.dnsFailure("a.test", rcode: "REFUSED"), "httpdns-proxy; error=dns_error; rcode=\"REFUSED\"; details=\""),
            (.dnsFailure("a.test", rcode: "A\"B\\C\u{e9}"), "httpdns-proxy; error=dns_error; rcode=\"A\\\"B\\\\C??\"; details=\""),
            (.dnsUnreachable("a.test", reason: "x"), "httpdns-proxy; error=dns_error; details=\""),
            (.dnsTimeout("a.test"), "httpdns-proxy; error=dns_timeout; details=\""),
            (.parentRefused(status: 407), "httpdns-proxy; error=proxy_configuration_error; received-status=407; details=\""),
            (.loop, "httpdns-proxy; error=proxy_loop_detected; details=\""),
        ] as [(ProxyFailure, String)])
    func begins(failure: ProxyFailure, expected: String) {
        #expect(failure.proxyStatus.hasPrefix(expected), "\(failure.proxyStatus)")
        #expect(failure.proxyStatus.hasSuffix("\""))
    }

    @Test("Every value is one well-formed item, and its details are the sentence", arguments: FailureSamples.all)
    func parses(row: FailureSamples.Row) throws {
        let item = try #require(StructuredItem(row.failure.proxyStatus))
        #expect(item.token == "httpdns-proxy")
        #expect(item.parameters.first?.key == "error" && item.parameters.first?.value == row.error)
        #expect(item.parameters.last?.key == "details" && item.parameters.last?.value == row.failure.sentence)
        #expect(
            item.parameters.dropFirst().dropLast().map(\.key)
                == row.failure.proxyStatusParameters.map { String($0.text.prefix { $0 != "=" }) })
    }
}
