import Dispatch

/// A door that the blocking script of a ``ScriptedServer`` waits at until the test opens it.
package final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    package init() {}

    /// Lets one waiter through, now or when it comes.
    package func open() {
        semaphore.signal()
    }

    /// Blocks the thread until the gate is opened for it.
    package func wait() {
        semaphore.wait()
    }
}
