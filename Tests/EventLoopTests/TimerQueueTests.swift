import Net
import Testing

@testable import EventLoop

/// A queue whose clock is a number in the test.
private final class Bench {
    let queue = TimerQueue()
    private(set) var fired: [String] = []
    private var timers: [String: Timer] = [:]

    subscript(_ name: String) -> Timer {
        if let known = timers[name] { return known }
        let timer = Timer { [unowned self] in fired.append(name) }
        timers[name] = timer
        return timer
    }

    func schedule(_ name: String, _ time: Int64) { queue.schedule(self[name], at: at(time)) }

    /// Fires and returns who rang in this call.
    func fire(_ time: Int64) -> [String] {
        fired = []
        queue.fire(at(time))
        return fired
    }
}

private func at(_ time: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: time) }

@Suite("A queue of timers")
struct TimerQueueTests {
    private let bench = Bench()

    @Test(
        "rings in the order of the times, whatever the order of scheduling",
        arguments: [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1], [3, 1, 5, 2, 4], [2, 5, 1, 4, 3], [4, 5, 3, 1, 2]] as [[Int64]])
    func order(times: [Int64]) {
        for time in times { bench.schedule("\(time)", time) }
        #expect(bench.queue.next == at(1))
        #expect(bench.fire(5) == ["1", "2", "3", "4", "5"])
        #expect(bench.queue.next == nil)
    }

    @Test("rings nothing before its time, and everything that is due")
    func due() {
        bench.schedule("early", 10)
        bench.schedule("late", 20)
        #expect(bench.fire(9) == [])
        #expect(bench.fire(10) == ["early"])
        #expect(!bench["early"].isScheduled)
        #expect(bench["late"].isScheduled)
        #expect(bench.queue.next == at(20))
        #expect(bench.fire(1_000) == ["late"])
        #expect(bench.fire(1_000) == [])
    }

    @Test("moves a timer to an earlier or a later time; it rings once, at the last one", arguments: [5, 50] as [Int64])
    func move(to time: Int64) {
        for other in 10...30 { bench.schedule("\(other)", Int64(other)) }
        bench.schedule("moved", 20)
        bench.schedule("moved", time)
        #expect(bench["moved"].at == at(time))
        let early = bench.fire(19)
        let late = bench.fire(100)
        #expect((early + late).filter { $0 == "moved" }.count == 1)
        #expect(early.contains("moved") == (time < 20))
        #expect((early + late).count == 22)
    }

    @Test("takes a timer out; taking out what is not in changes nothing")
    func cancel() {
        for name in 1...7 { bench.schedule("\(name)", Int64(name)) }
        bench.queue.cancel(bench["1"])
        bench.queue.cancel(bench["4"])
        bench.queue.cancel(bench["4"])
        bench.queue.cancel(bench["7"])
        bench.queue.cancel(bench["never"])
        #expect(bench.queue.next == at(2))
        #expect(bench.fire(10) == ["2", "3", "5", "6"])
        bench.queue.cancel(bench["2"])
        bench.schedule("1", 11)
        #expect(bench.fire(11) == ["1"])
    }

    @Test("rings all timers of the same time, each once")
    func sameTime() {
        for name in 0..<20 { bench.schedule("\(name)", 7) }
        #expect(bench.fire(6) == [])
        #expect(Set(bench.fire(7)) == Set((0..<20).map { "\($0)" }))
        #expect(bench.fired.count == 20)
    }

    @Test("does not keep a timer for the distant future, and takes one out that is moved there")
    func distantFuture() {
        bench.queue.schedule(bench["a"], at: .distantFuture)
        #expect(!bench["a"].isScheduled)
        bench.schedule("a", 3)
        bench.queue.schedule(bench["a"], at: .distantFuture)
        #expect(bench.queue.next == nil)
        #expect(bench.fire(.max - 1) == [])
    }

    @Test("a timer that an action takes out does not ring any more, though it was due")
    func cancelInsideAction() {
        bench.schedule("second", 2)
        let first = Timer { [bench] in bench.queue.cancel(bench["second"]) }
        bench.queue.schedule(first, at: at(1))
        #expect(bench.fire(5) == [])
        #expect(bench.queue.next == nil)
    }

    @Test("an action may schedule its own timer anew for later")
    func rescheduleInsideAction() {
        let queue = bench.queue
        let periodic = Timer()
        var rings: [Int64] = []
        periodic.action = { [unowned periodic] in
            rings.append(periodic.at.nanoseconds)
            queue.schedule(periodic, at: periodic.at + .nanoseconds(10))
        }
        queue.schedule(periodic, at: at(10))
        for now in 1...35 { queue.fire(at(Int64(now))) }
        #expect(rings == [10, 20, 30])
        #expect(queue.next == at(40))
    }

    @Test("a timer that is scheduled anew for now rings at the next firing, so that the loop turns in between")
    func rescheduleForNowInsideAction() {
        let queue = bench.queue
        let eager = Timer()
        var rings = 0
        eager.action = { [unowned eager] in
            rings += 1
            if rings < 100 { queue.schedule(eager, at: at(10)) }
        }
        queue.schedule(eager, at: at(10))
        queue.fire(at(10))
        #expect(rings == 1)
        queue.fire(at(10))
        #expect(rings == 2)
    }
}

@Suite("A queue of timers against a sorted list")
struct TimerQueueModelTests {
    @Test("agrees after every step of a random run", arguments: 0..<40 as Range<UInt64>)
    func agrees(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let queue = TimerQueue()
        var fired: [Int] = []
        let timers = (0..<48).map { index in Timer { fired.append(index) } }
        var model: [Int: Int64] = [:]
        var now: Int64 = 0
        for _ in 0..<2_000 {
            let index = Int.random(in: timers.indices, using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0...4:
                let time = now + Int64.random(in: -5...200, using: &random)
                queue.schedule(timers[index], at: at(time))
                model[index] = time
            case 5...6:
                queue.cancel(timers[index])
                model[index] = nil
            default:
                now += Int64.random(in: 0...60, using: &random)
                fired = []
                queue.fire(at(now))
                let due = model.filter { $0.value <= now }
                #expect(Set(fired) == Set(due.keys))
                #expect(fired.map { due[$0] ?? .max } == due.values.sorted())
                for index in fired { model[index] = nil }
            }
            #expect(queue.next == model.values.min().map(at))
            #expect(timers[index].isScheduled == (model[index] != nil))
        }
    }
}
