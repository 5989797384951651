import Net

/// The look-up of one name in one or both families, for one client.
final class NameLookup: Cancellable {
    private enum Progress {
        case pending
        case known(KnownAnswer)
        case failed(ResolutionFailure)

        var answer: KnownAnswer? { if case .known(let answer) = self { answer } else { nil } }
        var isPending: Bool { if case .pending = self { true } else { false } }
    }

    private let clock: any ResolverClock
    private let resolutionDelay: Duration
    private let startedAt: MonotonicTime
    private var families: [RecordType: Progress] = [:]
    private var delay: (any Cancellable)?
    private var completion: ((Result<Resolution, ResolutionFailure>?) -> Void)?

    init(clock: any ResolverClock, resolutionDelay: Duration) {
        self.clock = clock
        self.resolutionDelay = resolutionDelay
        startedAt = clock.now
    }

    /// Asks for every family at once. The completion is called once, with nil if the look-up was cancelled.
    func start(
        name: String, families preference: FamilyPreference, questions: QuestionResolver,
        completion: @escaping (Result<Resolution, ResolutionFailure>?) -> Void
    ) {
        self.completion = completion
        let types = preference.recordTypes
        for type in types { families[type] = .pending }
        for type in types {
            questions.ask(Question(name: name, type: type), isOneOfTwo: types.count > 1) { [weak self] result in
                self?.received(result, for: type)
            }
        }
    }

    func cancel() { end(nil) }

    func fail(_ failure: ResolutionFailure) { end(.failure(failure)) }

    private var hasAddress: Bool { families.values.contains { $0.answer?.answer.isPositive ?? false } }

    private func received(_ result: Result<KnownAnswer, ResolutionFailure>, for type: RecordType) {
        guard completion != nil else { return }
        switch result {
        case .success(let answer): families[type] = .known(answer)
        case .failure(let failure): families[type] = .failed(failure)
        }
        if !families.values.contains(where: \.isPending) {
            finish()
        } else if hasAddress, delay == nil {
            delay = clock.schedule(after: resolutionDelay) { [weak self] in self?.finish() }
        }
    }

    private func finish() {
        let (six, four) = (families[.aaaa], families[.a])
        let now = clock.now
        if let resolution = Resolution(ipv6: six?.answer, ipv4: four?.answer, now: now, elapsed: now - startedAt) {
            end(.success(resolution))
        } else {
            end(.failure(failure(of: [four, six].compactMap(\.self))))
        }
    }

    /// What a name without any address means: a family that could not be asked leaves the question open, so that comes first.
    private func failure(of families: [Progress]) -> ResolutionFailure {
        var negative = ResolutionFailure.noRecord
        for family in families {
            switch family {
            case .failed(let failure): return failure
            case .known(let known) where known.answer.outcome == .noSuchName: negative = .noSuchName
            case .known, .pending: continue
            }
        }
        return negative
    }

    private func end(_ result: Result<Resolution, ResolutionFailure>?) {
        delay?.cancel()
        delay = nil
        let completion = self.completion
        self.completion = nil
        completion?(result)
    }
}
