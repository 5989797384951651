import CAres
package import EventLoop
import Glibc
package import HTTPDNS
package import Net

/// LocalDNS: the host's own hosts file and DNS servers, asked through c-ares on one event loop.
package final class LocalDNS: LocalResolving {
    private let searching: AresChannel
    private let absolute: AresChannel
    private let staysLocal: (String) -> Bool

    /// - Parameters:
    ///   - servers: DNS servers to ask instead of those of resolv.conf; empty for those.
    ///   - staysLocal: names whose look-up may use the search list; every other name is asked for as it stands.
    /// Throws `SystemError` when c-ares cannot be set up.
    package init(loop: EventLoop, servers: [SocketAddress], staysLocal: @escaping (String) -> Bool) throws(SystemError) {
        searching = try AresChannel(loop: loop, servers: servers, search: true)
        absolute = try AresChannel(loop: loop, servers: servers, search: false)
        self.staysLocal = staysLocal
    }

    package func query(
        _ question: Question, completion: @escaping (Result<LocalAnswer, ResolutionFailure>) -> Void
    ) -> any Cancellable {
        // A search list turns a public name into something else as soon as somebody registers a wildcard below it.
        let channel = staysLocal(question.name) ? searching : absolute
        let query = LocalQuery(question.type, completion)
        channel.start(question, query)
        return query
    }
}

/// One question under way. c-ares cannot give up a single query; a cancelled one ends unheard.
final class LocalQuery: Cancellable {
    private var completion: ((Result<LocalAnswer, ResolutionFailure>) -> Void)?
    /// Whether c-ares still works inside the call that started the query, as it does when the hosts file has the answer.
    var isStarting = true

    private let family: IPAddress.Family

    init(_ type: RecordType, _ completion: @escaping (Result<LocalAnswer, ResolutionFailure>) -> Void) {
        family = type == .a ? .ipv4 : .ipv6
        self.completion = completion
    }

    func cancel() { completion = nil }

    func finish(_ result: Result<LocalAnswer, ResolutionFailure>) {
        let waiting = completion
        completion = nil
        waiting?(result)
    }

    func finish(_ status: Int32, _ found: UnsafeMutablePointer<ares_addrinfo>?) {
        defer { if let found { ares_freeaddrinfo(found) } }
        switch status {
        case ARES_SUCCESS: finish(.success(answer(found, fromHosts: isStarting)))
        case ARES_ENOTFOUND: finish(.success(LocalAnswer(outcome: .noSuchName, ttl: LocalQuery.negativeTTL, fromHosts: false)))
        case ARES_ENODATA: finish(.success(LocalAnswer(outcome: .noRecord, ttl: LocalQuery.negativeTTL, fromHosts: false)))
        case ARES_ETIMEOUT: finish(.failure(.timedOut))
        // c-ares reports SERVFAIL and REFUSED of every server as this, after trying again.
        case ARES_ECONNREFUSED: finish(.failure(.serverFailure(rcode: "SERVFAIL")))
        case ARES_ECANCELLED, ARES_EDESTRUCTION: finish(.failure(.cancelled))
        default: finish(.failure(.unreachable(reason: String(cString: ares_strerror(status)))))
        }
    }

    /// c-ares does not pass on the SOA of a negative answer; a short life keeps a mistake short.
    private static let negativeTTL: Int64 = 10

    private func answer(_ found: UnsafeMutablePointer<ares_addrinfo>?, fromHosts: Bool) -> LocalAnswer {
        var addresses: [IPAddress] = []
        var ttl = Int32.max
        var next = found?.pointee.nodes
        while let node = next {
            // c-ares hands on whatever records a server sent; those of the other family are no answer to this question.
            if let raw = node.pointee.ai_addr, let address = SocketAddress(raw)?.address, address.family == family,
                !addresses.contains(address)
            {
                addresses.append(address)
                ttl = min(ttl, node.pointee.ai_ttl)
            }
            next = node.pointee.ai_next
        }
        var alias = found?.pointee.cnames
        while let name = alias {
            ttl = min(ttl, name.pointee.ttl)
            alias = name.pointee.next
        }
        guard !addresses.isEmpty else { return LocalAnswer(outcome: .noRecord, ttl: LocalQuery.negativeTTL, fromHosts: fromHosts) }
        return LocalAnswer(outcome: .addresses(addresses), ttl: Int64(max(0, ttl)), fromHosts: fromHosts)
    }
}
