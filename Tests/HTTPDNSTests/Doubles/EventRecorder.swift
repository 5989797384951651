import HTTPDNS

/// Keeps every event of a resolver.
final class EventRecorder: ResolverObserver {
    private(set) var events: [ResolverEvent] = []

    func resolver(_ event: ResolverEvent) { events.append(event) }

    var credentialWarnings: Int { events.count { $0 == .credentialsRefused } }

    var clockCorrections: [Int64] {
        events.compactMap { if case .clockCorrected(let seconds) = $0 { seconds } else { nil } }
    }

    var fallbacks: [FallbackReason] {
        events.compactMap { if case .fellBack(_, let reason) = $0 { reason } else { nil } }
    }

    var opened: [(endpoint: ProviderEndpoint, duration: Duration)] {
        events.compactMap { if case .endpointOpened(let endpoint, let duration) = $0 { (endpoint, duration) } else { nil } }
    }

    var closed: [ProviderEndpoint] {
        events.compactMap { if case .endpointClosed(let endpoint) = $0 { endpoint } else { nil } }
    }

    var countedFailures: [ReportField] {
        events.compactMap { if case .endpointFailed(_, _, _, let field) = $0 { field } else { nil } }
    }
}
