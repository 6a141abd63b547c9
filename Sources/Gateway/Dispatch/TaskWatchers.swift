import Locking
package import TaskStore

/// Who waits for a task to change.
///
/// Any thread.
package final class TaskWatchers: Sendable {
    /// What a watcher waits for.
    package enum Condition: Sendable {
        /// A terminal state.
        case done
        /// Any revision but this one.
        case changed(from: Int64)

        package func isMet(by record: TaskRecord) -> Bool {
            switch self {
            case .done: record.state.isTerminal
            case .changed(let revision): record.revision != revision
            }
        }
    }

    private struct Watcher {
        var condition: Condition
        var continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var watchers: [TaskID: [UInt64: Watcher]] = [:]
        var nextToken: UInt64 = 0
        var isClosed = false
    }

    private let state = Mutex(State())

    package init() {}

    /// Waits until a task meets a condition, is deleted, `timeout` has passed, the calling task is cancelled or the
    /// gateway closes.
    ///
    /// The caller reads the task then: what it finds decides.
    ///
    /// - Parameters:
    ///   - current: Gives the task as it is now, asked once the watcher is in place, so that no change slips through.
    package func wait(
        for id: TaskID, until condition: Condition, timeout: Duration,
        current: @escaping @Sendable () async -> TaskRecord?
    ) async {
        let token = state.withLock { state in
            state.nextToken += 1
            return state.nextToken
        }
        var timer: Task<Void, Never>?
        defer { timer?.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isTooLate = state.withLock { state in
                    guard !state.isClosed, !Task.isCancelled else { return true }
                    state.watchers[id, default: [:]][token] = Watcher(condition: condition, continuation: continuation)
                    return false
                }
                guard !isTooLate else { return continuation.resume() }
                timer = Task {
                    if let record = await current(), !condition.isMet(by: record) {
                        // Cancelled when the wait is over for another reason; releasing twice does nothing.
                        try? await Task.sleep(for: timeout)
                    }
                    release(id, token)
                }
            }
        } onCancel: {
            release(id, token)
        }
    }

    private func release(_ id: TaskID, _ token: UInt64) {
        let watcher = state.withLock { state in
            let watcher = state.watchers[id]?.removeValue(forKey: token)
            if state.watchers[id]?.isEmpty == true { state.watchers[id] = nil }
            return watcher
        }
        watcher?.continuation.resume()
    }

    /// A task was written: wakes those whose condition it meets.
    package func didChange(_ record: TaskRecord) {
        wake(record.id) { $0.isMet(by: record) }
    }

    /// A task was deleted: wakes all who wait for it.
    package func didDelete(_ id: TaskID) {
        wake(id) { _ in true }
    }

    private func wake(_ id: TaskID, where isMet: (Condition) -> Bool) {
        let woken: [Watcher] = state.withLock { state in
            guard let watchers = state.watchers[id] else { return [] }
            let met = watchers.filter { isMet($0.value.condition) }
            let left = watchers.filter { met[$0.key] == nil }
            state.watchers[id] = left.isEmpty ? nil : left
            return met.map(\.value)
        }
        for watcher in woken { watcher.continuation.resume() }
    }

    /// Wakes everybody, and whoever comes later at once.
    package func close() {
        let woken: [Watcher] = state.withLock { state in
            state.isClosed = true
            let watchers = state.watchers.values.flatMap(\.values)
            state.watchers = [:]
            return watchers
        }
        for watcher in woken { watcher.continuation.resume() }
    }
}
