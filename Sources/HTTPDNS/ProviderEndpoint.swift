package import Net

/// One place where a service takes queries: a base URL and the address to connect to.
package struct ProviderEndpoint: Hashable, Sendable, CustomStringConvertible {
    /// How a query travels.
    package enum Scheme: String, Sendable, CaseIterable {
        /// With TLS; the certificate is checked against `host`.
        case https
        /// In the clear.
        case http

        /// 443 or 80.
        package var defaultPort: UInt16 {
            switch self {
            case .https: 443
            case .http: 80
            }
        }
    }

    /// With TLS or in the clear.
    package let scheme: Scheme
    /// The name for URL, SNI and certificate check in canonical form, or an address literal without brackets.
    package let host: String
    /// The port to connect to, 1...65535.
    package let port: UInt16
    /// What stands in front of the service's own path: empty, or "/" with text and no "/" at its end.
    package let path: String
    /// The address to connect to instead of resolving `host`; nil when `host` is a literal or when no address is known yet.
    package let address: IPAddress?

    /// An endpoint from its parts; `host` must be canonical.
    package init(scheme: Scheme, host: String, port: UInt16? = nil, path: String = "", address: IPAddress? = nil) {
        self.scheme = scheme
        self.host = host
        self.port = port ?? scheme.defaultPort
        self.path = path
        self.address = address
    }

    /// An endpoint from a base URL such as "https://dns.alidns.com" or "http://127.0.0.1:8053/prefix": no query, no fragment, no user
    /// information.
    package init(url: String) throws(EndpointError) {
        guard let scheme = Scheme.allCases.first(where: { url.lowercased().hasPrefix($0.rawValue + "://") }) else { throw .scheme }
        let rest = url.dropFirst(scheme.rawValue.count + 3)
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        let authority: Authority
        do throws(AuthorityError) { authority = try Authority(String(rest[..<slash])) } catch { throw .authority(error) }
        var path = rest[slash...]
        guard path.utf8.allSatisfy(isPathByte) else { throw .path }
        while path.last == "/" { path.removeLast() }
        self.init(scheme: scheme, host: authority.host.text, port: authority.port, path: String(path))
    }

    /// The same endpoint, reached at `address`.
    package func pinned(to address: IPAddress) -> ProviderEndpoint {
        ProviderEndpoint(scheme: scheme, host: host, port: port, path: path, address: address)
    }

    /// The address to connect to: the pinned one or the literal in the URL; nil when a name service would be needed first.
    package var dialAddress: IPAddress? { address ?? IPAddress(host) }

    /// Scheme, authority and path without a slash at the end; the default port is left out.
    package var baseURL: String {
        let name = IPAddress(host)?.uriHost ?? host
        let suffix = port == scheme.defaultPort ? "" : ":\(port)"
        return "\(scheme.rawValue)://\(name)\(suffix)\(path)"
    }

    /// The base URL, followed by the pinned address if there is one.
    package var description: String {
        guard let address else { return baseURL }
        return "\(baseURL) at \(address)"
    }
}

/// Why a text is not the base URL of an endpoint.
package enum EndpointError: Error, Equatable, Sendable {
    /// It does not begin with "https://" or "http://".
    case scheme
    /// Host or port are wrong.
    case authority(AuthorityError)
    /// The path holds a query, a fragment or a byte that cannot stand in a path.
    case path

    /// The fault in one line of plain ASCII.
    package var sentence: String {
        switch self {
        case .scheme: "the URL must begin with https:// or http://"
        case .authority(let error): error.sentence
        case .path: "the URL may hold a path, but no query, no fragment and no space"
        }
    }
}

/// The bytes of RFC 3986 3.3 that stand for themselves, the slash, and percent-escapes as written.
private func isPathByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: "/-._~%!$&'()*+,;=:@".utf8.contains(byte)
    }
}
