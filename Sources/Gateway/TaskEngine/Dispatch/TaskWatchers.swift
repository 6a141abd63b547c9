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
        /// The task is in a terminal state, or waits for content that its client sends separately.
        case doneOrAwaitingContent
        /// The task has any other revision than this one.
        case changed(from: Int64)
        /// The task has any other revision than this one, or content of a response begins to arrive.
        case changedOrReceiving(from: Int64)

        package func isMet(by record: TaskRecord) -> Bool {
            switch self {
            case .done: record.state.isTerminal
            case .doneOrAwaitingContent: record.state.isTerminal || record.awaitsContent
            case .changed(let revision), .changedOrReceiving(let revision): record.revision != revision
            }
        }
    }

    private struct Watcher {
        let token: UInt64
        let condition: Condition
        /// `nil` until the caller is suspended.
        var continuation: Continuation<Void>?
    }

    private struct State {
        /// The watchers of each task with at least one, oldest first.
        private var watchers: [TaskID: [Watcher]] = [:]
        private var lastToken: UInt64 = 0
        private var isClosed = false

        /// Adds a watcher; returns `nil` if the set is closed.
        mutating func add(_ condition: Condition, of id: TaskID) -> UInt64? {
            guard !isClosed else { return nil }
            lastToken += 1
            let token = lastToken
            change(id) { $0.append(Watcher(token: token, condition: condition)) }
            return token
        }

        /// Sets the continuation of a watcher; returns false if it is removed already.
        mutating func suspend(_ token: UInt64, of id: TaskID, _ continuation: Continuation<Void>) -> Bool {
            change(id) { watchers in
                guard let index = watchers.firstIndex(where: { $0.token == token }) else { return false }
                watchers[index].continuation = continuation
                return true
            }
        }

        /// Removes a watcher; returns `nil` if it is removed already.
        mutating func remove(_ token: UInt64, of id: TaskID) -> Watcher? {
            change(id) { watchers in
                watchers.firstIndex { $0.token == token }.map { watchers.remove(at: $0) }
            }
        }

        /// Removes and returns the watchers whose condition is met.
        mutating func takeMet(of id: TaskID, _ isMet: (Condition) -> Bool) -> [Watcher] {
            guard watchers[id] != nil else { return [] }
            return change(id) { watchers in
                let met = watchers.filter { isMet($0.condition) }
                if !met.isEmpty { watchers.removeAll { isMet($0.condition) } }
                return met
            }
        }

        /// Removes and returns all watchers; no more can be added.
        mutating func close() -> [Watcher] {
            isClosed = true
            defer { watchers = [:] }
            return watchers.values.flatMap(\.self)
        }

        /// Changes the watchers of a task.
        ///
        /// The array is taken out of the dictionary, whose accessors for changes in place allocate.
        private mutating func change<Result>(_ id: TaskID, _ body: (inout [Watcher]) -> Result) -> Result {
            var list = watchers.removeValue(forKey: id) ?? []
            let result = body(&list)
            if !list.isEmpty { watchers[id] = list }
            return result
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
    /// - Throws: `CancellationError` if the calling task is canceled, or if the gateway is closed already: returning
    ///   then would let a loop around this call spin without ever suspending.
    package func wait(
        for id: TaskID, until condition: Condition, timeout: Duration,
        current: @Sendable () async -> TaskRecord?
    ) async throws(CancellationError) {
        guard let token = state.withLock({ $0.add(condition, of: id) }) else { throw CancellationError() }
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
                // False if it was woken or timed out while the task was read.
                let isWaiting = state.withLock { state in
                    !Task.isCancelled && state.suspend(token, of: id, continuation)
                }
                if !isWaiting { continuation.resume() }
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

    /// Wakes the watchers of any change of a task that was written without its record; they read it themselves.
    func didChangeInStore(_ id: TaskID) {
        wake(id) { condition in
            switch condition {
            case .done, .doneOrAwaitingContent: false
            case .changed, .changedOrReceiving: true
            }
        }
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
        for watcher in state.withLock({ $0.takeMet(of: id, isMet) }) { watcher.continuation?.resume() }
    }

    /// Wakes all watchers; later calls of `wait` throw.
    package func close() {
        for watcher in state.withLock({ $0.close() }) { watcher.continuation?.resume() }
    }
}
