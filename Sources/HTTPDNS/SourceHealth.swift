package import Net

/// Which endpoints of a service can be used: a circuit breaker for each of them.
///
/// An endpoint that failed is left alone for a while, then probed by one query in the background, and used again once that succeeded.
/// Clients never wait for a probe.
package struct SourceHealth: Sendable {
    /// What an endpoint is good for.
    package enum State: Sendable, Equatable {
        /// It may be asked.
        case closed
        /// It is left alone until then; afterwards it is due for a probe.
        case open(until: MonotonicTime)
        /// A probe is on its way.
        case probing
    }

    /// How bad a failure is.
    package enum Severity: Sendable, Equatable {
        /// Nobody is there, or nothing came in time: opens at once.
        case unreachable
        /// An answer that cannot be used: opens at the third in a row.
        case faulty
    }

    private struct Endpoint {
        var state = State.closed
        var failuresInRow = 0
        var interval = SourceHealth.shortestInterval
        var lastSuccess = MonotonicTime(nanoseconds: .min)
        var probedSince = MonotonicTime(nanoseconds: .min)
    }

    private static let failuresToOpen = 3
    private static let shortestInterval = Duration.seconds(5)
    private static let longestInterval = Duration.seconds(60)

    private var endpoints: [Endpoint]
    private var preferred: Int?
    /// Whether the service refuses the credentials; the same everywhere, so it concerns all endpoints.
    package private(set) var credentialsRefused = false

    /// `count` endpoints, all of them usable.
    package init(count: Int) {
        endpoints = Array(repeating: Endpoint(), count: count)
    }

    /// The state of the endpoint with this number.
    package func state(_ index: Int) -> State { endpoints[index].state }

    /// The endpoints that may be asked: the one that answered last, then the others in configured order.
    package var usable: [Int] {
        var order = endpoints.indices.filter { endpoints[$0].state == .closed }
        if let preferred, let place = order.firstIndex(of: preferred) {
            order.remove(at: place)
            order.insert(preferred, at: 0)
        }
        return order
    }

    /// Notes that an endpoint answered, whatever it said about the name. Returns whether that made it usable again.
    package mutating func succeeded(_ index: Int, now: MonotonicTime) -> Bool {
        credentialsRefused = false
        let wasClosed = endpoints[index].state == .closed
        endpoints[index] = Endpoint(lastSuccess: now)
        return !wasClosed
    }

    /// Makes an endpoint the first choice, because it answered a client's question before the others.
    package mutating func prefer(_ index: Int) { preferred = index }

    /// Notes a failure of a query that was sent at `sentAt`. Returns for how long the endpoint is left alone if this opened it.
    ///
    /// A query that found nobody does not count against an endpoint that answered another one meanwhile: then it was the name that was
    /// slow.
    /// `random` in 0..<1 spreads the interval by a fifth to both sides.
    package mutating func failed(
        _ index: Int, _ severity: Severity, sentAt: MonotonicTime, now: MonotonicTime, random: Double
    ) -> Duration? {
        switch endpoints[index].state {
        case .open: return nil
        case .probing: return sentAt < endpoints[index].probedSince ? nil : open(index, now: now, random: random)
        case .closed: break
        }
        if severity == .unreachable, endpoints[index].lastSuccess >= sentAt { return nil }
        endpoints[index].failuresInRow += 1
        guard severity == .unreachable || endpoints[index].failuresInRow >= Self.failuresToOpen else { return nil }
        return open(index, now: now, random: random)
    }

    /// Notes that an endpoint refused the credentials, which leaves all of them alone. Returns the intervals of those it opened,
    /// and whether this is news.
    package mutating func refusedCredentials(
        _ index: Int, now: MonotonicTime, random: Double
    ) -> (opened: [(index: Int, duration: Duration)], isNews: Bool) {
        let isNews = !credentialsRefused
        credentialsRefused = true
        var opened: [(index: Int, duration: Duration)] = []
        for other in endpoints.indices where endpoints[other].state == .closed || other == index && endpoints[other].state == .probing {
            opened.append((other, open(other, now: now, random: random)))
        }
        return (opened, isNews)
    }

    /// An endpoint that is due for a probe; it counts as probing from now on. While credentials are refused only one probe runs at a time.
    package mutating func takeProbe(now: MonotonicTime) -> Int? {
        if credentialsRefused, endpoints.contains(where: { $0.state == .probing }) { return nil }
        let due = endpoints.indices.first { index in
            if case .open(let until) = endpoints[index].state { until <= now } else { false }
        }
        guard let due else { return nil }
        endpoints[due].state = .probing
        endpoints[due].probedSince = now
        return due
    }

    private mutating func open(_ index: Int, now: MonotonicTime, random: Double) -> Duration {
        let duration = endpoints[index].interval * (0.8 + 0.4 * random)
        endpoints[index].state = .open(until: now + duration)
        endpoints[index].failuresInRow = 0
        endpoints[index].interval = min(endpoints[index].interval * 2, Self.longestInterval)
        return duration
    }
}
