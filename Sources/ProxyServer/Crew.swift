import EventLoop
import Net

/// The workers, and the main loop that looks after them.
final class Crew {
    private let loop: EventLoop
    private let shared: SharedState
    private var workers: [(loop: EventLoop, worker: LoopLocal<Worker>)] = []
    private var stillDraining = 0
    private var isDraining = false
    private var isCutting = false
    private var exitCode: Int32 = 0
    private let drainTimer = Timer()

    /// Starts one worker for each list of listening sockets; returns when all of them accept. Throws `StartupError` when one cannot.
    init(_ sockets: [[Int32]], shared: SharedState, loop: EventLoop) throws(StartupError) {
        self.loop = loop
        self.shared = shared
        drainTimer.action = { [unowned self] in drainedTooLong() }
        for (index, listeners) in sockets.enumerated() {
            workers.append(try Crew.start(index, listeners, shared))
        }
    }

    private static func start(
        _ index: Int, _ listeners: [Int32], _ shared: SharedState
    ) throws(StartupError) -> (loop: EventLoop, worker: LoopLocal<Worker>) {
        do throws(SystemError) {
            let carried = try OnceValue<Result<LoopLocal<Worker>, SystemError>>()
            let loop = try EventLoop.spawn(name: "worker-\(index)") { loop in
                carried.finish(Result { () throws(SystemError) in try begin(loop, listeners, shared) })
            }
            return (loop, try carried.wait().get())
        } catch {
            throw StartupError("worker \(index) cannot be started: \(error.call): \(error.reason)")
        }
    }

    private static func begin(_ loop: EventLoop, _ listeners: [Int32], _ shared: SharedState) throws(SystemError) -> LoopLocal<Worker> {
        let worker = try Worker(loop: loop, shared: shared)
        for socket in listeners { try worker.listen(socket) }
        return LoopLocal(worker, on: loop)
    }

    /// Serves until told to stop; returns the exit code.
    func serve(until signals: SignalDescriptor.Set) -> Int32 {
        do {
            let descriptor = try SignalDescriptor(signals) { [unowned self] in stop() }
            try loop.add(descriptor)
            loop.run()
            return exitCode
        } catch {
            shared.log.write(.error, "signals cannot be received", [("reason", error.reason)])
            return 1
        }
    }

    private func stop() {
        guard !isDraining else {
            shared.log.write(.info, "told to stop again: exiting at once")
            return loop.stop()
        }
        isDraining = true
        stillDraining = workers.count
        shared.log.write(.info, "draining: nothing new is accepted")
        let home = LoopLocal(self, on: loop)
        for (loop, worker) in workers {
            loop.execute { [main = self.loop] in
                worker.value.drain { main.execute { home.value.oneDrained() } }
            }
        }
        loop.timers.schedule(drainTimer, at: MonotonicTime.read() + shared.configuration.drainTimeout)
    }

    private func oneDrained() {
        stillDraining -= 1
        guard stillDraining == 0 else { return }
        shared.log.write(.info, "drained")
        loop.stop()
    }

    private func drainedTooLong() {
        guard !isCutting else { return loop.stop() }
        isCutting = true
        shared.log.write(.warning, "the drain time-out has passed: remaining connections are cut")
        for (loop, worker) in workers { loop.execute { worker.value.cut() } }
        // Whatever does not even end now is left to the end of the process.
        loop.timers.schedule(drainTimer, at: MonotonicTime.read() + .seconds(1))
    }
}
