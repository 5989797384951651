import HTTPDNS
import Net

/// Says on standard error what the resolver does, as far as an operator has to know or asked for.
final class ResolverLog: ResolverObserver {
    private let log: DiagnosticLog

    init(_ log: DiagnosticLog) { self.log = log }

    func resolver(_ event: ResolverEvent) {
        switch event {
        case .endpointFailed(let question, let endpoint, let reason, let field):
            write(
                .warning, "HTTPDNS query failed",
                [("name", question.description), ("endpoint", endpoint.description), ("reason", reason), ("counter", field.rawValue)])
        case .endpointOpened(let endpoint, let duration):
            write(
                .warning, "HTTPDNS endpoint is left alone",
                [("endpoint", endpoint.description), ("seconds", "\(duration.components.seconds)")])
        case .endpointClosed(let endpoint): write(.info, "HTTPDNS endpoint is used again", [("endpoint", endpoint.description)])
        case .credentialsRefused:
            write(
                .warning, "HTTPDNS refuses the credentials; LocalDNS answers instead. Check account-id, access-key-id and the secret", [])
        case .clockCorrected(let seconds):
            write(.warning, "this host's clock differs from the HTTPDNS service's; signatures are corrected", [("seconds", "\(seconds)")])
        case .fellBack(let question, let reason):
            write(.info, "LocalDNS is asked instead of HTTPDNS", [("name", question.description), ("reason", reason.sentence)])
        case .localFailed(let question, let failure):
            write(.info, "LocalDNS failed", [("name", question.description), ("reason", failure.sentence)])
        case .servedExpired(let name): write(.info, "an expired answer was served", [("name", name)])
        default: detail(event)
        }
    }

    private func detail(_ event: ResolverEvent) {
        switch event {
        case .asked(let question, let endpoint):
            write(.debug, "HTTPDNS is asked", [("name", question.description), ("endpoint", endpoint.description)])
        case .answered(let question, let source, let elapsed):
            write(.debug, "resolved", [("name", question.description), ("source", source.rawValue), ("ms", "\(elapsed.milliseconds)")])
        case .failed(let question, let failure, let elapsed):
            write(
                .debug, "not resolved", [("name", question.description), ("reason", failure.sentence), ("ms", "\(elapsed.milliseconds)")])
        default: break
        }
    }

    private func write(_ level: LogLevel, _ event: String, _ fields: [(StaticString, String)]) {
        log.write(level, event, fields)
    }
}
