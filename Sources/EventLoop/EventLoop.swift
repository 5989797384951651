import CLinux
import Glibc
package import Net
import Synchronization

/// One thread's world: an epoll set, timers, and the Swift tasks that were started with `executorPreference: loop`.
///
/// Everything that belongs to a loop is touched on its thread only, which is what makes `@unchecked Sendable` true: other threads reach
/// in through `execute` and through the executor's `enqueue`, both of which take the lock of `remote` and ring the wake-up descriptor.
package final class EventLoop: @unchecked Sendable {
    /// The loop's idea of now, read once for each turn: exact enough for deadlines, free to read.
    package private(set) var now: MonotonicTime
    package let timers = TimerQueue()
    /// Called once in each turn before waiting, for work that is cheaper done in one go, such as writing log lines.
    package var beforeWaiting: () -> Void = {}
    private let poller: Poller
    private var localJobs: [UnownedJob] = []
    private var runningJobs: [UnownedJob] = []
    private var thread: pthread_t
    private var stopped = false
    private let remote = Mutex(RemoteWork())
    private let wakeUp: WakeUpDescriptor

    private struct RemoteWork {
        var jobs: [UnownedJob] = []
        var bodies: [@Sendable () -> Void] = []
        var isEmpty: Bool { jobs.isEmpty && bodies.isEmpty }
    }

    /// Makes a loop that belongs to the calling thread until `run` is called on another one.
    /// Throws `SystemError` when the kernel has no descriptor left.
    package init() throws(SystemError) {
        poller = try Poller()
        wakeUp = try WakeUpDescriptor.make()
        now = MonotonicTime.read()
        thread = pthread_self()
        try poller.add(wakeUp)
    }

    /// Whether the caller runs on this loop's thread.
    package var isCurrent: Bool { pthread_equal(pthread_self(), thread) != 0 }

    /// Runs `body` on the loop's thread, soon. May be called from any thread.
    package func execute(_ body: @escaping @Sendable () -> Void) {
        let ring = remote.withLock { work in
            defer { work.bodies.append(body) }
            return work.isEmpty
        }
        if ring { wakeUp.ring() }
    }

    /// Starts delivering readiness of `descriptor` to its `ready` method, edge-triggered, both directions.
    package func add(_ descriptor: Descriptor) throws(SystemError) {
        try poller.add(descriptor)
    }

    /// Puts `next` in the place of the registered `current`, which shares its descriptor number: no system call.
    package func replace(_ current: Descriptor, with next: Descriptor) {
        poller.replace(current, with: next)
    }

    /// Stops delivery. The descriptor's number may be closed afterwards.
    package func remove(_ descriptor: Descriptor) {
        poller.remove(descriptor)
    }

    /// Applies a changed `interest` of a registered descriptor.
    package func modify(_ descriptor: Descriptor) {
        poller.modify(descriptor)
    }

    /// Stops delivery of a descriptor that is about to be closed, which needs no system call.
    package func forget(_ descriptor: Descriptor) {
        poller.forget(descriptor)
    }

    /// Turns until `stop` is called. Call it on the thread that is to be the loop's.
    package func run() {
        thread = pthread_self()
        while !stopped { turn() }
    }

    /// Makes `run` return after the current turn. On the loop's thread only.
    package func stop() { stopped = true }

    /// One turn: run the tasks that are ready, wait for readiness or the next timer, deliver both.
    package func turn() {
        runLocalJobs()
        beforeWaiting()
        let count = poller.wait(milliseconds: waitLimit())
        now = MonotonicTime.read()
        for index in 0..<count { poller.deliver(index) }
        timers.fire(now)
        if wakeUp.wasRung { runRemoteWork() }
    }

    private func waitLimit() -> Int32 {
        if stopped || !localJobs.isEmpty || wakeUp.wasRung { return 0 }
        guard let next = timers.next else { return -1 }
        let left = next.nanoseconds - MonotonicTime.read().nanoseconds
        // Rounded up, so that a timer is due when the wait ends.
        return left <= 0 ? 0 : Int32(clamping: (left + 999_999) / 1_000_000)
    }

    private func runLocalJobs() {
        // Only what is ready now: a task that keeps waking itself must not starve the descriptors.
        swap(&localJobs, &runningJobs)
        for job in runningJobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
        runningJobs.removeAll(keepingCapacity: true)
    }

    private func runRemoteWork() {
        wakeUp.clear()
        let work = remote.withLock { work in
            let taken = work
            work = RemoteWork()
            return taken
        }
        localJobs.append(contentsOf: work.jobs)
        for body in work.bodies { body() }
    }
}

extension EventLoop: TaskExecutor {
    /// Takes a task's next step. Steps made ready on the loop's own thread need neither lock nor wake-up.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        guard !isCurrent else { return localJobs.append(job) }
        let ring = remote.withLock { work in
            defer { work.jobs.append(job) }
            return work.isEmpty
        }
        if ring { wakeUp.ring() }
    }
}

extension EventLoop {
    /// Makes a loop on a new thread named `name` (at most 15 bytes are kept) and runs `setUp` there before the first turn.
    package static func spawn(name: String, setUp: @escaping @Sendable (EventLoop) -> Void) throws(SystemError) -> EventLoop {
        let loop = try EventLoop()
        try Thread.start(name: name) {
            loop.thread = pthread_self()
            setUp(loop)
            loop.run()
        }
        return loop
    }
}

extension MonotonicTime {
    /// The kernel's monotonic clock, now.
    package static func read() -> MonotonicTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}
