import HTTP1

/// What a failure is answered with.
struct FailureRow {
    let status: Int
    let error: String
    let label: String
    let side: FaultSide

    init(_ status: Int, _ error: String, _ label: String, _ side: FaultSide) {
        self.status = status
        self.error = error
        self.label = label
        self.side = side
    }
}

extension ProxyFailure {
    /// The status code of the response.
    package var status: Int { row.status }

    /// The error type of the Proxy-Status field (RFC 9209 2.3).
    package var proxyStatusError: String { row.error }

    /// A short fixed name for metrics and logs, out of a bounded set and different for every case.
    package var label: String { row.label }

    /// Whose doing the failure is.
    package var faultSide: FaultSide { row.side }

    private var row: FailureRow {
        switch self {
        case .badRequest(let error): Self.row(error)
        case .badRequestBody: FailureRow(400, "http_request_error", "bad_request_body", .client)
        case .originForm: FailureRow(400, "http_request_error", "origin_form", .client)
        case .clientTimeout: FailureRow(408, "http_request_error", "client_timeout", .client)
        case .clientDenied: FailureRow(403, "http_request_denied", "client_denied", .client)
        case .destinationDenied(let reason, _): Self.row(reason)
        case .loop: FailureRow(502, "proxy_loop_detected", "loop", .client)
        case .dnsNoSuchName: FailureRow(502, "dns_error", "dns_no_such_name", .client)
        case .dnsNoRecord: FailureRow(502, "dns_error", "dns_no_record", .client)
        case .dnsTimeout: FailureRow(504, "dns_timeout", "dns_timeout", .resolver)
        case .dnsFailure: FailureRow(502, "dns_error", "dns_failure", .resolver)
        case .dnsUnreachable: FailureRow(502, "dns_error", "dns_unreachable", .resolver)
        case .connectRefused: FailureRow(502, "connection_refused", "connect_refused", .origin)
        case .connectTimeout: FailureRow(504, "connection_timeout", "connect_timeout", .origin)
        case .connectUnroutable: FailureRow(502, "destination_ip_unroutable", "connect_unroutable", .proxy)
        case .connectionTerminated: FailureRow(502, "connection_terminated", "connection_terminated", .origin)
        case .tlsCertificate: FailureRow(502, "tls_certificate_error", "tls_certificate", .origin)
        case .tlsProtocol: FailureRow(502, "tls_protocol_error", "tls_protocol", .origin)
        case .tlsAlert: FailureRow(502, "tls_alert_received", "tls_alert", .origin)
        case .responseTimeout: FailureRow(504, "http_response_timeout", "response_timeout", .origin)
        case .responseIncomplete: FailureRow(502, "http_response_incomplete", "response_incomplete", .origin)
        case .responseMalformed: FailureRow(502, "http_protocol_error", "response_malformed", .origin)
        case .responseHeadTooLarge: FailureRow(502, "http_response_header_section_size", "response_head_too_large", .origin)
        case .responseBodyMalformed: FailureRow(502, "http_response_transfer_coding", "response_body_malformed", .origin)
        case .upgradeFailed: FailureRow(502, "http_upgrade_failed", "upgrade_failed", .origin)
        case .parentRefused(let status): Self.row(parentStatus: status)
        case .parentUnreachable: FailureRow(502, "destination_unavailable", "parent_unreachable", .parent)
        case .resourceExhausted: FailureRow(503, "proxy_internal_response", "resource_exhausted", .proxy)
        case .shuttingDown: FailureRow(503, "proxy_internal_response", "shutting_down", .proxy)
        case .internalError: FailureRow(500, "proxy_internal_error", "internal_error", .proxy)
        }
    }

    private static func row(_ error: HeadError) -> FailureRow {
        switch error.status {
        case 414: FailureRow(414, "http_request_error", "request_line_too_long", .client)
        case 417: FailureRow(417, "http_request_error", "expectation_failed", .client)
        case 431: FailureRow(431, "http_request_error", "request_head_too_large", .client)
        case 501: FailureRow(501, "proxy_internal_response", "transfer_coding_unknown", .client)
        case 505: FailureRow(505, "proxy_internal_response", "version_not_supported", .client)
        default: FailureRow(400, "http_request_error", "bad_request", .client)
        }
    }

    private static func row(_ reason: DenialReason) -> FailureRow {
        switch reason {
        case .ownAddress: FailureRow(502, "proxy_loop_detected", "denied_own_address", .client)
        case .metadataName: FailureRow(403, "http_request_denied", "denied_metadata_name", .client)
        default: FailureRow(403, "destination_ip_prohibited", "denied_" + reason.label, .client)
        }
    }

    /// 407 means that the credentials in the proxy's own settings are wrong, which nobody but its operator can put right.
    private static func row(parentStatus status: Int) -> FailureRow {
        status == 407
            ? FailureRow(502, "proxy_configuration_error", "parent_credentials_refused", .proxy)
            : FailureRow(502, "destination_unavailable", "parent_refused", .parent)
    }
}
