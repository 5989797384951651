import EventLoop
import Glibc
import HTTPDNS
import Net
import Upstream

/// The resolver's clock and timers on an event loop.
final class LoopClock: ResolverClock {
    private unowned let loop: EventLoop

    init(_ loop: EventLoop) { self.loop = loop }

    var now: MonotonicTime { MonotonicTime.read() }

    var epochSeconds: Int64 { Int64(time(nil)) }

    func schedule(after delay: Duration, _ body: @escaping () -> Void) -> any Cancellable {
        let timer = ScheduledBody(loop, body)
        timer.start(MonotonicTime.read() + delay)
        return timer
    }
}

/// A body that runs once unless cancelled. The queue holds the timer, and the timer this object, until then.
private final class ScheduledBody: Cancellable {
    private unowned let loop: EventLoop
    private let timer = Timer()
    private var body: (() -> Void)?

    init(_ loop: EventLoop, _ body: @escaping () -> Void) {
        self.loop = loop
        self.body = body
    }

    func start(_ time: MonotonicTime) {
        timer.action = {
            let body = self.body
            self.cancel()
            body?()
        }
        loop.timers.schedule(timer, at: time)
    }

    func cancel() {
        loop.timers.cancel(timer)
        timer.action = {}
        body = nil
    }
}

/// Carries the resolver's queries by libcurl. A service given by name without an address is looked up by LocalDNS once, never by itself.
final class FetchTransport: QueryTransport {
    private let fetcher: CurlFetcher
    private let bootstrap: any LocalResolving
    private var addresses: [String: IPAddress] = [:]
    private static let bodyLimit = 64 * 1024

    init(loop: EventLoop, certificateBundle: String?, bootstrap: any LocalResolving) {
        fetcher = CurlFetcher(loop: loop, certificateBundle: certificateBundle)
        self.bootstrap = bootstrap
    }

    func send(
        _ request: ProviderRequest, to endpoint: ProviderEndpoint, timeout: Duration,
        completion: @escaping (Result<ProviderResponse, TransportFailure>) -> Void
    ) -> any Cancellable {
        let query = FetchedQuery()
        if let address = endpoint.dialAddress ?? addresses[endpoint.host] {
            query.step = fetch(request, endpoint, address, timeout, completion)
            return query
        }
        query.step = bootstrap.query(Question(name: endpoint.host, type: .a)) { [self] result in
            guard case .success(let answer) = result, case .addresses(let found) = answer.outcome, let address = found.first else {
                return completion(.failure(.connectFailed("LocalDNS knows no address for \(endpoint.host)")))
            }
            addresses[endpoint.host] = address
            query.step = fetch(request, endpoint, address, timeout) { [self] result in
                // The address may have moved: the next query looks again.
                if case .failure = result { addresses[endpoint.host] = nil }
                completion(result)
            }
        }
        return query
    }

    private func fetch(
        _ request: ProviderRequest, _ endpoint: ProviderEndpoint, _ address: IPAddress, _ timeout: Duration,
        _ completion: @escaping (Result<ProviderResponse, TransportFailure>) -> Void
    ) -> (any Cancellable)? {
        let host = IPAddress(endpoint.host).map(Host.address) ?? .name(endpoint.host)
        return fetcher.fetch(
            FetchRequest(
                url: request.url, host: host, port: endpoint.port, address: address, headers: request.headers, timeout: timeout,
                bodyLimit: FetchTransport.bodyLimit)
        ) { result in
            switch result {
            case .success(let response):
                completion(
                    .success(
                        ProviderResponse(status: response.status, body: response.body, date: response.date, elapsed: response.elapsed)))
            case .failure(let failure): completion(.failure(FetchTransport.failure(failure)))
            }
        }
    }

    private static func failure(_ failure: FetchFailure) -> TransportFailure {
        switch failure {
        case .timedOut: .timedOut
        case .connectFailed(let reason): .connectFailed(reason)
        case .tls(let reason): .tls(reason)
        case .tooLarge: .tooLarge
        case .other(let reason): .other(reason)
        }
    }
}

extension Fetch: Cancellable {}

/// A query in one or two steps: the bootstrap look-up, then the fetch.
private final class FetchedQuery: Cancellable {
    var step: (any Cancellable)?

    func cancel() {
        step?.cancel()
        step = nil
    }
}
