package import Net

/// The services that can be asked.
package enum ProviderKind: String, Sendable, CaseIterable {
    /// Alibaba Cloud Public DNS, JSON API.
    case alibabaPublicDNS = "alibaba-public-dns"
    /// No service: every name goes to LocalDNS.
    case none
}

/// What happens to a look-up that the service could not answer.
package enum FallbackPolicy: String, Sendable, CaseIterable {
    /// LocalDNS is asked.
    case local
    /// The look-up fails. Names that stay local are still resolved by LocalDNS.
    case none
}

/// Every setting of the resolver. A new value holds the defaults.
package struct ResolverConfiguration: Sendable {
    /// The service to ask; default Alibaba Cloud Public DNS.
    package var provider = ProviderKind.alibabaPublicDNS
    /// Endpoints to use instead of the service's own; default none.
    package var endpoints: [ProviderEndpoint] = []
    /// Whether this host can reach IPv6 addresses; the service's own IPv6 endpoints are used only then. Default false.
    package var hostHasIPv6 = false
    /// Account and keys for the service; default none, which means free use without signature.
    package var credentials: Credentials?
    /// How long a look-up may spend on the service, over all its endpoints. Default 3 s, inside `queryTimeoutRange`; 2 s to 5 s is
    /// sensible.
    package var queryTimeout = Duration.seconds(3)
    /// How many answers are kept, one for each name and type. Default 10 000; 0 keeps none.
    package var cacheSize = 10_000
    /// The longest life of an answer with addresses, whatever TTL the service gave. Default 3600 s; 0 keeps none.
    package var maximumTTL = Duration.seconds(3600)
    /// The longest life of an answer without addresses. Default 30 s; 0 keeps none.
    package var maximumNegativeTTL = Duration.seconds(30)
    /// How long after its expiry an answer with addresses may still be served while a new one is fetched. Default 30 s; 0 means never.
    package var expiredAnswers = Duration.seconds(30)
    /// What happens when the service cannot answer; default LocalDNS.
    package var fallback = FallbackPolicy.local
    /// The families of a look-up that does not say; default `.auto`.
    package var families = FamilyPreference.auto
    /// Names that LocalDNS alone is asked for, beside the built-in ones; default none.
    package var localNames: [NamePattern] = []
    /// How long the first family with addresses waits for the other one (RFC 8305 3). Default 50 ms, 0 or more.
    package var resolutionDelay = Duration.milliseconds(50)

    /// The defaults.
    package init() {}

    /// The values allowed for `queryTimeout`; a value outside is moved to the nearest one inside.
    package static let queryTimeoutRange = Duration.milliseconds(500)...Duration.seconds(60)

    /// The configured service, ready for a `Resolver`; nil when LocalDNS alone is to be asked.
    package func makeProvider() -> (any Provider)? {
        switch provider {
        case .alibabaPublicDNS: AlibabaPublicDNS(credentials: credentials, endpoints: endpoints, hostHasIPv6: hostHasIPv6)
        case .none: nil
        }
    }

    var boundedQueryTimeout: Duration {
        min(max(queryTimeout, Self.queryTimeoutRange.lowerBound), Self.queryTimeoutRange.upperBound)
    }
}
