import Net

/// One question to one endpoint: a request, its response, and what both say about the endpoint. Repeats itself once when only the clock
/// was wrong.
final class EndpointExchange: Cancellable {
    /// How the exchange ended.
    enum Verdict {
        /// The service answered.
        case answer(ProviderAnswer)
        /// The endpoint is well but has no answer for this name; another endpoint would say the same.
        case hopeless(FallbackReason)
        /// Another endpoint may do better.
        case failed(FallbackReason)
    }

    /// A signature this far off the service's time may have been refused for its age.
    private static let suspiciousClockError: UInt64 = 5

    /// Up to the end of the year 9999; anything else in a Date field is nonsense.
    private static let plausibleDates: ClosedRange<Int64> = 0...253_402_300_799

    let index: Int
    private(set) var sentAt: MonotonicTime
    private let question: Question
    private let source: ProviderSource
    private let endpoint: ProviderEndpoint
    private let deadline: MonotonicTime
    private var completion: ((Verdict) -> Void)?
    private var transfer: (any Cancellable)?
    private var signedFor: Int64 = 0
    private var wasRepeated = false

    init(question: Question, index: Int, source: ProviderSource, timeout: Duration, completion: @escaping (Verdict) -> Void) {
        self.question = question
        self.index = index
        self.source = source
        self.completion = completion
        endpoint = source.provider.endpoints[index]
        sentAt = source.clock.now
        deadline = sentAt + timeout
    }

    /// Sends the request. The completion may be called before this returns.
    func start() {
        sentAt = source.clock.now
        signedFor = source.epochSeconds
        let request = source.provider.request(question, endpoint: endpoint, epochSeconds: signedFor)
        source.report(.asked(question, endpoint))
        let transfer = source.transport.send(request, to: endpoint, timeout: deadline - sentAt) { [self] result in received(result) }
        if completion != nil, self.transfer == nil { self.transfer = transfer }
    }

    func cancel() {
        completion = nil
        transfer?.cancel()
        transfer = nil
    }

    /// Gives up because the time is used up, which counts against the endpoint.
    func expire() {
        guard completion != nil else { return }
        cancel()
        noteTransportFailure(.timedOut)
    }

    private func received(_ result: Result<ProviderResponse, TransportFailure>) {
        guard completion != nil else { return }
        transfer = nil
        switch result {
        case .failure(let failure):
            noteTransportFailure(failure)
            end(.failed(failure.fallbackReason))
        case .success(let response):
            read(response)
        }
    }

    private func read(_ response: ProviderResponse) {
        let date = response.date.flatMap { Self.plausibleDates.contains($0) ? $0 : nil }
        let clockError = date.map { ($0 - expectedEpoch()).magnitude } ?? 0
        if let date { source.noteDate(date) }
        do throws(ProviderFailure) {
            let answer = try source.provider.answer(question, status: response.status, body: response.body)
            source.noteSuccess(index)
            source.report(.endpointAnswered(question, endpoint, elapsed: response.elapsed))
            end(.answer(answer))
        } catch {
            if error == .noPermission, clockError > Self.suspiciousClockError, !wasRepeated, source.clock.now < deadline {
                wasRepeated = true
                start()
            } else {
                failed(error)
            }
        }
    }

    /// The service's time now, if the time in the request was right.
    private func expectedEpoch() -> Int64 { signedFor + (source.clock.now - sentAt).components.seconds }

    private func failed(_ failure: ProviderFailure) {
        source.report(.endpointFailed(question, endpoint, reason: failure.sentence, field: failure.reportField))
        switch failure {
        case .noPermission:
            source.noteRefusedCredentials(index)
            end(.hopeless(.credentialsRefused))
        case .serverFailure(let rcode):
            source.noteSuccess(index)
            end(.hopeless(.serverFailure(rcode: rcodeName(rcode))))
        case .badParameter:
            source.noteSuccess(index)
            end(.hopeless(.nameRefused))
        case .badPath, .throttled, .serverTrouble, .unreadable:
            source.noteFailure(index, .faulty, sentAt: sentAt, reason: .endpointsFailed(failure.sentence))
            end(.failed(.endpointsFailed(failure.sentence)))
        }
    }

    private func noteTransportFailure(_ failure: TransportFailure) {
        source.report(.endpointFailed(question, endpoint, reason: failure.sentence, field: failure.reportField))
        if failure == .timedOut, source.clock.now - sentAt < source.patience { return }
        source.noteFailure(index, failure.severity, sentAt: sentAt, reason: failure.fallbackReason)
    }

    private func end(_ verdict: Verdict) {
        let completion = self.completion
        self.completion = nil
        completion?(verdict)
    }
}

extension TransportFailure {
    fileprivate var severity: SourceHealth.Severity {
        switch self {
        case .timedOut, .connectFailed, .tls: .unreachable
        case .other, .tooLarge: .faulty
        }
    }

    fileprivate var fallbackReason: FallbackReason { self == .timedOut ? .timedOut : .endpointsFailed(sentence) }
}
