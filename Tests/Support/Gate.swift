import Dispatch

/// A gate that blocks the script of a ``ScriptedServer`` until the test opens it.
package final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    package init() {}

    /// Releases one waiter, now or when it arrives.
    package func open() {
        semaphore.signal()
    }

    /// Blocks the thread until the gate is opened.
    package func wait() {
        semaphore.wait()
    }
}
