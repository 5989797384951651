import CLinux
import EventLoop
import Glibc
import HTTP1
import HTTPDNS
import Net
import Policy

/// The proxy as a whole: starts everything or nothing, waits for signals, drains.
package enum ProxyServer {
    /// Serves until SIGTERM or SIGINT has been obeyed and returns the exit code. Throws `StartupError` before anything is served.
    ///
    /// The first signal drains: nothing new is accepted, what is under way may end within the drain time-out. The second one exits at once.
    package static func run(_ configuration: ProxyConfiguration, version: String) throws(StartupError) -> Int32 {
        let signals = SignalDescriptor.block()
        let log = DiagnosticLog(level: configuration.logLevel)
        let descriptors = Socket.raiseDescriptorLimit()
        let loop = try mainLoop()
        let sockets = try ListenerSockets(configuration.listeners, copies: workerCount(configuration))
        let shared = SharedState(
            configuration: configuration,
            access: AccessPolicy.standard(listeners: sockets.addresses, allowed: configuration.allowedClients),
            destinations: destinationPolicy(configuration, sockets.addresses),
            resolver: try ResolverService(configuration: configuration, loop: loop, log: log),
            pseudonym: ViaPseudonym(random: UInt32.random(in: .min ... .max)), log: log,
            accessLogDescriptor: try LogSink.open(configuration.accessLog))
        let crew = try Crew(sockets.copies, shared: shared, loop: loop)
        log.write(.debug, "started", [("version", version), ("workers", "\(sockets.copies.count)"), ("descriptors", "\(descriptors)")])
        announce(sockets.addresses)
        return crew.serve(until: signals)
    }

    private static func mainLoop() throws(StartupError) -> EventLoop {
        do { return try EventLoop() } catch { throw StartupError("the event loop cannot be set up: \(error.call): \(error.reason)") }
    }

    private static func workerCount(_ configuration: ProxyConfiguration) -> Int {
        configuration.workers > 0 ? configuration.workers : max(1, Int(linux_usable_processors()))
    }

    private static func destinationPolicy(_ configuration: ProxyConfiguration, _ listeners: [SocketAddress]) -> DestinationPolicy {
        DestinationPolicy(
            openToOtherHosts: AccessPolicy.reachesOtherHosts(listeners), allowed: configuration.allowedDestinations,
            ownAddresses: listeners,
            hostAddresses: Socket.interfaceAddresses())
    }

    private static func announce(_ listeners: [SocketAddress]) {
        let places = listeners.map(\.description).joined(separator: ", ")
        let first = listeners.first?.description ?? ""
        let sink = LogSink(descriptor: STDERR_FILENO)
        sink.line { $0.append("httpdns-proxy listening on \(places) - try: curl -x http://\(first) http://example.com/") }
        sink.flush()
    }
}

/// The listening sockets: for each address one for each worker, all bound before anything is served.
struct ListenerSockets {
    /// One list of sockets for each worker.
    let copies: [[Int32]]
    /// The addresses as the kernel bound them.
    let addresses: [SocketAddress]

    init(_ listeners: [SocketAddress], copies count: Int) throws(StartupError) {
        var copies = [[Int32]](repeating: [], count: count)
        var addresses: [SocketAddress] = []
        for wanted in listeners {
            do throws(SystemError) {
                try Socket.probe(wanted)
                var address = wanted
                for index in 0..<count {
                    let socket = try Socket.listen(address)
                    copies[index].append(socket)
                    address = Socket.localAddress(socket) ?? address
                }
                addresses.append(address)
            } catch {
                throw StartupError("--listen: cannot listen on \(wanted): \(error.reason)")
            }
        }
        self.copies = copies
        self.addresses = addresses
    }
}
