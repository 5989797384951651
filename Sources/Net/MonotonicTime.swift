/// A point on the monotonic clock, in nanoseconds since an arbitrary start.
///
/// Only differences mean anything. All arithmetic saturates, so `distantFuture` stays in the future whatever is added to it.
package struct MonotonicTime: Hashable, Comparable, Sendable {
    /// Nanoseconds since the clock's start; the whole range of `Int64` is allowed.
    package var nanoseconds: Int64

    /// A point `nanoseconds` after the clock's start.
    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// A point that is never reached: the end of the clock's range, about 292 years after its start.
    package static let distantFuture = MonotonicTime(nanoseconds: .max)

    package static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The point `duration` later; saturates at both ends of the clock's range.
    package static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        let delta = duration.nanosecondsClamped
        let (sum, overflow) = time.nanoseconds.addingReportingOverflow(delta)
        return MonotonicTime(nanoseconds: overflow ? (delta < 0 ? .min : .max) : sum)
    }

    /// The point `duration` earlier; saturates at both ends of the clock's range.
    package static func - (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        let delta = duration.nanosecondsClamped
        let (difference, overflow) = time.nanoseconds.subtractingReportingOverflow(delta)
        return MonotonicTime(nanoseconds: overflow ? (delta < 0 ? .max : .min) : difference)
    }

    /// How long after `earlier` this point lies, negative when it lies before; saturates at about 292 years.
    package static func - (later: MonotonicTime, earlier: MonotonicTime) -> Duration {
        let (difference, overflow) = later.nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
        return .nanoseconds(overflow ? (earlier.nanoseconds < 0 ? Int64.max : Int64.min) : difference)
    }
}

extension Duration {
    /// Whole nanoseconds, truncated towards zero; durations beyond about 292 years become the nearest `Int64`.
    package var nanosecondsClamped: Int64 {
        let (seconds, attoseconds) = components
        let (whole, tooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflow) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return tooLarge || overflow ? (seconds < 0 ? .min : .max) : sum
    }

    /// The duration in milliseconds with its fraction, for logs and reports.
    package var milliseconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) * 1e3 + Double(attoseconds) / 1e15
    }
}
