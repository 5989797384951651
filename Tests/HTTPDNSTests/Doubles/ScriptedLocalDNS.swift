import HTTPDNS
import Net

/// Plays LocalDNS.
final class ScriptedLocalDNS: LocalResolving {
    enum Behaviour {
        case reply(Answer.Outcome, ttl: Int64 = 300, fromHosts: Bool = false, after: Duration = .milliseconds(10))
        case replyAtOnce(Answer.Outcome, ttl: Int64 = 300)
        case fail(ResolutionFailure, after: Duration = .milliseconds(10))
        case dead
    }

    private final class Query: Cancellable {
        var timer: (any Cancellable)?
        var onCancel: (() -> Void)?

        func cancel() {
            timer?.cancel()
            onCancel?()
        }
    }

    var script: (Question) -> Behaviour
    private(set) var asked: [Question] = []
    private(set) var cancelled = 0
    private let clock: ManualClock

    init(clock: ManualClock, script: @escaping (Question) -> Behaviour) {
        self.clock = clock
        self.script = script
    }

    func query(_ question: Question, completion: @escaping (Result<LocalAnswer, ResolutionFailure>) -> Void) -> any Cancellable {
        asked.append(question)
        let query = Query()
        query.onCancel = { [self] in cancelled += 1 }
        switch script(question) {
        case .reply(let outcome, let ttl, let fromHosts, let delay):
            query.timer = clock.schedule(after: delay) {
                query.onCancel = nil
                completion(.success(LocalAnswer(outcome: outcome, ttl: ttl, fromHosts: fromHosts)))
            }
        case .replyAtOnce(let outcome, let ttl):
            query.onCancel = nil
            completion(.success(LocalAnswer(outcome: outcome, ttl: ttl, fromHosts: false)))
        case .fail(let failure, let delay):
            query.timer = clock.schedule(after: delay) {
                query.onCancel = nil
                completion(.failure(failure))
            }
        case .dead: break
        }
        return query
    }
}
