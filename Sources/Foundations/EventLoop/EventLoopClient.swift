/// A C library with its own descriptors and timers that an event loop drives.
///
/// All calls are on the loop's thread, one at a time.
package protocol EventLoopClient: AnyObject, Sendable {
    /// Runs one turn, after the jobs that were enqueued since the last one.
    ///
    /// - Parameter ready: The ready descriptors among the watched ones, in no order. The loop reuses the array.
    /// - Returns: The longest time, in milliseconds, that the loop may wait for the next event: `0` for another turn at
    ///   once, a negative number for no limit.
    func turn(ready: borrowing [ReadyDescriptor]) -> Int32

    /// Releases the resources that must be released on the loop's thread; the last call before the loop ends.
    func loopWillEnd()
}

/// A watched descriptor and the events for which it is ready.
package struct ReadyDescriptor: Sendable {
    /// The file descriptor.
    package let descriptor: Int32
    /// The operations that are possible without blocking.
    package let readiness: Readiness

    package init(descriptor: Int32, readiness: Readiness) {
        self.descriptor = descriptor
        self.readiness = readiness
    }
}
