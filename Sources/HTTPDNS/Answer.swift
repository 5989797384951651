package import Net

/// Where an address came from.
package enum AnswerSource: String, Sendable, CaseIterable {
    /// An HTTPDNS service.
    case httpdns
    /// The DNS servers of this host's own configuration, or a loopback name that needs no server.
    case local
    /// The hosts file.
    case hosts
    /// The name was an address already.
    case literal
    /// The cache. Only says how a client got an answer; an answer itself keeps the source that produced it.
    case cache

    /// Answers of an outside service are judged most strictly, so a mixture counts as the most suspect of its parts.
    private var suspicion: Int {
        switch self {
        case .httpdns: 4
        case .local: 3
        case .hosts: 2
        case .literal: 1
        case .cache: 0
        }
    }

    /// The source that a result made of both counts as.
    func stricter(than other: AnswerSource) -> AnswerSource { suspicion >= other.suspicion ? self : other }
}

/// What one question gave, as the cache keeps it.
package struct Answer: Sendable, Equatable {
    /// What a name service said.
    package enum Outcome: Sendable, Equatable {
        /// At least one address of the asked family, in the order of the service.
        case addresses([IPAddress])
        /// The name does not exist, for no record type (NXDOMAIN, RFC 2308 2.1).
        case noSuchName
        /// The name exists but has no record of the asked type (NODATA, RFC 2308 2.2).
        case noRecord
    }

    /// What was said.
    package let outcome: Outcome
    /// How long it is valid from `storedAt` on, after clamping to the configured maximum; zero means for the waiting look-ups only.
    package let ttl: Duration
    /// Who said it; never `.cache`.
    package let source: AnswerSource
    /// When it came in.
    package let storedAt: MonotonicTime
    /// When it stops being fresh: `storedAt` plus `ttl`.
    package let expiresAt: MonotonicTime

    /// An answer that came in at `now` and is fresh for `ttl`.
    package init(outcome: Outcome, ttl: Duration, source: AnswerSource, now: MonotonicTime) {
        self.outcome = outcome
        self.ttl = ttl
        self.source = source
        storedAt = now
        expiresAt = now + ttl
    }

    /// The addresses; empty for the two negative outcomes.
    package var addresses: [IPAddress] {
        if case .addresses(let addresses) = outcome { addresses } else { [] }
    }

    /// Whether it holds addresses.
    package var isPositive: Bool {
        if case .addresses = outcome { true } else { false }
    }

    /// What is left of the validity at `now`; zero once expired.
    package func remaining(now: MonotonicTime) -> Duration {
        now < expiresAt ? .nanoseconds(expiresAt.nanoseconds &- now.nanoseconds) : .zero
    }

    /// The failure that a negative outcome means to a client; nil for addresses.
    var negative: ResolutionFailure? {
        switch outcome {
        case .addresses: nil
        case .noSuchName: .noSuchName
        case .noRecord: .noRecord
        }
    }
}
