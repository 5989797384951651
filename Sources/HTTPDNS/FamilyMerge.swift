import Net

/// An answer together with how it was come by.
struct KnownAnswer {
    let answer: Answer
    let fromCache: Bool
    /// Expired, and served inside the window for expired answers.
    let stale: Bool
}

extension Resolution {
    /// Both families as one result; nil when neither has an address. A family without addresses leaves no trace in the result.
    init?(ipv6: KnownAnswer?, ipv4: KnownAnswer?, now: MonotonicTime, elapsed: Duration) {
        switch (ipv6.flatMap(\.ifPositive), ipv4.flatMap(\.ifPositive)) {
        case (nil, nil):
            return nil
        case (let only?, nil), (nil, let only?):
            self.init(
                addresses: only.answer.addresses, source: only.answer.source, fromCache: only.fromCache, stale: only.stale,
                ttl: only.answer.remaining(now: now), elapsed: elapsed)
        case (let six?, let four?):
            self.init(
                addresses: interleaved(six.answer.addresses, four.answer.addresses),
                source: six.answer.source.stricter(than: four.answer.source),
                fromCache: six.fromCache && four.fromCache, stale: six.stale || four.stale,
                ttl: min(six.answer.expiresAt, four.answer.expiresAt).remaining(now: now), elapsed: elapsed)
        }
    }
}

extension KnownAnswer {
    fileprivate var ifPositive: KnownAnswer? { answer.isPositive ? self : nil }
}

extension MonotonicTime {
    fileprivate func remaining(now: MonotonicTime) -> Duration {
        now < self ? .nanoseconds(nanoseconds &- now.nanoseconds) : .zero
    }
}

/// Alternates between the two lists, beginning with the first (RFC 8305 4).
private func interleaved(_ first: [IPAddress], _ second: [IPAddress]) -> [IPAddress] {
    var mixed: [IPAddress] = []
    mixed.reserveCapacity(first.count + second.count)
    for index in 0..<max(first.count, second.count) {
        if index < first.count { mixed.append(first[index]) }
        if index < second.count { mixed.append(second[index]) }
    }
    return mixed
}
