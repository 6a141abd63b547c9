import Transfer

/// How far a task is, sampled: ten times a second are enough for anybody who looks, and cost next to nothing.
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
                // Before the progress, so that the last one is seen whole.
                isOver = task.state == .completed
                let progress = task.progress
                // Once more at the end: who was told all of it while it ran must see that it has ended.
                if isOver || progress != last {
                    last = progress
                    return progress
                }
                do {
                    try await Task.sleep(for: .milliseconds(100))
                } catch {
                    // Nobody listens any more.
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
