import HTTPDNS
import Net

/// A clock that moves only when told, and runs the timers it passes in order.
final class ManualClock: ResolverClock {
    private final class Timer: Cancellable {
        let due: MonotonicTime
        let order: Int
        var body: (() -> Void)?

        init(due: MonotonicTime, order: Int, body: @escaping () -> Void) {
            self.due = due
            self.order = order
            self.body = body
        }

        func cancel() { body = nil }
    }

    private(set) var now = MonotonicTime(nanoseconds: 1_000_000_000)
    private let start = MonotonicTime(nanoseconds: 1_000_000_000)
    private let epochAtStart: Int64
    private var timers: [Timer] = []
    private var scheduled = 0

    init(epochSeconds: Int64 = 1_700_000_000) {
        epochAtStart = epochSeconds
    }

    var epochSeconds: Int64 { epochAtStart + elapsed.components.seconds }

    /// Since the clock was made.
    var elapsed: Duration { now - start }

    /// How many timers are waiting.
    var pendingTimers: Int { timers.count { $0.body != nil } }

    func schedule(after delay: Duration, _ body: @escaping () -> Void) -> any Cancellable {
        scheduled += 1
        let timer = Timer(due: now + max(delay, .zero), order: scheduled, body: body)
        timers.append(timer)
        return timer
    }

    func advance(by duration: Duration) {
        let target = now + duration
        while let next = nextTimer(until: target) {
            now = max(now, next.due)
            let body = next.body
            next.body = nil
            body?()
        }
        now = target
    }

    private func nextTimer(until target: MonotonicTime) -> Timer? {
        timers.removeAll { $0.body == nil }
        return timers.filter { $0.due <= target }.min { ($0.due, $0.order) < ($1.due, $1.order) }
    }
}
