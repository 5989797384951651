/// A value that lives on one loop and may be *carried* anywhere: only the loop's own thread can open it.
///
/// This is how a task that is started on a loop gets at the loop's worker, whose class is deliberately not `Sendable`.
package final class LoopLocal<Value>: @unchecked Sendable {
    private let content: Value
    private let loop: EventLoop

    /// Wraps a value on its loop's thread.
    package init(_ value: Value, on loop: EventLoop) {
        content = value
        self.loop = loop
    }

    /// The value. Opening it on another thread is a programming error and stops the program.
    package var value: Value {
        precondition(loop.isCurrent, "a loop's value was opened on another thread")
        return content
    }
}
