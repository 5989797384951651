/// An address and a port: where to listen, or where to connect.
package struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    /// The IP address; an IPv6 address may carry a scope.
    package var address: IPAddress
    /// The port, 0...65535; 0 asks the system to choose one when listening.
    package var port: UInt16

    /// The pair of `address` and `port`.
    package init(address: IPAddress, port: UInt16) {
        self.address = address
        self.port = port
    }

    /// From `127.0.0.1:80` or `[::1]:80`; nil for names, for IPv6 without brackets, and for a port that is not a number of 0...65535.
    package init?(_ text: some StringProtocol) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let host = text[..<colon]
        let digits = text[text.index(after: colon)...]
        guard digits.utf8.allSatisfy({ $0.decimalDigit != nil }), let port = UInt16(digits) else { return nil }
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]") && host.utf8.count > 2
        guard let address = IPAddress(isBracketed ? host.dropFirst().dropLast() : host[...]) else { return nil }
        guard isBracketed == (address.family == .ipv6) else { return nil }
        self.init(address: address, port: port)
    }

    /// `127.0.0.1:80` or `[::1]:80`, a scope inside the brackets as `%3`. Parses back to an equal value.
    package var description: String {
        address.family == .ipv4 ? "\(address):\(port)" : "[\(address)]:\(port)"
    }
}
