package import EventLoop
package import Net

/// Where a connection is to lead, apart from the address: what decides SNI and the certificate check.
package struct DialTarget: Hashable, Sendable {
    /// Whether TLS is spoken towards the origin.
    package let https: Bool
    /// The origin's name or literal; the certificate is checked against it.
    package let host: Host
    /// The origin's port.
    package let port: UInt16

    /// Names a target.
    package init(https: Bool, host: Host, port: UInt16) {
        self.https = https
        self.host = host
        self.port = port
    }
}

/// Why no connection came about.
package enum DialFailure: Error, Equatable, Sendable {
    /// The address answered that nobody listens.
    case refused(IPAddress?)
    /// No address answered in time.
    case timedOut(IPAddress?)
    /// No route, or the network refused.
    case unreachable(IPAddress?, String)
    /// The certificate is not the domain's, not trusted or not valid now.
    case certificate(String)
    /// TLS failed before the certificate could be judged.
    case tls(String)
    /// The parent proxy did not open the way; the status of its answer, 0 when there was none.
    case parent(status: Int, String)
    /// The parent proxy's name has no address, or it cannot be reached.
    case parentUnreachable(String)
    /// This host has no descriptor or memory left.
    case exhausted(SystemError)
    /// Whoever asked does not want it any more.
    case cancelled
    /// A fault of ours or of libcurl, in its words.
    case fault(String)

    /// How much this failure tells, compared with others of the same dial: the greatest is reported.
    var weight: Int {
        switch self {
        case .certificate: 9
        case .tls: 8
        case .parent: 7
        case .parentUnreachable: 6
        case .refused: 5
        case .timedOut: 4
        case .unreachable: 3
        case .exhausted: 2
        case .fault: 1
        case .cancelled: 0
        }
    }
}

/// A dial that came to nothing.
package struct FailedDial: Error, Equatable, Sendable {
    /// The failure that tells most among those of all addresses.
    package let reason: DialFailure
    /// The address that was tried last; nil through a parent proxy.
    package let address: IPAddress?
    /// How many addresses were tried.
    package let triedAddresses: Int
}

/// The proxy that connections go through, in libcurl's terms. Names are resolved by the parent.
package struct ParentHop: Hashable, Sendable {
    /// `http`, `https`, `socks5h` ...; with host and port, without credentials.
    package let url: String
    /// The parent's host as it stands in the URL, without brackets.
    package let host: String
    /// The parent's port.
    package let port: UInt16
    /// User and password, where the parent asks for them.
    package let credentials: ParentCredentials?
    /// Whether a tunnel is asked for by CONNECT (HTTP parents only): for TLS and for CONNECT; plain requests are sent in absolute form.
    package let tunnels: Bool

    /// Whether TLS is spoken towards the parent itself.
    package var isEncrypted: Bool { url.hasPrefix("https:") }

    /// Describes the hop.
    package init(url: String, host: String, port: UInt16, credentials: ParentCredentials?, tunnels: Bool) {
        self.url = url
        self.host = host
        self.port = port
        self.credentials = credentials
        self.tunnels = tunnels
    }
}

/// A parent proxy's user and password. Never printed.
package struct ParentCredentials: Hashable, Sendable, CustomStringConvertible {
    package let user: String
    package let password: String

    /// Keeps both.
    package init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    package var description: String { "(hidden)" }
}
