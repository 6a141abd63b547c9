/// A thread of its own for work that blocks: Swift's pool must not.
package enum BlockingThread {
    /// Starts `body`.
    package static func run(_ body: @escaping @Sendable () -> Void) {
        startThread(body)
    }
}
