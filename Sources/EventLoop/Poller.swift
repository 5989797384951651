import CLinux
import Glibc

/// The epoll set. Each registration carries a generation, so that news of a descriptor that was closed and whose number was given out
/// again in the same batch reaches nobody.
final class Poller {
    private let epoll: Int32
    private var registered: [Descriptor?] = []
    private var generation: UInt32 = 0
    private let events: UnsafeMutableBufferPointer<epoll_event>
    private static let batch = 512

    init() throws(SystemError) {
        epoll = try SystemError.check("epoll_create1", epoll_create1(Int32(EPOLL_CLOEXEC)))
        events = .allocate(capacity: Poller.batch)
        events.initialize(repeating: epoll_event())
    }

    deinit {
        close(epoll)
        events.deallocate()
    }

    func add(_ descriptor: Descriptor) throws(SystemError) {
        let index = Int(descriptor.number)
        if index >= registered.count { registered.append(contentsOf: repeatElement(nil, count: index + 64 - registered.count)) }
        generation &+= 1
        descriptor.generation = generation
        var event = epoll_event()
        event.events = descriptor.interest
        event.data.u64 = UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor.number))
        if epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor.number, &event) != 0 {
            // A library may give a socket back and take it again without closing it: then the registration only changes hands.
            guard errno == EEXIST else { throw SystemError(call: "epoll_ctl", number: errno) }
            _ = try SystemError.check("epoll_ctl", epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor.number, &event))
        }
        registered[index] = descriptor
    }

    func replace(_ current: Descriptor, with next: Descriptor) {
        next.generation = current.generation
        current.generation = 0
        registered[Int(current.number)] = next
    }

    func remove(_ descriptor: Descriptor) {
        let index = Int(descriptor.number)
        guard index < registered.count, registered[index] === descriptor else { return }
        registered[index] = nil
        descriptor.generation = 0
        var event = epoll_event()
        epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor.number, &event)
    }

    /// Tells the kernel that `descriptor.interest` has changed.
    func modify(_ descriptor: Descriptor) {
        guard descriptor.generation != 0 else { return }
        var event = epoll_event()
        event.events = descriptor.interest
        event.data.u64 = UInt64(descriptor.generation) << 32 | UInt64(UInt32(bitPattern: descriptor.number))
        epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor.number, &event)
    }

    /// Forgets `descriptor` without telling the kernel, which forgets a closed descriptor by itself.
    func forget(_ descriptor: Descriptor) {
        let index = Int(descriptor.number)
        guard index < registered.count, registered[index] === descriptor else { return }
        registered[index] = nil
        descriptor.generation = 0
    }

    /// Waits for at least one event or the limit (-1: none) and returns how many there are.
    func wait(milliseconds: Int32) -> Int {
        Int(max(0, epoll_wait(epoll, events.baseAddress, Int32(Poller.batch), milliseconds)))
    }

    func deliver(_ index: Int) {
        let event = events[index]
        let number = Int(UInt32(truncatingIfNeeded: event.data.u64))
        guard number < registered.count, let descriptor = registered[number],
            descriptor.generation == UInt32(truncatingIfNeeded: event.data.u64 >> 32)
        else { return }
        descriptor.ready(Readiness(rawValue: event.events))
    }
}

/// What epoll says of a descriptor.
public struct Readiness: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    package static let readable = Readiness(rawValue: linux_epoll_in)
    package static let writable = Readiness(rawValue: linux_epoll_out)
    /// The peer will send no more (half-close, or more).
    package static let peerFinished = Readiness(rawValue: linux_epoll_rdhup)
    /// Both directions are over.
    package static let hungUp = Readiness(rawValue: linux_epoll_hup)
    package static let failed = Readiness(rawValue: linux_epoll_err)
}

/// A descriptor number that a loop watches; subclasses say what readiness means to them.
open class Descriptor {
    /// The kernel's number.
    package let number: Int32
    fileprivate var generation: UInt32 = 0
    /// The epoll mask to register with; edge-triggered and both directions unless a subclass says otherwise.
    open var interest: UInt32 { linux_epoll_edge_all }

    package init(_ number: Int32) { self.number = number }

    /// Called on the loop's thread with what became ready.
    open func ready(_ readiness: Readiness) {}
}

/// The eventfd by which other threads wake a loop.
final class WakeUpDescriptor: Descriptor {
    private(set) var wasRung = false

    static func make() throws(SystemError) -> WakeUpDescriptor {
        WakeUpDescriptor(try SystemError.check("eventfd", CLinux.eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))))
    }

    deinit { Glibc.close(number) }

    func ring() {
        var one: UInt64 = 1
        _ = Glibc.write(number, &one, 8)
    }

    func clear() {
        // Edge-triggered: each ring is an edge of its own, so the counter need not be read back to zero each time; it is read to keep it small.
        var count: UInt64 = 0
        _ = Glibc.read(number, &count, 8)
        wasRung = false
    }

    override func ready(_ readiness: Readiness) { wasRung = true }
}
