import Net

/// One question to a service: endpoint after endpoint, within one time budget.
///
/// A failure moves on to the next endpoint at once. Without an answer the next one is asked as well after a third of the budget, and all
/// have been asked after two thirds, so that each had a third to answer in. The first answer wins.
final class EndpointRace: Cancellable {
    private let question: Question
    private let source: ProviderSource
    private let deadline: MonotonicTime
    private var waiting: ArraySlice<Int>
    private let pause: Duration
    private var exchanges: [Int: EndpointExchange] = [:]
    private var budget: (any Cancellable)?
    private var hedge: (any Cancellable)?
    private var completion: ((Result<ProviderAnswer, FallbackReason>) -> Void)?

    init(question: Question, source: ProviderSource, completion: @escaping (Result<ProviderAnswer, FallbackReason>) -> Void) {
        self.question = question
        self.source = source
        self.completion = completion
        deadline = source.clock.now + source.timeout
        let order = source.health.usable
        waiting = order[...]
        pause = source.patience / max(order.count - 1, 1)
    }

    func start() {
        guard !waiting.isEmpty else {
            end(.failure(source.health.credentialsRefused ? .credentialsRefused : .noUsableEndpoint))
            return
        }
        budget = source.clock.schedule(after: source.timeout) { [self] in expire() }
        askNext(thenWait: source.patience)
    }

    func cancel() {
        completion = nil
        stop()
    }

    /// Ends the race without an answer, because no endpoint is usable any more.
    func giveUp(_ reason: FallbackReason) {
        guard completion != nil else { return }
        end(.failure(reason))
    }

    /// Asks the next endpoint that is still usable, and the one after it when `delay` passes without an answer.
    private func askNext(thenWait delay: Duration) {
        hedge?.cancel()
        hedge = nil
        while let index = waiting.popFirst() {
            guard source.health.state(index) == .closed else { continue }
            if !waiting.isEmpty {
                hedge = source.clock.schedule(after: delay) { [self] in askNext(thenWait: pause) }
            }
            let exchange = EndpointExchange(question: question, index: index, source: source, timeout: deadline - source.clock.now) {
                [self] verdict in finished(index, verdict)
            }
            exchanges[index] = exchange
            exchange.start()
            return
        }
    }

    private func finished(_ index: Int, _ verdict: EndpointExchange.Verdict) {
        exchanges[index] = nil
        guard completion != nil else { return }
        switch verdict {
        case .answer(let answer):
            source.notePreferred(index)
            end(.success(answer))
        case .hopeless(let reason):
            end(.failure(reason))
        case .failed(let reason):
            askNext(thenWait: source.patience)
            if exchanges.isEmpty, completion != nil { end(.failure(reason)) }
        }
    }

    private func expire() {
        guard completion != nil else { return }
        let late = exchanges.values.sorted { $0.index < $1.index }
        exchanges.removeAll()
        let completion = self.completion
        self.completion = nil
        for exchange in late { exchange.expire() }
        stop()
        completion?(.failure(.timedOut))
    }

    private func end(_ result: Result<ProviderAnswer, FallbackReason>) {
        let completion = self.completion
        self.completion = nil
        stop()
        completion?(result)
    }

    private func stop() {
        hedge?.cancel()
        hedge = nil
        budget?.cancel()
        budget = nil
        for exchange in exchanges.values { exchange.cancel() }
        exchanges.removeAll()
        source.raceEnded(self)
    }
}
