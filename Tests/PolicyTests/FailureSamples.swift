import HTTP1
import Net
import Testing

@testable import Policy

/// Every case of `ProxyFailure`, cases whose answer depends on their payload with each kind of payload.
enum FailureSamples {
    struct Row: CustomTestStringConvertible, Sendable {
        let failure: ProxyFailure
        let status: Int
        let error: String
        let label: String
        let side: FaultSide

        var testDescription: String { label }

        init(_ failure: ProxyFailure, _ status: Int, _ error: String, _ label: String, _ side: FaultSide) {
            self.failure = failure
            self.status = status
            self.error = error
            self.label = label
            self.side = side
        }
    }

    static let all = client + denied + lookup + connect + response + proxy

    static let client = [
        Row(.badRequest(.badTarget), 400, "http_request_error", "bad_request", .client),
        Row(.badRequest(.requestLineTooLong), 414, "http_request_error", "request_line_too_long", .client),
        Row(.badRequest(.headTooLarge), 431, "http_request_error", "request_head_too_large", .client),
        Row(.badRequest(.expectationFailed), 417, "http_request_error", "expectation_failed", .client),
        Row(.badRequest(.transferCodingNotImplemented), 501, "proxy_internal_response", "transfer_coding_unknown", .client),
        Row(.badRequest(.versionNotSupported), 505, "proxy_internal_response", "version_not_supported", .client),
        Row(.badRequestBody("bad chunk size"), 400, "http_request_error", "bad_request_body", .client),
        Row(.originForm, 400, "http_request_error", "origin_form", .client),
        Row(.clientTimeout, 408, "http_request_error", "client_timeout", .client),
        Row(.clientDenied(IPAddress(ipv4: 0x0a00_0001)), 403, "http_request_denied", "client_denied", .client),
        Row(.loop, 502, "proxy_loop_detected", "loop", .client),
    ]

    static let denied = DenialReason.allCases.map { reason in
        let status = reason == .ownAddress ? 502 : 403
        let error: String =
            switch reason {
            case .ownAddress: "proxy_loop_detected"
            case .metadataName: "http_request_denied"
            default: "destination_ip_prohibited"
            }
        return Row(.destinationDenied(reason, destination: "a.test (10.0.0.1)"), status, error, "denied_" + reason.label, .client)
    }

    static let lookup = [
        Row(.dnsNoSuchName("a.test"), 502, "dns_error", "dns_no_such_name", .client),
        Row(.dnsNoRecord("a.test"), 502, "dns_error", "dns_no_record", .client),
        Row(.dnsTimeout("a.test"), 504, "dns_timeout", "dns_timeout", .resolver),
        Row(.dnsFailure("a.test", rcode: "SERVFAIL"), 502, "dns_error", "dns_failure", .resolver),
        Row(.dnsUnreachable("a.test", reason: "connection refused"), 502, "dns_error", "dns_unreachable", .resolver),
    ]

    static let connect = [
        Row(.connectRefused(destination: "a.test:80"), 502, "connection_refused", "connect_refused", .origin),
        Row(.connectTimeout(destination: "a.test:80"), 504, "connection_timeout", "connect_timeout", .origin),
        Row(.connectUnroutable(destination: "a.test:80"), 502, "destination_ip_unroutable", "connect_unroutable", .proxy),
        Row(.connectionTerminated(destination: "a.test:80"), 502, "connection_terminated", "connection_terminated", .origin),
        Row(.tlsCertificate(destination: "a.test:443", reason: "it has expired"), 502, "tls_certificate_error", "tls_certificate", .origin),
        Row(.tlsProtocol(destination: "a.test:443", reason: "wrong version"), 502, "tls_protocol_error", "tls_protocol", .origin),
        Row(.tlsAlert(destination: "a.test:443", reason: "handshake failure"), 502, "tls_alert_received", "tls_alert", .origin),
    ]

    static let response = [
        Row(.responseTimeout(destination: "a.test:80"), 504, "http_response_timeout", "response_timeout", .origin),
        Row(.responseIncomplete(destination: "a.test:80"), 502, "http_response_incomplete", "response_incomplete", .origin),
        Row(.responseMalformed(.bareLF, destination: "a.test:80"), 502, "http_protocol_error", "response_malformed", .origin),
        Row(
            .responseHeadTooLarge(destination: "a.test:80"), 502, "http_response_header_section_size",
            "response_head_too_large", .origin),
        Row(
            .responseBodyMalformed("bad chunk size", destination: "a.test:80"), 502, "http_response_transfer_coding",
            "response_body_malformed", .origin),
        Row(.upgradeFailed(destination: "a.test:80"), 502, "http_upgrade_failed", "upgrade_failed", .origin),
    ]

    static let proxy = [
        Row(.parentRefused(status: 403), 502, "destination_unavailable", "parent_refused", .parent),
        Row(.parentRefused(status: 407), 502, "proxy_configuration_error", "parent_credentials_refused", .proxy),
        Row(.parentUnreachable(reason: "connection refused"), 502, "destination_unavailable", "parent_unreachable", .parent),
        Row(.resourceExhausted("descriptors"), 503, "proxy_internal_response", "resource_exhausted", .proxy),
        Row(.shuttingDown, 503, "proxy_internal_response", "shutting_down", .proxy),
        Row(.internalError("no worker"), 500, "proxy_internal_error", "internal_error", .proxy),
    ]

    /// The position of a case. A new case does not compile until it has one here, and then `all` must have a row for it.
    static func position(_ failure: ProxyFailure) -> Int {
        switch failure {
        case .badRequest: 0
        case .badRequestBody: 1
        case .originForm: 2
        case .clientTimeout: 3
        case .clientDenied: 4
        case .destinationDenied: 5
        case .loop: 6
        case .dnsNoSuchName: 7
        case .dnsNoRecord: 8
        case .dnsTimeout: 9
        case .dnsFailure: 10
        case .dnsUnreachable: 11
        case .connectRefused: 12
        case .connectTimeout: 13
        case .connectUnroutable: 14
        case .connectionTerminated: 15
        case .tlsCertificate: 16
        case .tlsProtocol: 17
        case .tlsAlert: 18
        case .responseTimeout: 19
        case .responseIncomplete: 20
        case .responseMalformed: 21
        case .responseHeadTooLarge: 22
        case .responseBodyMalformed: 23
        case .upgradeFailed: 24
        case .parentRefused: 25
        case .parentUnreachable: 26
        case .resourceExhausted: 27
        case .shuttingDown: 28
        case .internalError: 29
        }
    }

    static let positions = 30
}
