import HTTPDNS
import Net

/// Plays the network and the service: a script says what each endpoint does with each question.
final class ScriptedTransport: QueryTransport {
    /// What happens to a query.
    enum Behaviour {
        /// A response after some time.
        case reply(Int, String, after: Duration = .milliseconds(20))
        /// A response before `send` returns.
        case replyAtOnce(Int, String)
        /// A failure after some time.
        case fail(TransportFailure, after: Duration = .milliseconds(5))
        /// A failure before `send` returns.
        case failAtOnce(TransportFailure)
        /// Accepted and never answered: fails at the timeout.
        case silence
        /// Not even the timeout is kept.
        case dead
    }

    /// One query as it was sent.
    struct Sent {
        let question: Question
        let endpoint: ProviderEndpoint
        let request: ProviderRequest
        let timeout: Duration
        let at: Duration
    }

    private final class Transfer: Cancellable {
        var completion: ((Result<ProviderResponse, TransportFailure>) -> Void)?
        var timer: (any Cancellable)?
        var onCancel: (() -> Void)?

        func cancel() {
            timer?.cancel()
            if completion != nil { onCancel?() }
            completion = nil
        }

        func complete(_ result: Result<ProviderResponse, TransportFailure>) {
            let completion = self.completion
            self.completion = nil
            completion?(result)
        }
    }

    var script: (Sent) -> Behaviour
    /// The Date field of every response, as the service's clock at that time.
    var date: () -> Int64? = { nil }
    private(set) var sent: [Sent] = []
    private(set) var running = 0
    private(set) var cancelled = 0
    private let clock: ManualClock

    init(clock: ManualClock, script: @escaping (Sent) -> Behaviour) {
        self.clock = clock
        self.script = script
    }

    func send(
        _ request: ProviderRequest, to endpoint: ProviderEndpoint, timeout: Duration,
        completion: @escaping (Result<ProviderResponse, TransportFailure>) -> Void
    ) -> any Cancellable {
        let query = Sent(
            question: Self.question(in: request.url), endpoint: endpoint, request: request, timeout: timeout, at: clock.elapsed)
        sent.append(query)
        running += 1
        let transfer = Transfer()
        transfer.completion = { [self] result in
            running -= 1
            completion(result)
        }
        transfer.onCancel = { [self] in
            running -= 1
            cancelled += 1
        }
        play(script(query), transfer, timeout: timeout)
        return transfer
    }

    private func play(_ behaviour: Behaviour, _ transfer: Transfer, timeout: Duration) {
        switch behaviour {
        case .reply(let status, let body, let delay):
            transfer.timer = clock.schedule(after: min(delay, timeout)) { [self] in
                transfer.complete(delay < timeout ? .success(response(status, body, elapsed: delay)) : .failure(.timedOut))
            }
        case .replyAtOnce(let status, let body): transfer.complete(.success(response(status, body, elapsed: .zero)))
        case .fail(let failure, let delay):
            transfer.timer = clock.schedule(after: min(delay, timeout)) { transfer.complete(.failure(failure)) }
        case .failAtOnce(let failure): transfer.complete(.failure(failure))
        case .silence: transfer.timer = clock.schedule(after: timeout) { transfer.complete(.failure(.timedOut)) }
        case .dead: break
        }
    }

    private func response(_ status: Int, _ body: String, elapsed: Duration) -> ProviderResponse {
        ProviderResponse(status: status, body: Array(body.utf8), date: date(), elapsed: elapsed)
    }

    private static func question(in url: String) -> Question {
        let values = parameters(of: url)
        return Question(name: values["name"] ?? "", type: values["type"] == "28" ? .aaaa : .a)
    }
}

/// The parameters of a URL's query, undecoded.
func parameters(of url: String) -> [String: String] {
    let query = url.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
    let pairs = query.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false) }
    return Dictionary(pairs.map { (String($0[0]), String($0.dropFirst().first ?? "")) }, uniquingKeysWith: { first, _ in first })
}
