/// What an event loop drives: a C library with descriptors and timers of its own.
///
/// All calls come on the loop's thread, one at a time.
package protocol EventLoopClient: AnyObject, Sendable {
    /// One turn of the loop, after the jobs enqueued since the last one have run.
    ///
    /// - Parameter ready: The watched descriptors with something to do, in no order. The array is reused by the loop.
    /// - Returns: The longest time, in milliseconds, that the loop may wait for the next event: `0` to come back at
    ///   once, a negative number to wait until something happens.
    func turn(ready: borrowing [ReadyDescriptor]) -> Int32

    /// The loop is about to end: the last call, on the loop's thread. Release what must be released there.
    func loopWillEnd()
}

/// A watched descriptor and what it is ready for.
package struct ReadyDescriptor: Sendable {
    /// The file descriptor.
    package let descriptor: Int32
    /// What can be done with it without blocking.
    package let readiness: Readiness

    package init(descriptor: Int32, readiness: Readiness) {
        self.descriptor = descriptor
        self.readiness = readiness
    }
}
