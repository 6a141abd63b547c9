/// A dedicated thread for blocking work, which Swift's thread pool must not run.
package enum BlockingThread {
    /// Starts a thread that runs `body`.
    package static func run(_ body: @escaping @Sendable () -> Void) {
        startThread(body)
    }
}
