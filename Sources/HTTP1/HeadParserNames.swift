// Bounds: `base` points at `count` readable bytes, and `Bytes.equals` reads no more than that.

extension FieldName {
    /// Picks the one candidate that the length and the first letter leave, and compares it.
    static func recognise(_ base: UnsafeRawPointer, _ count: Int) -> FieldName {
        guard count >= 2 && count <= 25 else { return .other }
        let first = Bytes.load(base, 0) | 0x20
        func letter(_ wanted: Unicode.Scalar) -> Bool { first == UInt8(ascii: wanted) }
        func check(_ text: StaticString, _ name: FieldName) -> FieldName {
            Bytes.equals(base, count, ignoringCase: text) ? name : .other
        }
        switch count {
        case 2: return check("te", .te)
        case 3: return check("via", .via)
        case 4: return letter("h") ? check("host", .host) : check("date", .date)
        case 6: return letter("c") ? check("cookie", .cookie) : check("expect", .expect)
        case 7: return letter("t") ? check("trailer", .trailer) : check("upgrade", .upgrade)
        case 10:
            if letter("c") { return check("connection", .connection) }
            return letter("k") ? check("keep-alive", .keepAlive) : check("set-cookie", .setCookie)
        case 12: return letter("c") ? check("content-type", .contentType) : check("max-forwards", .maxForwards)
        case 13:
            if letter("a") { return check("authorization", .authorization) }
            let isRange = letter("c") && Bytes.load(base, 1) | 0x20 == UInt8(ascii: "o")
            return isRange ? check("content-range", .contentRange) : check("cache-control", .cacheControl)
        case 14: return letter("c") ? check("content-length", .contentLength) : check("http2-settings", .http2Settings)
        case 16:
            if letter("p") { return check("proxy-connection", .proxyConnection) }
            return letter("c") ? check("content-encoding", .contentEncoding) : check("www-authenticate", .wwwAuthenticate)
        case 17: return check("transfer-encoding", .transferEncoding)
        case 18: return check("proxy-authenticate", .proxyAuthenticate)
        case 19: return check("proxy-authorization", .proxyAuthorization)
        case 25: return check("proxy-authentication-info", .proxyAuthenticationInfo)
        default: return .other
        }
    }
}

extension Method {
    /// The method a request line names; methods are case-sensitive (RFC 9110 section 9.1).
    package init(_ name: UnsafeRawBufferPointer) {
        func check(_ text: StaticString, _ method: Method) -> Method {
            let wanted = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
            return Bytes.same(name, wanted) ? method : .other
        }
        guard let first = name.first else {
            self = .other
            return
        }
        switch (name.count, first) {
        case (3, UInt8(ascii: "G")): self = check("GET", .get)
        case (3, _): self = check("PUT", .put)
        case (4, UInt8(ascii: "P")): self = check("POST", .post)
        case (4, _): self = check("HEAD", .head)
        case (5, UInt8(ascii: "P")): self = check("PATCH", .patch)
        case (5, _): self = check("TRACE", .trace)
        case (6, _): self = check("DELETE", .delete)
        case (7, UInt8(ascii: "C")): self = check("CONNECT", .connect)
        case (7, _): self = check("OPTIONS", .options)
        default: self = .other
        }
    }
}
