import EventLoop
package import HTTPDNS
import Net

/// One name of the `resolve` command and what became of it.
package struct ResolvedName: Sendable {
    /// The name as it was given.
    package let name: String
    /// The addresses, or why there are none.
    package let result: Result<Resolution, ResolutionFailure>

    /// Pairs a name with its result.
    package init(name: String, result: Result<Resolution, ResolutionFailure>) {
        self.name = name
        self.result = result
    }
}

/// Resolves names as the proxy would, without serving anything.
package enum ResolveCommand {
    /// Looks all names up at the same time, on a loop of the calling thread, and returns the results in the order of the names.
    /// Throws `StartupError` when the resolver cannot be set up.
    package static func resolve(names: [String], configuration: ProxyConfiguration) throws(StartupError) -> [ResolvedName] {
        let loop: EventLoop
        do { loop = try EventLoop() } catch { throw StartupError("the event loop cannot be set up: \(error.reason)") }
        let service = try ResolverService(configuration: configuration, loop: loop, log: DiagnosticLog(level: configuration.logLevel))
        var results = [Result<Resolution, ResolutionFailure>?](repeating: nil, count: names.count)
        for (index, name) in names.enumerated() {
            service.resolveHere(name) { results[index] = $0 }
        }
        while results.contains(where: { $0 == nil }) { loop.turn() }
        service.shutdown()
        return zip(names, results).map { ResolvedName(name: $0, result: $1 ?? .failure(.cancelled)) }
    }
}
