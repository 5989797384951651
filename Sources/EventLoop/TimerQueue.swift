package import Net

/// One thing to do at a time; it may be scheduled again and again.
package final class Timer {
    /// Called on the loop's thread when the time has come.
    package var action: () -> Void = {}
    /// When it rings, while it is scheduled.
    package fileprivate(set) var at = MonotonicTime.distantFuture
    fileprivate var index = -1

    package init() {}

    /// A timer with its action.
    package init(_ action: @escaping () -> Void) { self.action = action }

    /// Whether it waits in a queue.
    package var isScheduled: Bool { index >= 0 }
}

/// A binary heap of timers: logarithmic to schedule, move and cancel, constant to see the next one.
package final class TimerQueue {
    private var heap: [Timer] = []

    /// When the next timer rings; nil when none waits.
    package var next: MonotonicTime? { heap.first?.at }

    /// Puts the timer in, or moves it. A timer for `.distantFuture` is taken out instead.
    package func schedule(_ timer: Timer, at time: MonotonicTime) {
        guard time < .distantFuture else { return cancel(timer) }
        timer.at = time
        if timer.index < 0 {
            timer.index = heap.count
            heap.append(timer)
        }
        settle(timer)
    }

    /// Takes the timer out; nothing happens when it is not in.
    package func cancel(_ timer: Timer) {
        let index = timer.index
        guard index >= 0 else { return }
        timer.index = -1
        let last = heap.removeLast()
        guard last !== timer else { return }
        heap[index] = last
        last.index = index
        settle(last)
    }

    /// Runs what is due in the order of the times, as many timers as wait when it is called.
    func fire(_ now: MonotonicTime) {
        // Bounded by what waited at the beginning: a timer that moves itself to a time already past has its turn with the next call.
        var left = heap.count
        while left > 0, let first = heap.first, first.at <= now {
            left -= 1
            cancel(first)
            first.action()
        }
    }

    private func settle(_ timer: Timer) {
        var index = timer.index
        while index > 0, heap[(index - 1) / 2].at > timer.at { index = exchange(index, (index - 1) / 2) }
        while let child = earlierChild(of: index), heap[child].at < timer.at { index = exchange(index, child) }
    }

    private func earlierChild(of index: Int) -> Int? {
        let left = 2 * index + 1
        guard left < heap.count else { return nil }
        return left + 1 < heap.count && heap[left + 1].at < heap[left].at ? left + 1 : left
    }

    private func exchange(_ index: Int, _ other: Int) -> Int {
        heap.swapAt(index, other)
        heap[index].index = index
        heap[other].index = other
        return other
    }
}
