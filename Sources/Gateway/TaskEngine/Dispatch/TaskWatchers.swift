import ErrandLocking
package import ErrandTaskEvents
package import ErrandTaskStore

import struct Synchronization.Atomic

/// The callers that wait for a task to change.
///
/// A watcher costs an entry and a share of a timer, so that thousands of them cost nothing while nothing changes. Any
/// thread.
package final class TaskWatchers: Sendable {
    /// The condition that a watcher waits for.
    package enum Condition: Sendable {
        /// The task is in a terminal state.
        case done
        /// The task has any other revision than this one.
        case changed(from: Int64)
        /// The task has any other revision than this one, or content of a response begins to arrive.
        case changedOrReceiving(from: Int64)

        package func isMet(by record: TaskRecord) -> Bool {
            switch self {
            case .done: record.state.isTerminal
            case .changed(let revision), .changedOrReceiving(let revision): record.revision != revision
            }
        }
    }

    private struct Watcher {
        var condition: Condition
        /// `nil` until the caller is suspended.
        var continuation: Continuation<Void>?
    }

    private struct State {
        var watchers: [TaskID: [UInt64: Watcher]] = [:]
        var nextToken: UInt64 = 0
        var isClosed = false

        /// Removes a watcher; returns `nil` if it is removed already.
        mutating func remove(_ token: UInt64, of id: TaskID) -> Watcher? {
            let watcher = watchers[id]?.removeValue(forKey: token)
            if watchers[id]?.isEmpty == true { watchers[id] = nil }
            return watcher
        }
    }

    private let state = Mutex(State())
    private let timer: SharedTimer
    private let callers = Atomic(0)

    /// Creates a set without watchers.
    ///
    /// - Parameter timer: Ends waits in which nothing changes.
    package init(timer: SharedTimer = SharedTimer(ContinuousClock())) {
        self.timer = timer
    }

    /// Waits until a task meets a condition or is deleted, `timeout` has passed, or the gateway closes.
    ///
    /// The caller reads the task afterwards and decides by its state.
    ///
    /// - Parameters:
    ///   - current: Returns the current task; called once the watcher is registered, so that no change is missed.
    /// - Throws: `CancellationError` if the calling task is cancelled, or if the gateway is closed already: returning
    ///   then would let a loop around this call spin without ever suspending.
    package func wait(
        for id: TaskID, until condition: Condition, timeout: Duration,
        current: @Sendable () async -> TaskRecord?
    ) async throws(CancellationError) {
        let token = state.withLock { state -> UInt64? in
            guard !state.isClosed else { return nil }
            state.nextToken += 1
            state.watchers[id, default: [:]][state.nextToken] = Watcher(condition: condition)
            return state.nextToken
        }
        guard let token else { throw CancellationError() }
        callers.add(1, ordering: .relaxed)
        // Long waits share a tick of the timer, of which a removed one leaves a trace until its time.
        let end = timer.set(after: timeout, grain: max(.milliseconds(10), timeout / 1000)) { [weak self] in
            self?.release(id, token)
        }
        defer {
            timer.cancel(end)
            release(id, token)
            callers.subtract(1, ordering: .relaxed)
        }
        guard let record = await current(), !condition.isMet(by: record) else { return }
        await suspend(id, token)
        guard !Task.isCancelled else { throw CancellationError() }
    }

    /// The number of callers that wait.
    var count: Int { callers.load(ordering: .relaxed) }

    private func suspend(_ id: TaskID, _ token: UInt64) async {
        await withTaskCancellationHandler {
            await withContinuation { continuation in
                let isOver = state.withLock { state in
                    // Woken or timed out while the task was read.
                    guard state.watchers[id]?[token] != nil, !Task.isCancelled else { return true }
                    state.watchers[id]?[token]?.continuation = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            release(id, token)
        }
    }

    private func release(_ id: TaskID, _ token: UInt64) {
        state.withLock { $0.remove(token, of: id) }?.continuation?.resume()
    }

    /// Wakes the watchers whose condition a written task meets.
    func didChange(_ record: TaskRecord) {
        wake(record.id) { $0.isMet(by: record) }
    }

    /// Wakes the watchers of a task that wait for content.
    ///
    /// Costs next to nothing if there are no watchers.
    func contentDidBegin(of id: TaskID) {
        // A caller is counted before it looks for content, which is seen by then.
        guard count > 0 else { return }
        wake(id) { if case .changedOrReceiving = $0 { true } else { false } }
    }

    /// Wakes all watchers of a deleted task.
    func didDelete(_ id: TaskID) {
        wake(id) { _ in true }
    }

    private func wake(_ id: TaskID, where isMet: (Condition) -> Bool) {
        let woken: [Watcher] = state.withLock { state in
            guard let watchers = state.watchers[id] else { return [] }
            let met = watchers.filter { isMet($0.value.condition) }
            let left = watchers.filter { met[$0.key] == nil }
            state.watchers[id] = left.isEmpty ? nil : left
            return Array(met.values)
        }
        for watcher in woken { watcher.continuation?.resume() }
    }

    /// Wakes all watchers; later calls of `wait` throw.
    package func close() {
        let woken: [Watcher] = state.withLock { state in
            state.isClosed = true
            let watchers = state.watchers.values.flatMap(\.values)
            state.watchers = [:]
            return watchers
        }
        for watcher in woken { watcher.continuation?.resume() }
    }
}
