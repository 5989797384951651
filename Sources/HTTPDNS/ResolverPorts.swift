package import Net

/// Work that can be given up.
package protocol Cancellable: AnyObject {
    /// Gives the work up; its completion is never called afterwards. Harmless when the work is done.
    func cancel()
}

/// Carries one query over HTTP. All calls and completions happen on the resolver's loop.
package protocol QueryTransport: AnyObject {
    /// Sends `request` to `endpoint`, connected to the endpoint's `dialAddress`, and completes once with the whole response.
    ///
    /// `timeout` covers connecting, TLS and the exchange. The completion may be called before this returns.
    func send(
        _ request: ProviderRequest, to endpoint: ProviderEndpoint, timeout: Duration,
        completion: @escaping (Result<ProviderResponse, TransportFailure>) -> Void
    ) -> any Cancellable
}

/// A whole HTTP response.
package struct ProviderResponse: Sendable {
    /// The status, 100...599.
    package let status: Int
    /// The body, at most 64 KiB.
    package let body: [UInt8]
    /// The time of the `Date` field in seconds since 1970; nil when it is missing or unreadable.
    package let date: Int64?
    /// From sending to the last byte.
    package let elapsed: Duration

    /// A response from its parts.
    package init(status: Int, body: [UInt8], date: Int64?, elapsed: Duration) {
        self.status = status
        self.body = body
        self.date = date
        self.elapsed = elapsed
    }
}

/// Why no response came.
package enum TransportFailure: Error, Sendable, Equatable {
    /// Nothing came within the timeout.
    case timedOut
    /// No connection could be made.
    case connectFailed(String)
    /// TLS failed, the certificate check included.
    case tls(String)
    /// Anything else, such as a connection that broke.
    case other(String)
    /// The body is above 64 KiB.
    case tooLarge

    /// The statistics counter that counts it.
    package var reportField: ReportField { self == .timedOut ? .timeout : .noResponse }

    /// The failure in one line.
    package var sentence: String {
        switch self {
        case .timedOut: "no answer in time"
        case .connectFailed(let reason): "connecting failed: \(reason)"
        case .tls(let reason): "TLS failed: \(reason)"
        case .other(let reason): reason
        case .tooLarge: "the body is too large"
        }
    }
}

/// Asks LocalDNS: the hosts file and the DNS servers of this host. All calls and completions happen on the resolver's loop.
package protocol LocalResolving: AnyObject {
    /// Asks one question and completes once; the completion may be called before this returns.
    func query(_ question: Question, completion: @escaping (Result<LocalAnswer, ResolutionFailure>) -> Void) -> any Cancellable
}

/// What LocalDNS said.
package struct LocalAnswer: Sendable, Equatable {
    /// Addresses or one of the two negative outcomes.
    package let outcome: Answer.Outcome
    /// How long it may be kept, in seconds, 0 or more; not used for answers of the hosts file.
    package let ttl: Int64
    /// Whether the hosts file gave it.
    package let fromHosts: Bool

    /// An answer from its parts.
    package init(outcome: Answer.Outcome, ttl: Int64, fromHosts: Bool) {
        self.outcome = outcome
        self.ttl = ttl
        self.fromHosts = fromHosts
    }
}

/// Time and timers of the resolver's loop.
package protocol ResolverClock: AnyObject {
    /// The monotonic time.
    var now: MonotonicTime { get }
    /// Seconds since 1970 by this host's clock, which may be wrong.
    var epochSeconds: Int64 { get }
    /// Calls `body` once, on the loop, after `delay`; never before this returns.
    func schedule(after delay: Duration, _ body: @escaping () -> Void) -> any Cancellable
}
