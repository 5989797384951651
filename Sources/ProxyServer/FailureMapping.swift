import EventLoop
import HTTP1
import HTTPDNS
import Net
import Policy
import Upstream

extension ProxyFailure {
    /// What a failed look-up of `name` means to the client.
    init(_ failure: ResolutionFailure, name: String) {
        switch failure {
        case .noSuchName: self = .dnsNoSuchName(name)
        case .noRecord: self = .dnsNoRecord(name)
        case .timedOut: self = .dnsTimeout(name)
        case .serverFailure(let rcode): self = .dnsFailure(name, rcode: rcode)
        case .refused: self = .dnsFailure(name, rcode: "REFUSED")
        case .unreachable(let reason): self = .dnsUnreachable(name, reason: reason)
        case .cancelled: self = .shuttingDown
        }
    }

    /// What a failed dial of `destination` (`host:port`) means to the client.
    init(_ failure: DialFailure, destination: String) {
        switch failure {
        case .refused: self = .connectRefused(destination: destination)
        case .timedOut: self = .connectTimeout(destination: destination)
        case .unreachable: self = .connectUnroutable(destination: destination)
        case .certificate(let text): self = .tlsCertificate(destination: destination, reason: text)
        case .tls(let text):
            // The word stands alone in OpenSSL's sentences; libcurl's may hold the origin's name.
            self =
                " \(text) ".contains(" alert ")
                ? .tlsAlert(destination: destination, reason: text) : .tlsProtocol(destination: destination, reason: text)
        case .parent(let status, let text): self = status > 0 ? .parentRefused(status: status) : .parentUnreachable(reason: text)
        case .parentUnreachable(let text): self = .parentUnreachable(reason: text)
        case .exhausted(let error): self = .resourceExhausted(error.reason)
        case .cancelled: self = .internalError("the dial was given up")
        case .fault(let text): self = .internalError(text)
        }
    }
}
