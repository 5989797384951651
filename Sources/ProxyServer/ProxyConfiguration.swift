package import HTTP1
package import HTTPDNS
package import Net

/// Everything that a running proxy was told, as one immutable value. A fresh value holds the defaults.
package struct ProxyConfiguration: Sendable {
    /// Where clients connect; default 127.0.0.1:3128.
    package var listeners = [SocketAddress(address: IPAddress(ipv4: 0x7f00_0001), port: 3128)]
    /// Worker loops, 1...1024; 0 means one for each core, the default.
    package var workers = 0
    /// How names are resolved.
    package var resolver = ResolverConfiguration()
    /// PEM file that the HTTPDNS service is checked against; nil means the system's bundle.
    package var providerCA: String?
    /// Servers for LocalDNS; empty means those of resolv.conf.
    package var localDNSServers: [SocketAddress] = []
    /// PEM file that origins are checked against; nil means the system's bundle.
    package var originCA: String?
    /// Who may connect; empty means loopback alone, or everybody for a listener that the operator opened.
    package var allowedClients: [IPPrefix] = []
    /// Ranges that the default denials do not hold for; default none.
    package var allowedDestinations: [IPPrefix] = []
    /// The proxy that everything is sent through; names are not resolved here then.
    package var parentProxy: ParentProxy?
    /// For one dial over all its addresses, TLS included. Default 10 s.
    package var connectTimeout = Duration.seconds(10)
    /// From the last byte of the request to the first of the answer. Default 60 s.
    package var responseTimeout = Duration.seconds(60)
    /// How long a client may be idle between requests, and how long it may take to send a head. Default 60 s.
    package var idleTimeout = Duration.seconds(60)
    /// How long a body may stand still before the exchange is given up. Default 5 min.
    package var bodyIdleTimeout = Duration.seconds(300)
    /// How long a tunnel may be without a byte in either direction. Default 1 h.
    package var tunnelIdleTimeout = Duration.seconds(3600)
    /// How long requests under way and tunnels may go on after SIGTERM. Default 30 s.
    package var drainTimeout = Duration.seconds(30)
    /// What a message head may be.
    package var limits = HeadLimits()
    /// Where access lines go. Default standard output.
    package var accessLog = AccessLogTarget.standardOutput
    /// Which diagnostics are written to standard error. Default `info`.
    package var logLevel = LogLevel.info

    /// The defaults.
    package init() {}
}

/// Where access lines go.
package enum AccessLogTarget: Sendable, Equatable {
    case standardOutput
    case off
    /// Appended to; made when missing.
    case file(String)
}

/// How much is told on standard error; each level includes those before it.
package enum LogLevel: String, Sendable, Comparable, CaseIterable {
    case error, warning, info, debug

    private var rank: Int { LogLevel.allCases.firstIndex(of: self) ?? 0 }

    package static func < (left: LogLevel, right: LogLevel) -> Bool { left.rank < right.rank }
}

/// Why the proxy did not start. Nothing is left running.
package struct StartupError: Error, Sendable {
    /// One line for standard error: what, where, why.
    package let sentence: String

    /// Wraps a sentence.
    package init(_ sentence: String) { self.sentence = sentence }
}
