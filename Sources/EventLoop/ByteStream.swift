import CLinux
import Glibc

/// How one read or write ended.
public enum IOResult: Equatable, Sendable {
    /// So many bytes moved, at least one.
    case bytes(Int)
    /// Nothing can move now; the stream raises its signal when that changes.
    case wouldBlock
    /// The peer has sent its last byte (reads only).
    case end
    /// The connection is broken.
    case failed(SystemError)
}

/// A connected stream of bytes: the plain form, straight on a socket. Encrypted streams override reading and writing.
open class ByteStream: Descriptor {
    /// Raised when the stream may be read, written or has ended.
    package final var signal: Signal?
    package unowned let loop: EventLoop
    /// Whether reading may give bytes; false after a read that would block.
    package final var isReadable = false
    /// Whether the peer reset or closed both directions.
    package final private(set) var hasFailed = false
    /// Whether the peer has finished sending. Bytes that it sent before may still be there to read.
    package final private(set) var peerFinished = false
    package final var waitsToWrite = false
    package final private(set) var isClosed = false

    /// Wraps a connected, non-blocking socket. Call `register` before waiting on it.
    package init(_ socket: Int32, loop: EventLoop) {
        self.loop = loop
        super.init(socket)
    }

    deinit { if !isClosed { Glibc.close(number) } }

    /// Whether bytes may be moved by `splice`: nothing stands between the socket and the reader.
    open var isPlain: Bool { true }

    /// Starts watching.
    package final func register() throws(SystemError) { try loop.add(self) }

    override public final func ready(_ readiness: Readiness) {
        var wake = false
        if !readiness.isDisjoint(with: [.readable, .peerFinished, .hungUp, .failed]) {
            wake = true
            isReadable = true
            if !readiness.isDisjoint(with: [.peerFinished, .hungUp]) { peerFinished = true }
            if !readiness.isDisjoint(with: [.hungUp, .failed]) { hasFailed = true }
        }
        if waitsToWrite, !readiness.isDisjoint(with: [.writable, .hungUp, .failed]) {
            waitsToWrite = false
            wake = true
        }
        if wake { signal?.raise() }
    }

    /// Reads what is there, at most the size of `target`.
    open func read(into target: UnsafeMutableRawBufferPointer) -> IOResult {
        let count = recv(number, target.baseAddress, target.count, 0)
        if count > 0 {
            // A short read has emptied the socket; the next bytes are a new edge. With an end announced, only reading shows where it is.
            if count < target.count, !peerFinished { isReadable = false }
            return .bytes(count)
        }
        if count == 0 { return .end }
        guard errno == EAGAIN || errno == EINTR else { return .failed(SystemError(call: "recv", number: errno)) }
        isReadable = false
        return .wouldBlock
    }

    /// Writes as much as the peer takes of `first` followed by `second`. After `.wouldBlock` the next write must offer the same bytes in the
    /// same memory again, more may follow behind them: TLS asks for it.
    open func write(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> IOResult {
        guard second.count > 0 else { return written(send(number, first.baseAddress, first.count, Int32(MSG_NOSIGNAL))) }
        guard first.count > 0 else { return written(send(number, second.baseAddress, second.count, Int32(MSG_NOSIGNAL))) }
        return withUnsafeTemporaryAllocation(of: iovec.self, capacity: 2) { parts in
            parts[0] = iovec(iov_base: UnsafeMutableRawPointer(mutating: first.baseAddress), iov_len: first.count)
            parts[1] = iovec(iov_base: UnsafeMutableRawPointer(mutating: second.baseAddress), iov_len: second.count)
            var message = msghdr()
            message.msg_iov = parts.baseAddress
            message.msg_iovlen = 2
            return written(sendmsg(number, &message, Int32(MSG_NOSIGNAL)))
        }
    }

    /// Writes as much as the peer takes.
    package final func write(_ bytes: UnsafeRawBufferPointer) -> IOResult {
        write(bytes, UnsafeRawBufferPointer(start: nil, count: 0))
    }

    private func written(_ count: Int) -> IOResult {
        if count >= 0 { return .bytes(count) }
        guard errno == EAGAIN || errno == EINTR else { return .failed(SystemError(call: "send", number: errno)) }
        waitsToWrite = true
        return .wouldBlock
    }

    /// Tells the peer that no more bytes will come; its own may go on.
    open func finishWriting() { Glibc.shutdown(number, Int32(SHUT_WR)) }

    /// Whether nothing is left to read right now; decides whether a stream whose message has ended may be kept.
    open func isQuiet() -> Bool {
        guard isReadable, !peerFinished, !hasFailed else { return !peerFinished && !hasFailed }
        var byte: UInt8 = 0
        guard recv(number, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) < 0, errno == EAGAIN else { return false }
        isReadable = false
        return true
    }

    /// Whether an idle stream has neither been written to nor closed by its peer: otherwise it cannot carry another request (RFC 9112 9.3).
    /// Without `asksKernel` the answer is as of the loop's last wait.
    open func isUndisturbed(asksKernel: Bool) -> Bool {
        if isReadable || hasFailed || peerFinished { return false }
        guard asksKernel else { return true }
        var byte: UInt8 = 0
        return recv(number, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) < 0 && errno == EAGAIN
    }

    /// Releases what a subclass holds besides the socket; called once, before the socket is closed.
    open func release() {}

    /// Ends the stream. Bytes that the kernel holds still go out.
    package final func close() {
        guard !isClosed else { return }
        isClosed = true
        release()
        signal = nil
        loop.forget(self)
        Glibc.close(number)
    }

    /// Ends the stream with a reset, so that the peer cannot take what it has for the whole.
    package final func abort() {
        guard !isClosed else { return }
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(number, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        close()
    }
}
