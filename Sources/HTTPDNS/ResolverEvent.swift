/// Takes note of what the resolver does, for logs and counters. Called on the resolver's loop; must not call back into the resolver.
package protocol ResolverObserver: AnyObject {
    /// Takes note of one event.
    func resolver(_ event: ResolverEvent)
}

/// One thing that happened in the resolver.
package enum ResolverEvent: Sendable, Equatable {
    /// A query for the question was sent to an endpoint.
    case asked(Question, ProviderEndpoint)
    /// An endpoint answered the question, positively or negatively; the time is that of the exchange.
    case endpointAnswered(Question, ProviderEndpoint, elapsed: Duration)
    /// A query failed; the text says why and the field says where it counts.
    case endpointFailed(Question, ProviderEndpoint, reason: String, field: ReportField)
    /// An endpoint is left alone for this long.
    case endpointOpened(ProviderEndpoint, duration: Duration)
    /// An endpoint that was left alone is used again.
    case endpointClosed(ProviderEndpoint)
    /// The service refuses the credentials; reported once until it accepts them again.
    case credentialsRefused
    /// This host's clock is off by that many seconds against the service's; positive when it is slow.
    case clockCorrected(seconds: Int64)
    /// LocalDNS was asked because the service could not answer.
    case fellBack(Question, reason: FallbackReason)
    /// LocalDNS failed.
    case localFailed(Question, ResolutionFailure)
    /// An expired answer was served for the name.
    case servedExpired(name: String)
    /// A question was answered by asking; the time is that of the whole look-up.
    case answered(Question, source: AnswerSource, elapsed: Duration)
    /// A question stayed without answer; the time is that of the whole look-up.
    case failed(Question, ResolutionFailure, elapsed: Duration)
}

/// Why the service did not give an answer.
package enum FallbackReason: Error, Sendable, Equatable {
    /// Every endpoint is left alone at the moment.
    case noUsableEndpoint
    /// The time for the service was used up.
    case timedOut
    /// Every usable endpoint failed; the text is the last reason.
    case endpointsFailed(String)
    /// The service answered with a DNS error for this name.
    case serverFailure(rcode: String)
    /// The service does not take this question.
    case nameRefused
    /// The service refuses the credentials.
    case credentialsRefused

    /// What it means to a client when nobody else may be asked.
    var failure: ResolutionFailure {
        switch self {
        case .timedOut: .timedOut
        case .serverFailure(let rcode): .serverFailure(rcode: rcode)
        case .nameRefused: .refused
        case .noUsableEndpoint, .endpointsFailed, .credentialsRefused: .unreachable(reason: sentence)
        }
    }

    /// One line for a log.
    package var sentence: String {
        switch self {
        case .noUsableEndpoint: "every HTTPDNS endpoint failed recently"
        case .timedOut: "HTTPDNS did not answer in time"
        case .endpointsFailed(let reason): "HTTPDNS failed: \(reason)"
        case .serverFailure(let rcode): "HTTPDNS answered \(rcode)"
        case .nameRefused: "HTTPDNS does not take this name"
        case .credentialsRefused: "HTTPDNS refuses the credentials"
        }
    }
}
