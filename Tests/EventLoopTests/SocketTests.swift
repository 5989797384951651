import EventLoop
import Glibc
import Net
import Testing

@Suite("Listening sockets")
struct SocketTests {
    private static let addresses = [SocketAddress("127.0.0.1:0"), SocketAddress("[::1]:0")].compactMap { $0 }

    @Test("port 0 is a port of the kernel's choice, which the socket then tells", arguments: addresses)
    func chosenPort(address: SocketAddress) throws {
        let socket = try Socket.listen(address)
        defer { close(socket) }
        let local = try #require(Socket.localAddress(socket))
        #expect(local.address == address.address)
        #expect(local.port != 0)
        #expect(fcntl(socket, F_GETFL) & O_NONBLOCK != 0)
        #expect(fcntl(socket, F_GETFD) & FD_CLOEXEC != 0)
    }

    @Test("several loops may listen on the same address", arguments: addresses)
    func shared(address: SocketAddress) throws {
        let first = try Socket.listen(address)
        defer { close(first) }
        let bound = try #require(Socket.localAddress(first))
        let second = try Socket.listen(bound)
        defer { close(second) }
        #expect(Socket.localAddress(second) == bound)
    }

    @Test("a port that somebody listens on is found taken, though it could be shared", arguments: addresses)
    func taken(address: SocketAddress) throws {
        let bound: SocketAddress
        do {
            let socket = try Socket.listen(address)
            defer { close(socket) }
            bound = try #require(Socket.localAddress(socket))
            let error = #expect(throws: SystemError.self) { try Socket.probe(bound) }
            #expect(error?.number == EADDRINUSE)
            #expect(error?.reason == "Address already in use")
        }
        #expect(becomesFree(bound))
        // Asking does not take.
        #expect(becomesFree(bound))
    }

    @Test("a port that another program holds for itself cannot be listened on")
    func exclusive() throws {
        let other = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(other) }
        try #require(Glibc.listen(other, 1) == 0)
        let port = try #require(Socket.localAddress(other)).port
        #expect(throws: SystemError(call: "bind", number: EADDRINUSE)) { try Socket.listen(.loopback(port)) }
    }

    @Test("an address that is not this host's is refused, and the reason says so", arguments: ["192.0.2.1:8080", "[2001:db8::1]:8080"])
    func foreign(text: String) throws {
        let address = try #require(SocketAddress(text))
        #expect(throws: SystemError(call: "bind", number: EADDRNOTAVAIL)) { try Socket.listen(address) }
        let error = #expect(throws: SystemError.self) { try Socket.probe(address) }
        #expect(error?.reason == "Cannot assign requested address")
    }

    @Test("IPv6 sockets take no IPv4 connections, so that both families can be listened on")
    func onlyIPv6() throws {
        let any4 = try Socket.listen(try #require(SocketAddress("0.0.0.0:0")))
        defer { close(any4) }
        let port = try #require(Socket.localAddress(any4)).port
        let any6 = try Socket.listen(try #require(SocketAddress("[::]:\(port)")))
        defer { close(any6) }
        #expect(Socket.localAddress(any6)?.port == port)
    }

    @Test("loopback has a route, and is among the host's addresses")
    func hostAddresses() throws {
        #expect(Socket.hasRoute(to: .loopback(53)))
        #expect(Socket.interfaceAddresses().contains(IPAddress(ipv4: 0x7f00_0001)))
        #expect(Socket.localAddress(-1) == nil)
    }

    @Test("only a lack of descriptors or memory counts as such", arguments: [EMFILE, ENFILE, ENOBUFS, ENOMEM])
    func exhaustion(number: Int32) {
        #expect(SystemError(call: "accept4", number: number).isOutOfDescriptors)
        #expect(!SystemError(call: "accept4", number: ECONNABORTED).isOutOfDescriptors)
    }

    @Test("the descriptor limit is raised to what the system allows")
    func descriptorLimit() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            limit.rlim_cur = 64
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            #expect(Socket.raiseDescriptorLimit() == Int(clamping: limit.rlim_max))
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            #expect(limit.rlim_cur == limit.rlim_max)
        }
    }
}

@Suite("A value handed from thread to thread")
struct OnceValueTests {
    @Test("is waited for, and there for everybody who asks afterwards")
    func handed() throws {
        let loop = try EventLoop.spawn(name: "giver") { _ in }
        defer { loop.execute { loop.stop() } }
        let value = try OnceValue<String>()
        loop.execute { value.finish("here") }
        #expect(value.wait() == "here")
    }

    @Test("a loop's value opens on its own thread")
    func loopLocal() throws {
        let loop = try EventLoop()
        #expect(LoopLocal(7, on: loop).value == 7)
    }

    @Test("a loop's value stops the program on any other thread")
    func foreignThread() async {
        await #expect(processExitsWith: .failure) {
            let loop = try EventLoop.spawn(name: "other") { _ in }
            let started = try OnceValue<Bool>()
            loop.execute { started.finish(true) }
            _ = started.wait()
            _ = LoopLocal(7, on: loop).value
        }
    }
}
