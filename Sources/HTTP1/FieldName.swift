/// The fields a proxy acts on; every other field is `.other` and passes through.
package enum FieldName: UInt8, Sendable {
    case other
    case connection, keepAlive, proxyConnection, te, trailer, transferEncoding, upgrade, http2Settings
    case proxyAuthorization, proxyAuthenticate, proxyAuthenticationInfo
    case contentLength, contentType, contentEncoding, contentRange
    case host, via, expect, maxForwards, date
    case authorization, cookie, setCookie, wwwAuthenticate, cacheControl

    /// Recognises a field name in any mixture of cases; a name that is not listed, or no token at all, is `.other`.
    package init(_ name: UnsafeRawBufferPointer) {
        guard let base = name.baseAddress else {
            self = .other
            return
        }
        self = FieldName.recognise(base, name.count)
    }

    /// True for fields that speak to the next hop only and never pass through, whether Connection names them or not
    /// (RFC 9110 sections 7.6.1 and 11.7, RFC 9113 section 3.2.1). Upgrade, Trailer and Transfer-Encoding are decided case by case.
    var isHopByHop: Bool {
        switch self {
        case .connection, .keepAlive, .proxyConnection, .te, .http2Settings: true
        case .proxyAuthorization, .proxyAuthenticate, .proxyAuthenticationInfo: true
        default: false
        }
    }

    /// True when Connection may not take this field away: doing so would change the message's framing, its target, or what
    /// the proxy has itself decided from the field (RFC 9110 section 7.6.1).
    var survivesConnection: Bool {
        switch self {
        case .host, .contentLength, .transferEncoding, .expect, .maxForwards, .via: true
        default: false
        }
    }

    /// True for fields that must not act when they arrive in a trailer section: framing, routing, the hop, credentials and
    /// the description of the content (RFC 9110 section 6.5.1).
    var isForbiddenInTrailer: Bool {
        switch self {
        case .other: false
        default: true
        }
    }
}
