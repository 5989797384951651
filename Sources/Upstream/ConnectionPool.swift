package import EventLoop
package import Net

/// A connection to an origin, and what the pool and the log have to know of it.
package final class UpstreamConnection {
    /// Where it leads.
    package let target: DialTarget
    /// The address that was dialled; nil through a parent proxy.
    package let address: IPAddress?
    /// Its bytes.
    package let stream: ByteStream
    /// Whether a request has been answered on it before.
    package var isReused = false
    fileprivate var idleSince = MonotonicTime(nanoseconds: 0)

    /// Wraps a fresh stream.
    package init(_ target: DialTarget, address: IPAddress?, stream: ByteStream) {
        self.target = target
        self.address = address
        self.stream = stream
    }
}

/// A loop's idle connections, found by scheme, name, port and address. What became readable or closed while idle is never given out.
package final class ConnectionPool {
    private let loop: EventLoop
    private let idleLimit: Duration
    private let countLimit: Int
    private var idle: [DialTarget: [UpstreamConnection]] = [:]
    /// How many connections are idle.
    package private(set) var count = 0
    private let sweepTimer = Timer()
    private static let sweepInterval = Duration.seconds(1)

    /// - Parameters:
    ///   - idleLimit: how long a connection may be idle before it is closed.
    ///   - countLimit: how many are kept; beyond it a connection is closed instead of kept.
    package init(loop: EventLoop, idleLimit: Duration = .seconds(55), countLimit: Int = 1024) {
        self.loop = loop
        self.idleLimit = idleLimit
        self.countLimit = countLimit
        sweepTimer.action = { [unowned self] in sweep() }
    }

    deinit { loop.timers.cancel(sweepTimer) }

    /// The most recently used sound connection to one of `addresses` (nil: any, for parents), idle for at most `freshness`.
    ///
    /// What arrived on an idle connection up to the loop's last wait is known. `asksKernel` also looks for what came since, at the price of
    /// a system call: for requests that cannot be repeated.
    package func take(_ target: DialTarget, addresses: [IPAddress]?, freshness: Duration, asksKernel: Bool) -> UpstreamConnection? {
        guard var group = idle[target] else { return nil }
        defer { idle[target] = group.isEmpty ? nil : group }
        while let index = group.lastIndex(where: { Self.matches($0, addresses) }) {
            let connection = group.remove(at: index)
            count -= 1
            guard connection.stream.isUndisturbed(asksKernel: asksKernel) else {
                connection.stream.close()
                continue
            }
            guard loop.now - connection.idleSince <= freshness else {
                group.append(connection)
                count += 1
                return nil
            }
            connection.isReused = true
            return connection
        }
        return nil
    }

    private static func matches(_ connection: UpstreamConnection, _ addresses: [IPAddress]?) -> Bool {
        guard let addresses, let address = connection.address else { return true }
        return addresses.contains(address)
    }

    /// Keeps a connection whose last answer was read to its end.
    package func give(_ connection: UpstreamConnection) {
        guard count < countLimit, connection.stream.isQuiet() else { return connection.stream.close() }
        connection.idleSince = loop.now
        connection.stream.signal = nil
        idle[connection.target, default: []].append(connection)
        count += 1
        if !sweepTimer.isScheduled { loop.timers.schedule(sweepTimer, at: loop.now + Self.sweepInterval) }
    }

    /// Closes everything.
    package func closeAll() {
        for group in idle.values { for connection in group { connection.stream.close() } }
        idle = [:]
        count = 0
        loop.timers.cancel(sweepTimer)
    }

    private func sweep() {
        for (target, group) in idle {
            let kept = group.filter(isSound)
            guard kept.count < group.count else { continue }
            for connection in group where !isSound(connection) { connection.stream.close() }
            count -= group.count - kept.count
            idle[target] = kept.isEmpty ? nil : kept
        }
        if count > 0 { loop.timers.schedule(sweepTimer, at: loop.now + Self.sweepInterval) }
    }

    private func isSound(_ connection: UpstreamConnection) -> Bool {
        !connection.stream.isReadable && !connection.stream.peerFinished && loop.now - connection.idleSince < idleLimit
    }
}
