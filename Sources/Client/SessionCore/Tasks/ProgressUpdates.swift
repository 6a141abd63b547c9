import ErrandTime
package import ErrandTransfer

/// The progress of a task, sampled ten times a second, which is cheap and sufficient for display.
package struct ProgressUpdates: AsyncSequence, Sendable {
    private let isOver: @Sendable () -> Bool
    private let progress: @Sendable () -> TransferProgress

    /// Creates the updates of a task.
    ///
    /// - Parameters:
    ///   - isOver: Returns true after the end of the task.
    ///   - progress: Returns the current progress.
    package init(
        isOver: @escaping @Sendable () -> Bool, progress: @escaping @Sendable () -> TransferProgress
    ) {
        self.isOver = isOver
        self.progress = progress
    }

    /// Returns an iterator that begins with the current progress.
    package func makeAsyncIterator() -> Iterator {
        Iterator(self)
    }

    /// An iterator that samples the progress.
    package struct Iterator: AsyncIteratorProtocol {
        private let updates: ProgressUpdates
        private var last: TransferProgress?
        private var isOver = false

        init(_ updates: ProgressUpdates) {
            self.updates = updates
        }

        /// Returns the progress once it has changed; `nil` after the end.
        package mutating func next(isolation: isolated (any Actor)? = #isolation) async -> TransferProgress? {
            while !isOver {
                // Read before the progress, so that the last value is complete.
                isOver = updates.isOver()
                let progress = updates.progress()
                // Sends the last value once more, so that a listener that has seen it learns of the end.
                if isOver || progress != last {
                    last = progress
                    return progress
                }
                do {
                    try await ContinuousClock().boundedSleep(for: .milliseconds(100))
                } catch {
                    // The listener was canceled.
                    return nil
                }
            }
            return nil
        }

        /// Returns the progress once it has changed; `nil` after the end.
        package mutating func next() async -> TransferProgress? {
            await next(isolation: nil)
        }
    }
}
