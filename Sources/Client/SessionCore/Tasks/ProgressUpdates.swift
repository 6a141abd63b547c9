import ErrandTransfer

/// The progress of a task, sampled ten times a second, which is cheap and sufficient for display.
struct ProgressUpdates: AsyncSequence, Sendable {
    let task: SessionTask

    func makeAsyncIterator() -> Iterator {
        Iterator(task: task)
    }

    struct Iterator: AsyncIteratorProtocol {
        let task: SessionTask
        private var last: TransferProgress?
        private var isOver = false

        init(task: SessionTask) {
            self.task = task
        }

        mutating func next(isolation: isolated (any Actor)? = #isolation) async -> TransferProgress? {
            while !isOver {
                // Read before the progress, so that the last value is complete.
                isOver = task.state == .completed
                let progress = task.progress
                // Sends the last value once more, so that a listener that has seen it learns of the end.
                if isOver || progress != last {
                    last = progress
                    return progress
                }
                do {
                    try await Task.sleep(for: .milliseconds(100))
                } catch {
                    // The listener was cancelled.
                    return nil
                }
            }
            return nil
        }

        mutating func next() async -> TransferProgress? {
            await next(isolation: nil)
        }
    }
}
