import Net

/// Alibaba Cloud Public DNS over its JSON API (vendor documentation "DoH JSON API").
package struct AlibabaPublicDNS: Provider {
    /// The name of the service in URL, SNI and certificate.
    package static let serviceHost = "dns.alidns.com"

    private static let ipv4Bootstrap = [IPAddress(ipv4: 0xdf05_0505), IPAddress(ipv4: 0xdf06_0606)]
    private static let ipv6Bootstrap = [
        IPAddress(ipv6High: 0x2400_3200_0000_0000, low: 1), IPAddress(ipv6High: 0x2400_3200_baba_0000, low: 1),
    ]

    /// "alibaba-public-dns".
    package let name = ProviderKind.alibabaPublicDNS.rawValue
    /// The configured endpoints, or the service's own.
    package let endpoints: [ProviderEndpoint]
    private let credentials: Credentials?

    /// The service with `endpoints`, or with its own over HTTPS when none are given. Queries are signed when the credentials hold all three
    /// parts.
    ///
    /// A configured endpoint that names the service's own host without an address is pinned to each of the service's addresses.
    package init(credentials: Credentials? = nil, endpoints: [ProviderEndpoint] = [], hostHasIPv6: Bool) {
        self.credentials = credentials
        guard !endpoints.isEmpty else {
            self.endpoints = Self.defaultEndpoints(scheme: .https, hostHasIPv6: hostHasIPv6)
            return
        }
        self.endpoints = endpoints.flatMap { endpoint in
            guard endpoint.host == Self.serviceHost, endpoint.address == nil else { return [endpoint] }
            return Self.bootstrap(hostHasIPv6: hostHasIPv6).map(endpoint.pinned)
        }
    }

    /// The service's own endpoints: one for each address it publishes, IPv4 first; the IPv6 ones only when the host can reach them.
    package static func defaultEndpoints(scheme: ProviderEndpoint.Scheme, hostHasIPv6: Bool) -> [ProviderEndpoint] {
        bootstrap(hostHasIPv6: hostHasIPv6).map { ProviderEndpoint(scheme: scheme, host: serviceHost, address: $0) }
    }

    private static func bootstrap(hostHasIPv6: Bool) -> [IPAddress] {
        hostHasIPv6 ? ipv4Bootstrap + ipv6Bootstrap : ipv4Bootstrap
    }

    /// `/resolve` with name and type, the account if there is one, and the signature if the keys are there too.
    package func request(_ question: Question, endpoint: ProviderEndpoint, epochSeconds: Int64) -> ProviderRequest {
        var url = "\(endpoint.baseURL)/resolve?name=\(percentEncoded(question.name))&type=\(question.type.rawValue)"
        if let credentials, !credentials.accountID.isEmpty {
            url += "&uid=\(percentEncoded(credentials.accountID))"
            if let keyID = credentials.accessKeyID, !keyID.isEmpty,
                let key = credentials.signature(name: question.name, epochSeconds: epochSeconds)
            {
                url += "&ts=\(epochSeconds)&key=\(key)&ak=\(percentEncoded(keyID))"
            }
        }
        return ProviderRequest(url: url, headers: ["Accept: application/json"])
    }

    /// Reads the JSON object of a 200; every other status is a failure.
    package func answer(_ question: Question, status: Int, body: [UInt8]) throws(ProviderFailure) -> ProviderAnswer {
        if let failure = ProviderFailure(status: status) { throw failure }
        return try JSONMessage(parsing: body).answer(to: question)
    }
}

extension Credentials {
    /// The digest over account, secret, time, name and key ID, joined without separator (vendor documentation "DoH JSON API").
    fileprivate func signature(name: String, epochSeconds: Int64) -> String? {
        guard let accessKeyID, let secret, !secret.isEmpty else { return nil }
        return sha256Hex("\(accountID)\(secret)\(epochSeconds)\(name)\(accessKeyID)")
    }
}
