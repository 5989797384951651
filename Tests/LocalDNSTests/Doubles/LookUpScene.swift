import EventLoop
import HTTPDNS
import LocalDNS
import Net

/// LocalDNS with one scripted server.
final class LookUpScene {
    typealias Result = Swift.Result<LocalAnswer, ResolutionFailure>

    let server: NameServer
    let dns: LocalDNS
    // The loop outlives what belongs to it: properties go in the order of their declaration.
    let loop: EventLoop

    init(staysLocal: @escaping (String) -> Bool = { _ in false }, _ script: @escaping NameServer.Script) throws {
        loop = try EventLoop()
        server = try NameServer(on: loop, script)
        dns = try LocalDNS(loop: loop, servers: [server.address], staysLocal: staysLocal)
    }

    /// Asks and turns until the answer is there.
    func ask(_ name: String, _ type: RecordType = .a) -> Result? {
        var result: Result?
        _ = dns.query(Question(name: name, type: type)) { result = $0 }
        _ = loop.turn { result != nil }
        return result
    }
}

extension LocalAnswer {
    /// An answer with addresses, from a server.
    static func addresses(_ texts: String..., ttl: Int64) -> LocalAnswer {
        LocalAnswer(outcome: .addresses(texts.compactMap { IPAddress($0) }), ttl: ttl, fromHosts: false)
    }
}
