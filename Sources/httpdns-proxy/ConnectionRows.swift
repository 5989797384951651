import Net
import ProxyServer

/// Who connects to the proxy, where the proxy connects to, and how long and large things may get.
extension SettingsTable {
    static let clientRows: [Setting] = [
        .addresses(
            "listen", default: .text("127.0.0.1:3128"), to: \.proxy.listeners, help: "Where clients connect."),
        .prefixes(
            "allow-client", default: "loopback, or every client of an opened listener", to: \.proxy.allowedClients,
            help: "Who may connect; everybody else gets 403."),
        .integer(
            "workers", 1...1024, default: .described("number of cores"), to: \.proxy.workers,
            help: "Event loops, each with its own thread, listener and connection pool."),
    ]

    static let destinationRows: [Setting] = [
        .prefixes(
            "allow-destination", default: "none", to: \.proxy.allowedDestinations,
            help: "Addresses exempt from the rules that refuse loopback, private, link-local and metadata addresses."),
        .certificates(
            "ca", to: \.proxy.originCA, help: "Certificates trusted when the proxy itself speaks TLS to an origin."),
        .one(
            "parent-proxy", .proxyURL, default: .described("none"), to: \.proxy.parentProxy,
            help: "Send everything through this proxy; names are then not resolved here."
        ) { (text, _) throws(ValueProblem) in
            do throws(ParentProxyError) {
                return try ParentProxy(url: text)
            } catch {
                throw ValueProblem("is not the URL of a proxy (\(error.sentence))")
            }
        },
    ]

    static let limitRows: [Setting] = [
        .duration(
            "connect-timeout", .milliseconds(50)...(.seconds(600)), default: "10s", to: \.proxy.connectTimeout,
            help: "Longest wait for one connection, TLS included."),
        .duration(
            "response-timeout", .milliseconds(50)...(.seconds(86_400)), default: "60s", to: \.proxy.responseTimeout,
            help: "Longest wait for the first byte of an answer."),
        .duration(
            "idle-timeout", .milliseconds(50)...(.seconds(86_400)), default: "60s", to: \.proxy.idleTimeout,
            help: "How long a client connection without a request stays open."),
        .duration(
            "body-idle-timeout", .milliseconds(50)...(.seconds(86_400)), default: "5m", to: \.proxy.bodyIdleTimeout,
            help: "How long a request or response body may stand still."),
        .duration(
            "tunnel-idle-timeout", .milliseconds(50)...(.seconds(604_800)), default: "1h", to: \.proxy.tunnelIdleTimeout,
            help: "How long a tunnel may be silent in both directions."),
        .duration(
            "drain-timeout", .zero...(.seconds(3600)), default: "30s", to: \.proxy.drainTimeout,
            help: "After SIGTERM, how long requests in progress may still take."),
        .bytes(
            "max-request-line", 64...(1 << 20), default: "8KiB", to: \.proxy.maximumRequestLine,
            help: "Longest request line; a longer one gets 414."),
        .bytes(
            "max-head", 1024...(16 << 20), default: "64KiB", to: \.proxy.maximumHead,
            help: "Largest request or response head; a larger request head gets 431, a larger response head 502."),
    ]
}
