import EventLoop
import Net
import Testing

@Suite("What a task waits on")
struct SignalTests {
    // The loop outlives what belongs to it: properties go in the order of their declaration.
    private let signal: Signal
    private let loop: EventLoop

    init() throws {
        loop = try EventLoop()
        signal = Signal(loop: loop)
    }

    private func wait(_ limit: MonotonicTime = .distantFuture) -> Outcome<Signal.Wake> {
        loop.start(with: signal) { await $0.wait(until: limit) }
    }

    @Test("raised before anybody waits, it ends the next wait at once, and only that one")
    func raisedBefore() {
        signal.raise()
        signal.raise()
        let first = wait()
        #expect(loop.turn { first.content != nil })
        #expect(first.content == .raised)
        let second = wait(MonotonicTime.read() + .milliseconds(20))
        #expect(loop.turn { second.content != nil })
        #expect(second.content == .deadline)
    }

    @Test("raised while a task waits, it resumes the task")
    func raisedDuring() {
        let waiting = wait()
        loop.turn(for: .milliseconds(10))
        #expect(waiting.content == nil)
        signal.raise()
        #expect(loop.turn { waiting.content != nil })
        #expect(waiting.content == .raised)
    }

    @Test("ends a wait at its limit, not before")
    func deadline() {
        let limit = MonotonicTime.read() + .milliseconds(30)
        let waiting = wait(limit)
        #expect(loop.turn { waiting.content != nil })
        #expect(waiting.content == .deadline)
        #expect(MonotonicTime.read() >= limit)
    }

    @Test("ends a wait whose limit has passed already")
    func pastDeadline() {
        let waiting = wait(MonotonicTime.read() - .seconds(1))
        #expect(loop.turn(within: .seconds(1)) { waiting.content == .deadline })
    }

    @Test("a later limit of the next wait is kept, though the timer still stands at the earlier one")
    func laterDeadline() {
        let first = wait(MonotonicTime.read() + .milliseconds(20))
        loop.turn(for: .milliseconds(1))
        signal.raise()
        #expect(loop.turn { first.content == .raised })
        let limit = MonotonicTime.read() + .milliseconds(80)
        let second = wait(limit)
        loop.turn(for: .milliseconds(40))
        #expect(second.content == nil)
        #expect(loop.turn { second.content != nil })
        #expect(second.content == .deadline)
        #expect(MonotonicTime.read() >= limit)
    }

    @Test("an earlier limit of the next wait is kept too")
    func earlierDeadline() {
        let first = wait(MonotonicTime.read() + .seconds(60))
        loop.turn(for: .milliseconds(1))
        signal.raise()
        #expect(loop.turn { first.content == .raised })
        let second = wait(MonotonicTime.read() + .milliseconds(10))
        #expect(loop.turn(within: .seconds(5)) { second.content == .deadline })
    }

    @Test("a wait without limit after one with a limit is not ended by the old limit")
    func noDeadlineAfterDeadline() {
        let first = wait(MonotonicTime.read() + .milliseconds(10))
        loop.turn(for: .milliseconds(1))
        signal.raise()
        #expect(loop.turn { first.content == .raised })
        let second = wait()
        loop.turn(for: .milliseconds(40))
        #expect(second.content == nil)
        signal.raise()
        #expect(loop.turn { second.content == .raised })
    }

    @Test("a limit that passes between two waits does not end the second")
    func deadlineBetweenWaits() {
        let first = wait(MonotonicTime.read() + .milliseconds(5))
        loop.turn(for: .milliseconds(1))
        signal.raise()
        #expect(loop.turn { first.content == .raised })
        loop.turn(for: .milliseconds(15))
        let second = wait(MonotonicTime.read() + .milliseconds(60))
        loop.turn(for: .milliseconds(20))
        #expect(second.content == nil)
        #expect(loop.turn { second.content == .deadline })
    }

    @Test("three hundred waits with ever later limits leave one timer, which never moved")
    func manyWaits() {
        let start = MonotonicTime.read() + .seconds(1_000)
        for step in 0..<300 {
            let waiting = wait(start + .seconds(step))
            loop.turn(for: .zero)
            #expect(waiting.content == nil)
            signal.raise()
            #expect(loop.turn { waiting.content == .raised })
        }
        #expect(loop.timers.next == start)
    }

    @Test("a signal that is gone leaves no timer behind")
    func gone() throws {
        do {
            let passing = Signal(loop: loop)
            let waiting = loop.start(with: passing) { await $0.wait(until: MonotonicTime.read() + .seconds(500)) }
            loop.turn(for: .milliseconds(1))
            passing.raise()
            #expect(loop.turn { waiting.content == .raised })
            #expect(loop.timers.next != nil)
        }
        loop.turn(for: .zero)
        #expect(loop.timers.next == nil)
    }

    @Test("a task that yields lets other tasks and descriptors have their turn")
    func yielding() throws {
        let pair = try Pair(on: loop, signal: signal)
        let reader = Signal(loop: loop)
        pair.stream.signal = reader
        let read = loop.start(with: reader) { await $0.wait(until: .distantFuture) }
        let spins = loop.start(with: (signal, read)) { signal, read in
            var count = 0
            while read.content == nil, count < 1_000_000 {
                await signal.yield()
                count += 1
            }
            return count
        }
        loop.turn()
        pair.peer.send("x")
        #expect(loop.turn { spins.content != nil })
        #expect(read.content == .raised)
        #expect((spins.content ?? .max) < 100)
    }
}
