import HTTP1
import Net

extension ProxyFailure {
    /// One line of printable ASCII for the person who reads it: what happened, whose fault it is, what to do. At most 600 bytes.
    package var sentence: String {
        PlainText.clean(requestSentence ?? lookupSentence ?? connectSentence ?? responseSentence ?? proxySentence, limit: 600)
    }

    private var requestSentence: String? {
        switch self {
        case .badRequest(let error): "Bad request: \(error.sentence)"
        case .badRequestBody(let fault): "The request body is malformed: \(Self.cut(fault))"
        case .originForm:
            "This is a forward proxy, not a web server: send an absolute target such as GET http://example.com/ or use CONNECT "
                + "(for curl: -x http://this-proxy http://example.com/)."
        case .clientTimeout: "The request did not arrive completely in time."
        case .clientDenied(let address): "Clients at \(address) may not use this proxy; its operator can admit them with --allow-client."
        case .destinationDenied(let reason, let destination): Self.denial(reason, Self.cut(destination))
        case .loop: "The request has already passed through this proxy (its Via field says so); check which proxy the next one uses."
        default: nil
        }
    }

    private static func denial(_ reason: DenialReason, _ destination: String) -> String {
        let refusal = "The destination \(destination) is refused because \(reason.sentence)"
        return reason == .ownAddress
            ? refusal + ", so the request would loop."
            : refusal + "; the operator of this proxy can exempt it with --allow-destination."
    }

    private var lookupSentence: String? {
        switch self {
        case .dnsNoSuchName(let name): "The name \(Self.cut(name)) does not exist; check its spelling."
        case .dnsNoRecord(let name): "The name \(Self.cut(name)) exists but has no address that can be used here."
        case .dnsTimeout(let name): "No resolver answered for \(Self.cut(name)) in time; try again later."
        case .dnsFailure(let name, let rcode): "The resolver could not answer for \(Self.cut(name)): \(Self.cut(rcode))."
        case .dnsUnreachable(let name, let reason): "No resolver could be reached for \(Self.cut(name)): \(Self.cut(reason))."
        default: nil
        }
    }

    private var connectSentence: String? {
        switch self {
        case .connectRefused(let destination): "\(Self.cut(destination)) refused the connection; is the server running and the port right?"
        case .connectTimeout(let destination): "\(Self.cut(destination)) did not accept the connection in time."
        case .connectUnroutable(let destination): "There is no route from this proxy to \(Self.cut(destination))."
        case .connectionTerminated(let destination): "\(Self.cut(destination)) closed the connection without an answer."
        case .tlsCertificate(let destination, let reason):
            "The certificate of \(Self.cut(destination)) cannot be trusted: \(Self.cut(reason))."
        case .tlsProtocol(let destination, let reason): "The TLS handshake with \(Self.cut(destination)) failed: \(Self.cut(reason))."
        case .tlsAlert(let destination, let reason): "\(Self.cut(destination)) ended the TLS handshake with an alert: \(Self.cut(reason))."
        default: nil
        }
    }

    private var responseSentence: String? {
        switch self {
        case .responseTimeout(let destination): "\(Self.cut(destination)) accepted the request but did not answer in time."
        case .responseIncomplete(let destination): "\(Self.cut(destination)) closed the connection in the middle of its response."
        case .responseMalformed(let error, let destination):
            "\(Self.cut(destination)) sent a response that is not valid HTTP/1: \(error.sentence)"
        case .responseHeadTooLarge(let destination): "\(Self.cut(destination)) sent a response head larger than this proxy takes."
        case .responseBodyMalformed(let fault, let destination):
            "\(Self.cut(destination)) sent a response body with broken chunked coding: \(Self.cut(fault))"
        case .upgradeFailed(let destination): "\(Self.cut(destination)) switched to a protocol that the request did not ask for."
        default: nil
        }
    }

    private var proxySentence: String {
        switch self {
        case .parentRefused(407): "The parent proxy refused the credentials it was given; the operator of this proxy must correct them."
        case .parentRefused(let status): "The parent proxy refused to connect and answered with status \(status)."
        case .parentUnreachable(let reason): "The parent proxy could not be used: \(Self.cut(reason))."
        case .resourceExhausted(let resource): "This proxy is out of resources (\(Self.cut(resource))); try again later."
        case .shuttingDown: "This proxy is shutting down; send the request again."
        case .internalError(let fault): "This proxy failed: \(Self.cut(fault)). This is a fault of the proxy; please report it."
        default: "This proxy failed."
        }
    }

    private static func cut(_ text: String) -> String {
        PlainText.clean(text, limit: 260)
    }
}

/// Text from outside made fit for a response head, a response body and a log line.
enum PlainText {
    /// `text` with every byte outside printable ASCII replaced by "?", cut to `limit` bytes.
    static func clean(_ text: String, limit: Int) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8.prefix(limit) { bytes.append(byte >= 0x20 && byte < 0x7f ? byte : UInt8(ascii: "?")) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
