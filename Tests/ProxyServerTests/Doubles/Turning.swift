import EventLoop
import Net

extension EventLoop {
    /// Turns until `condition` holds; false when that takes longer than `limit`.
    func turn(within limit: Duration = .seconds(20), until condition: () -> Bool) -> Bool {
        let deadline = MonotonicTime.read() + limit
        let tick = Timer()
        tick.action = { [unowned self, unowned tick] in timers.schedule(tick, at: MonotonicTime.read() + .milliseconds(2)) }
        tick.action()
        defer { timers.cancel(tick) }
        while !condition() {
            guard MonotonicTime.read() < deadline else { return false }
            turn()
        }
        return true
    }

    /// Turns for `duration` and at least once, to see that something does not happen.
    func turn(for duration: Duration) {
        let end = MonotonicTime.read() + duration
        var turns = 0
        _ = turn {
            turns += 1
            return turns > 1 && MonotonicTime.read() >= end
        }
    }

    /// Starts `body` as a task of this loop; the result is there when it has ended.
    func start<Object, Value>(with object: Object, _ body: @escaping @Sendable (Object) async -> Value) -> Outcome<Value> {
        let outcome = Outcome<Value>()
        let carried = LoopLocal((object, outcome), on: self)
        Task(executorPreference: self) {
            let value = await body(carried.value.0)
            carried.value.1.content = value
        }
        return outcome
    }

    /// Starts `body` and turns until it has ended; nil when it does not end.
    func run<Object, Value>(with object: Object, _ body: @escaping @Sendable (Object) async -> Value) -> Value? {
        let outcome = start(with: object, body)
        _ = turn { outcome.content != nil }
        return outcome.content
    }
}

/// What a task came to.
final class Outcome<Value> {
    var content: Value?
}
