import Glibc
import Net
import Synchronization
import Testing

@testable import EventLoop

/// A loop on a thread of its own. It is never stopped, as in the proxy: tasks may still be on their way to it when a test ends.
private func threadedLoop(_ name: String = "under-test") throws -> EventLoop {
    try EventLoop.spawn(name: name) { _ in }
}

private final class Counter: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock { value in
            value += 1
            return value
        }
    }
}

/// Suspends and is resumed from a foreign thread.
private func hop() async {
    await withUnsafeContinuation { (next: UnsafeContinuation<Void, Never>) in
        let started: Void? = try? Thread.start(name: "elsewhere") { next.resume() }
        if started == nil { next.resume() }
    }
}

@Suite("A loop as executor of tasks")
struct ExecutorTests {
    @Test("a task runs and resumes on the loop's thread only, wherever it is resumed from")
    func staysOnItsThread() throws {
        let loop = try threadedLoop()
        let places = try OnceValue<[Bool]>()
        Task(executorPreference: loop) {
            var seen = [loop.isCurrent]
            await Task.yield()
            seen.append(loop.isCurrent)
            for _ in 0..<20 {
                await hop()
                seen.append(loop.isCurrent)
            }
            async let child = loop.isCurrent
            seen.append(await child)
            seen.append(loop.isCurrent)
            places.finish(seen)
        }
        #expect(places.wait() == [Bool](repeating: true, count: 24))
        #expect(!loop.isCurrent)
    }

    @Test("a thousand tasks that are started elsewhere all run there")
    func manyTasks() throws {
        let loop = try threadedLoop()
        let done = try OnceValue<Int>()
        let counter = Counter()
        for _ in 0..<1_000 {
            Task(executorPreference: loop) {
                await Task.yield()
                guard loop.isCurrent else { return }
                let count = counter.next()
                if count == 1_000 { done.finish(count) }
            }
        }
        #expect(done.wait() == 1_000)
    }

    @Test("a task of the loop's own thread runs in the next turn, without a wake-up from outside")
    func ownTask() throws {
        let loop = try EventLoop()
        var order: [String] = []
        let log = LoopLocal(Outcome<[String]>(), on: loop)
        log.value.content = []
        Task(executorPreference: loop) {
            log.value.content?.append("task")
            await Task.yield()
            log.value.content?.append("resumed")
        }
        loop.execute { log.value.content?.append("body") }
        order = log.value.content ?? []
        #expect(order.isEmpty)
        #expect(loop.turn { log.value.content?.count == 3 })
        #expect(log.value.content?.filter { $0 != "body" } == ["task", "resumed"])
    }

    @Test("bodies from several threads all run on the loop's thread, those of one thread in their order")
    func execute() throws {
        let loop = try threadedLoop()
        let seen = Mutex<[[Int]]>([[], [], [], []])
        let done = try OnceValue<Bool>()
        for source in 0..<4 {
            try Thread.start(name: "source-\(source)") {
                for step in 0..<2_000 {
                    loop.execute {
                        let isLast = seen.withLock { lists in
                            lists[source].append(loop.isCurrent ? step : -1)
                            return lists.allSatisfy { $0.count == 2_000 }
                        }
                        if isLast { done.finish(true) }
                    }
                }
            }
        }
        #expect(done.wait())
        #expect(seen.withLock { $0 } == [[Int]](repeating: Array(0..<2_000), count: 4))
    }

    @Test("a body wakes a loop that waits without any timer")
    func wakesUp() throws {
        let loop = try threadedLoop()
        for round in 0..<200 {
            let answer = try OnceValue<Int>()
            loop.execute { answer.finish(round) }
            #expect(answer.wait() == round)
        }
    }

    @Test("a body that executes another one does not run it within itself, and both run")
    func nested() throws {
        let loop = try EventLoop()
        let log = LoopLocal(Outcome<[Int]>(), on: loop)
        log.value.content = []
        loop.execute {
            loop.execute { log.value.content?.append(2) }
            log.value.content?.append(1)
        }
        #expect(loop.turn { log.value.content == [1, 2] })
    }

    @Test("stopped, the loop returns from its run after the turn")
    func stop() throws {
        let loop = try EventLoop()
        let signal = Signal(loop: loop)
        loop.timers.schedule(Timer { [unowned loop] in loop.stop() }, at: MonotonicTime.read() + .milliseconds(5))
        let waiting = loop.start(with: signal) { await $0.wait(until: .distantFuture) }
        loop.run()
        #expect(waiting.content == nil)
        signal.raise()
        loop.turn()
        #expect(waiting.content == .raised)
    }

    @Test("a loop's thread bears the given name, cut to what the kernel keeps")
    func threadName() throws {
        let name = try OnceValue<String>()
        let loop = try threadedLoop("a-rather-long-name-of-a-thread")
        loop.execute {
            var bytes = [UInt8](repeating: 0, count: 64)
            let file = open("/proc/thread-self/comm", O_RDONLY | O_CLOEXEC)
            let count = read(file, &bytes, 64)
            close(file)
            name.finish(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self))
        }
        #expect(name.wait() == "a-rather-long-n\n")
    }
}

@Suite("A loop's turn")
struct TurnTests {
    private let loop: EventLoop

    init() throws { loop = try EventLoop() }

    @Test("timers ring when they are due, not before, in their order")
    func timers() {
        let start = MonotonicTime.read()
        var rings: [(name: Int, after: Duration)] = []
        let timers = [3, 1, 2].map { name in
            Timer { rings.append((name, MonotonicTime.read() - start)) }
        }
        for (timer, name) in zip(timers, [3, 1, 2]) { loop.timers.schedule(timer, at: start + .milliseconds(name * 10)) }
        #expect(loop.turn { rings.count == 3 })
        #expect(rings.map(\.name) == [1, 2, 3])
        for ring in rings { #expect(ring.after >= .milliseconds(ring.name * 10)) }
    }

    @Test("a timer ends the wait by itself: one turn is enough")
    func timerEndsWait() {
        // The first turn may bring news of the loop's own wake-up descriptor.
        loop.turn(for: .zero)
        var rang = false
        let timer = Timer { rang = true }
        loop.timers.schedule(timer, at: MonotonicTime.read() + .milliseconds(15))
        loop.turn()
        #expect(rang)
    }

    @Test("the loop's now moves with each turn and never back")
    func now() {
        var previous = loop.now
        for _ in 0..<50 {
            loop.turn(for: .zero)
            loop.execute {}
            loop.turn()
            #expect(loop.now >= previous)
            previous = loop.now
        }
        #expect(MonotonicTime.read() - loop.now < .seconds(5))
    }

    @Test("the work before waiting is called in each turn, after the tasks")
    func beforeWaiting() {
        let log = LoopLocal(Outcome<[String]>(), on: loop)
        log.value.content = []
        loop.beforeWaiting = { log.value.content?.append("before") }
        Task(executorPreference: loop) { log.value.content?.append("task") }
        loop.execute {}
        loop.turn()
        #expect(log.value.content == ["task", "before"])
        loop.beforeWaiting = {}
    }
}
