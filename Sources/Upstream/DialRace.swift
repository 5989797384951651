import EventLoop
import Net

/// The attempts of one dial. The next address starts at once when one fails, and beside the others when none has answered for a while.
final class DialRace {
    private let target: DialTarget
    private let handles: HandleStock
    private let multi: CurlMulti
    private let signal: Signal
    private let loop: EventLoop
    private var remaining: ArraySlice<IPAddress>
    private var running: [DialAttempt] = []
    private var failures: [DialFailure] = []
    private var lastTried: IPAddress?
    private var tried = 0
    private var lastStart = MonotonicTime.distantFuture

    init(_ target: DialTarget, addresses: [IPAddress], handles: HandleStock, multi: CurlMulti, signal: Signal, loop: EventLoop) {
        self.target = target
        self.handles = handles
        self.multi = multi
        self.signal = signal
        self.loop = loop
        remaining = addresses[...]
    }

    func run(
        _ configuration: DialerConfiguration, _ isWanted: () -> Bool
    ) async throws(FailedDial) -> Dialled {
        defer { for attempt in running { attempt.cancel() } }
        let deadline = loop.now + configuration.timeout
        startNext()
        while true {
            if let winner = takeWinner() { return winner }
            guard isWanted() else { throw failed(.cancelled) }
            if running.isEmpty && remaining.isEmpty { throw failed(worstFailure) }
            guard loop.now < deadline else { throw failed(timedOut) }
            let limit = remaining.isEmpty ? deadline : min(deadline, lastStart + configuration.attemptDelay)
            let wake = await signal.wait(until: limit)
            if wake == .deadline, loop.now < deadline { startNext() }
        }
    }

    private func startNext() {
        while let address = remaining.popFirst() {
            lastStart = loop.now
            lastTried = address
            tried += 1
            do {
                let signal = signal
                running.append(try DialAttempt(target, address: address, multi: multi, handles: handles) { signal.raise() })
                return
            } catch {
                failures.append(.exhausted(error))
            }
        }
    }

    private func takeWinner() -> Dialled? {
        for (index, attempt) in running.enumerated().reversed() {
            guard let result = attempt.result else { continue }
            if let stream = attempt.takeStream() {
                running.remove(at: index)
                return Dialled(stream: stream, address: handles.parent == nil ? attempt.address : nil, failedAddresses: tried - 1)
            }
            running.remove(at: index)
            if case .failure(let failure) = result { failures.append(failure) }
            startNext()
        }
        // An attempt may fail before its start returns; it is in `running` by now.
        return running.contains { $0.result != nil } ? takeWinner() : nil
    }

    private func failed(_ reason: DialFailure) -> FailedDial {
        FailedDial(reason: reason, address: handles.parent == nil ? lastTried : nil, triedAddresses: tried)
    }

    private var worstFailure: DialFailure {
        failures.max { $0.weight < $1.weight } ?? .fault("no address to dial")
    }

    private var timedOut: DialFailure {
        failures.first { $0.weight > DialFailure.timedOut(nil).weight } ?? .timedOut(running.last?.address)
    }
}
