package import Net

/// What one task waits on: any of its descriptors, look-ups or dials raises the signal, and the task looks at all of them again.
///
/// A task with both directions of a relay in its hands needs nothing else: no child tasks, no queues. Raised without a waiter, the signal
/// stays raised, so nothing is missed between looking and waiting.
package final class Signal {
    /// How a wait ended.
    package enum Wake: Sendable { case raised, deadline }

    private unowned let loop: EventLoop
    private var waiter: UnsafeContinuation<Wake, Never>?
    private var raised = false
    private var deadline = MonotonicTime.distantFuture
    private let timer = Timer()

    package init(loop: EventLoop) {
        self.loop = loop
        timer.action = { [unowned self] in timerFired() }
    }

    deinit { loop.timers.cancel(timer) }

    /// Wakes the waiting task in this turn of the loop, or the next wait at once.
    package func raise() {
        guard let waiting = waiter else {
            raised = true
            return
        }
        waiter = nil
        waiting.resume(returning: .raised)
    }

    /// Suspends until the signal is raised or `limit` has come.
    package func wait(until limit: MonotonicTime) async -> Wake {
        if raised {
            raised = false
            return .raised
        }
        deadline = limit
        // The timer is moved only when it would ring too late; ringing too early moves it on. A connection that is busy for an hour thus
        // costs one queue operation for each time-out period instead of one for each wait.
        if !timer.isScheduled || timer.at > limit { loop.timers.schedule(timer, at: limit) }
        return await withUnsafeContinuation { waiter = $0 }
    }

    /// Lets everything else of this turn and the next readiness go first: for a task that could go on for ever.
    package func yield() async {
        await Task.yield()
    }

    private func timerFired() {
        guard let waiting = waiter else { return }
        guard loop.now >= deadline else { return loop.timers.schedule(timer, at: deadline) }
        waiter = nil
        waiting.resume(returning: .deadline)
    }
}
