package import Net

/// The addresses of a name, ready to be dialled in this order.
package struct Resolution: Sendable, Equatable {
    /// The addresses of all asked families: alternating, IPv6 first (RFC 8305 4), each family in the order of its service. Never empty.
    package let addresses: [IPAddress]
    /// Who named the addresses. With two families from two sources it is the more suspect one, so that no address escapes a check.
    package let source: AnswerSource
    /// Whether every address was known without asking anyone.
    package let fromCache: Bool
    /// Whether an expired answer is part of it.
    package let stale: Bool
    /// How long the addresses stay valid from now on; zero when stale or not to be kept.
    package let ttl: Duration
    /// How long the look-up took; zero from the cache.
    package let elapsed: Duration

    /// A result from its parts.
    package init(addresses: [IPAddress], source: AnswerSource, fromCache: Bool, stale: Bool, ttl: Duration, elapsed: Duration) {
        self.addresses = addresses
        self.source = source
        self.fromCache = fromCache
        self.stale = stale
        self.ttl = ttl
        self.elapsed = elapsed
    }
}

/// Why a name could not be resolved.
package enum ResolutionFailure: Error, Sendable, Equatable {
    /// The name does not exist (NXDOMAIN).
    case noSuchName
    /// The name has no address of an asked family (NODATA).
    case noRecord
    /// Nobody answered in time.
    case timedOut
    /// The name service answered with an error for this name, such as "SERVFAIL" or "REFUSED".
    case serverFailure(rcode: String)
    /// No name service could be reached; the reason is one line for a log.
    case unreachable(reason: String)
    /// The service does not take this name and no other source may be asked.
    case refused
    /// The look-up was given up because the resolver is shutting down.
    case cancelled

    /// The value for the `rcode` parameter of a `Proxy-Status` field (RFC 9209 2.3.2); nil when no DNS message said one.
    package var rcode: String? {
        switch self {
        case .noSuchName: "NXDOMAIN"
        case .noRecord: "NOERROR"
        case .serverFailure(let rcode): rcode
        case .refused: "REFUSED"
        case .timedOut, .unreachable, .cancelled: nil
        }
    }

    /// The failure in one line of plain ASCII, for logs and error pages.
    package var sentence: String {
        switch self {
        case .noSuchName: "the name does not exist"
        case .noRecord: "the name has no address"
        case .timedOut: "no name service answered in time"
        case .serverFailure(let rcode): "the name service answered \(rcode)"
        case .unreachable(let reason): "no name service could be used: \(reason)"
        case .refused: "the name service does not take this name"
        case .cancelled: "the look-up was given up"
        }
    }
}
