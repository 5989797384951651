import EventLoop
import Net

extension EventLoop {
    /// Turns until `condition` holds; false when that takes longer than `limit`.
    func turn(within limit: Duration = .seconds(30), until condition: () -> Bool) -> Bool {
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
}
