import Testing

@testable import Net

@Suite("Monotonic time")
struct MonotonicTimeTests {
    @Test("A duration moves a point forwards and backwards")
    func movesByDuration() {
        let start = MonotonicTime(nanoseconds: 5_000_000_000)
        #expect(start + .milliseconds(250) == MonotonicTime(nanoseconds: 5_250_000_000))
        #expect(start - .seconds(7) == MonotonicTime(nanoseconds: -2_000_000_000))
        #expect(start + .seconds(-1) == start - .seconds(1))
        #expect((start + .milliseconds(1)) - start == .milliseconds(1))
        #expect(start - (start + .seconds(2)) == .seconds(-2))
    }

    @Test("Later points are greater")
    func ordersByTime() {
        let points = [3, -1, 2].map { MonotonicTime(nanoseconds: $0) }
        #expect(points.sorted().map(\.nanoseconds) == [-1, 2, 3])
        #expect(points.allSatisfy { $0 < .distantFuture })
    }

    @Test("The distant future stays there, and arithmetic never traps at the ends of the range")
    func saturates() {
        let past = MonotonicTime(nanoseconds: .min)
        #expect(.distantFuture + .seconds(1) == MonotonicTime.distantFuture)
        #expect(.distantFuture + .seconds(Int64.max) == MonotonicTime.distantFuture)
        #expect(past + .seconds(-1) == past)
        #expect(past - .seconds(1) == past)
        #expect(.distantFuture - .seconds(-1) == MonotonicTime.distantFuture)
        #expect(MonotonicTime.distantFuture - past == .nanoseconds(Int64.max))
        #expect(past - MonotonicTime.distantFuture == .nanoseconds(Int64.min))
    }

    @Test(
        "Nanoseconds of a duration are truncated and clamped",
        arguments: [
            (Duration.zero, 0), (.nanoseconds(1), 1), (.nanoseconds(-1), -1), (.microseconds(7), 7_000),
            (.seconds(3600), 3_600_000_000_000),
            (Duration(secondsComponent: 0, attosecondsComponent: 1_999_999_999), 1),
            (Duration(secondsComponent: -1, attosecondsComponent: -500_000_000_000_000_000), -1_500_000_000),
            (.seconds(9_223_372_036), 9_223_372_036_000_000_000), (.seconds(9_223_372_037), .max), (.seconds(Int64.max), .max),
            (.seconds(-9_223_372_037), .min), (.seconds(Int64.min), .min), (.nanoseconds(Int64.max), .max),
            (.nanoseconds(Int64.min), .min),
        ] as [(Duration, Int64)])
    func clampsNanoseconds(duration: Duration, expected: Int64) {
        #expect(duration.nanosecondsClamped == expected)
    }

    @Test("Milliseconds keep their fraction")
    func readsMilliseconds() {
        #expect(Duration.microseconds(1500).milliseconds == 1.5)
        #expect(Duration.seconds(2).milliseconds == 2000)
        #expect(Duration.milliseconds(-3).milliseconds == -3)
        #expect(Duration.zero.milliseconds == 0)
    }

    @Test("Going forwards and back again ends where it began, for any point and duration that stay in range")
    func roundTrips() {
        var random = SeededRandom(seed: 17)
        for _ in 0..<500 {
            let start = MonotonicTime(nanoseconds: .random(in: -(1 << 61)...(1 << 61), using: &random))
            let step = Duration.nanoseconds(Int64.random(in: -(1 << 61)...(1 << 61), using: &random))
            #expect((start + step) - step == start)
            #expect((start + step) - start == step)
        }
    }
}
