package import Net
package import Upstream

/// The proxy that this one sends everything through.
package struct ParentProxy: Hashable, Sendable, CustomStringConvertible {
    /// What is spoken to the parent, by libcurl's names.
    package enum Scheme: String, Sendable, CaseIterable {
        case http, https, socks5, socks5h

        var defaultPort: UInt16 {
            switch self {
            case .http: 3128
            case .https: 443
            case .socks5, .socks5h: 1080
            }
        }
    }

    /// What is spoken to the parent.
    package let scheme: Scheme
    /// The parent's host.
    package let host: Host
    /// The parent's port.
    package let port: UInt16
    /// User and password, where the URL names them.
    package let credentials: ParentCredentials?

    /// From `scheme://[user:password@]host[:port]`; user and password may be percent-encoded. Default ports: 3128 for http, 443 for https,
    /// 1080 for socks5 and socks5h.
    package init(url: String) throws(ParentProxyError) {
        guard let separator = url.firstRange(of: "://"), let scheme = Scheme(rawValue: url[..<separator.lowerBound].lowercased()) else {
            throw .scheme
        }
        var rest = url[separator.upperBound...]
        if rest.last == "/" { rest.removeLast() }
        guard !rest.contains("/"), !rest.contains("?"), !rest.contains("#") else { throw .path }
        var credentials: ParentCredentials?
        if let at = rest.lastIndex(of: "@") {
            credentials = try ParentProxy.credentials(rest[..<at])
            rest = rest[rest.index(after: at)...]
        }
        let authority: Authority
        do throws(AuthorityError) { authority = try Authority(String(rest)) } catch { throw .authority(error) }
        self.scheme = scheme
        self.credentials = credentials
        host = authority.host
        port = authority.port ?? scheme.defaultPort
    }

    /// Without user and password.
    package var description: String { "\(scheme.rawValue)://\(host.uriText):\(port)" }

    /// Whether plain requests are sent to the parent in absolute form, as an HTTP proxy takes them.
    var takesAbsoluteForm: Bool { scheme == .http || scheme == .https }

    /// The hop as the dialer wants it. A SOCKS parent gets the name too: `socks5` is treated as `socks5h`, because nothing is resolved here.
    func hop(tunnels: Bool) -> ParentHop {
        let spoken = scheme == .socks5 ? "socks5h" : scheme.rawValue
        return ParentHop(
            url: "\(spoken)://\(host.uriText):\(port)", host: host.text, port: port, credentials: credentials,
            tunnels: tunnels && takesAbsoluteForm)
    }

    private static func credentials(_ text: Substring) throws(ParentProxyError) -> ParentCredentials {
        let colon = text.firstIndex(of: ":") ?? text.endIndex
        let password = colon < text.endIndex ? text[text.index(after: colon)...] : ""
        guard let user = percentDecoded(text[..<colon]), let secret = percentDecoded(password) else { throw .credentials }
        // Basic credentials end the user at the first colon (RFC 7617 section 2).
        guard !user.contains(":") else { throw .credentials }
        return ParentCredentials(user: user, password: secret)
    }

    private static func percentDecoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let pair = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16), rest.count >= 2 else { return nil }
            bytes.append(pair)
            rest.removeFirst(2)
        }
        return bytes.contains { $0 < 0x20 || $0 == 0x7f } ? nil : String(validating: bytes, as: UTF8.self)
    }
}

/// Why a text is not the URL of a parent proxy.
package enum ParentProxyError: Error, Equatable, Sendable {
    case scheme
    case path
    case credentials
    case authority(AuthorityError)

    /// What is wrong, in one line.
    package var sentence: String {
        switch self {
        case .scheme: "the URL must begin with http://, https://, socks5:// or socks5h://"
        case .path: "the URL must end after the port"
        case .credentials: "user or password holds a broken percent escape or a control character, or the user holds a colon"
        case .authority(let error): error.sentence
        }
    }
}
