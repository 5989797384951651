package import CLinux
import Glibc
package import Net

/// Calls on sockets that are made once in a connection's life, not for each message.
package enum Socket {
    /// Opens a listening stream socket with its own queue on an address that other loops listen on too (SO_REUSEPORT).
    /// Throws `SystemError` ("bind" when the address is taken or not this host's).
    package static func listen(_ address: SocketAddress, backlog: Int32 = 4096) throws(SystemError) -> Int32 {
        let family = address.address.family == .ipv4 ? AF_INET : AF_INET6
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let socket = try SystemError.check("socket", Glibc.socket(family, type, 0))
        do {
            for option in [SO_REUSEADDR, SO_REUSEPORT] {
                _ = try SystemError.check("setsockopt", linux_set_int_option(socket, SOL_SOCKET, option, 1))
            }
            if family == AF_INET6 { _ = linux_set_int_option(socket, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1) }
            // Accepted sockets inherit it: small writes, such as an event of a stream, must not wait for an acknowledgement.
            _ = linux_set_int_option(socket, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
            _ = try SystemError.check("bind", withRawAddress(address) { bind(socket, $0, $1) })
            _ = try SystemError.check("listen", Glibc.listen(socket, backlog))
        } catch {
            Glibc.close(socket)
            throw error
        }
        return socket
    }

    /// Whether nobody listens on the address yet. SO_REUSEPORT would let a second proxy of the same user share a port in silence; this asks
    /// the kernel without that option. Throws `SystemError` with the reason when the address cannot be had.
    package static func probe(_ address: SocketAddress) throws(SystemError) {
        let family = address.address.family == .ipv4 ? AF_INET : AF_INET6
        let socket = try SystemError.check("socket", Glibc.socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0))
        defer { Glibc.close(socket) }
        _ = linux_set_int_option(socket, SOL_SOCKET, SO_REUSEADDR, 1)
        if family == AF_INET6 { _ = linux_set_int_option(socket, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1) }
        _ = try SystemError.check("bind", withRawAddress(address) { bind(socket, $0, $1) })
        _ = try SystemError.check("listen", Glibc.listen(socket, 1))
    }

    /// The local end of a socket.
    package static func localAddress(_ socket: Int32) -> SocketAddress? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &length) }
        }
        return code == 0 ? SocketAddress(storage) : nil
    }

    /// Whether a route exists towards `address`, asked with a UDP socket that sends nothing.
    package static func hasRoute(to address: SocketAddress) -> Bool {
        let family = address.address.family == .ipv4 ? AF_INET : AF_INET6
        let socket = Glibc.socket(family, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return false }
        defer { Glibc.close(socket) }
        return withRawAddress(address) { connect(socket, $0, $1) } == 0
    }

    /// The addresses of this host's interfaces that are up.
    package static func interfaceAddresses() -> [IPAddress] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var addresses: [IPAddress] = []
        var next = list
        while let entry = next {
            if let raw = entry.pointee.ifa_addr, let address = SocketAddress(raw) { addresses.append(address.address) }
            next = entry.pointee.ifa_next
        }
        return addresses
    }

    /// Raises the soft limit of open descriptors to the hard one and returns it.
    package static func raiseDescriptorLimit() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = limit.rlim_max
            if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }
}

extension SocketAddress {
    /// From the kernel's form; nil for other families than IPv4 and IPv6.
    package init?(_ raw: UnsafePointer<sockaddr>) {
        switch Int32(raw.pointee.sa_family) {
        case AF_INET:
            self = raw.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                SocketAddress(
                    address: IPAddress(ipv4: UInt32(bigEndian: $0.pointee.sin_addr.s_addr)), port: UInt16(bigEndian: $0.pointee.sin_port))
            }
        case AF_INET6:
            self = UnsafeRawPointer(raw).loadUnaligned(as: sockaddr_in6.self).address
        default:
            return nil
        }
    }

    init?(_ storage: sockaddr_storage) {
        let made = withUnsafePointer(to: storage) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { SocketAddress($0) } }
        guard let made else { return nil }
        self = made
    }
}

extension sockaddr_in6 {
    fileprivate var address: SocketAddress {
        let (high, low) = withUnsafeBytes(of: sin6_addr) {
            (UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)), UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
        }
        return SocketAddress(address: IPAddress(ipv6High: high, low: low, scope: sin6_scope_id), port: UInt16(bigEndian: sin6_port))
    }
}

/// Calls `body` with the address in the kernel's form.
func withRawAddress(_ address: SocketAddress, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    if let v4 = address.address.ipv4Value {
        var raw = sockaddr_in()
        raw.sin_family = sa_family_t(AF_INET)
        raw.sin_port = address.port.bigEndian
        raw.sin_addr.s_addr = v4.bigEndian
        return withUnsafePointer(to: raw) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }
    var raw = sockaddr_in6()
    raw.sin6_family = sa_family_t(AF_INET6)
    raw.sin6_port = address.port.bigEndian
    raw.sin6_scope_id = address.address.scope
    withUnsafeMutableBytes(of: &raw.sin6_addr) {
        $0.storeBytes(of: address.address.ipv6High.bigEndian, as: UInt64.self)
        $0.storeBytes(of: address.address.ipv6Low.bigEndian, toByteOffset: 8, as: UInt64.self)
    }
    return withUnsafePointer(to: raw) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in6>.size)) }
    }
}
