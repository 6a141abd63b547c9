package import ErrandConfiguration
import ErrandLocking
import ErrandSessionCore
import ErrandTaskAdmission
import ErrandTaskStore
import ErrandTime
import Logging

/// Operations on whole sessions, requested by operators or caused by upstreams.
extension Dispatcher {
    /// The tasks of a session that are canceled together.
    enum CancellationScope: Sendable {
        /// Tasks without an attempt under way.
        case pending
        /// Tasks that have not ended.
        case all
    }

    /// The number of tasks that a cancellation of many reads at a time.
    private static let cancellationPage = 100
    /// The number of tasks that the store may refuse to cancel in a pass, which reads no more pages then.
    private static let mostCancellationFailures = 4 * cancellationPage

    /// Returns the number of attempts of a session that are under way.
    package func running(session: String) -> Int {
        state.withLock { $0.admission.running(session: session) }
    }

    /// Applies a state that an operator has set on a session.
    func apply(_ controlState: SessionControlState) {
        state.withLock { $0.apply(controlState) }
        startReadyTasks()
    }

    /// Starts no more tasks of sessions that are about to be removed; their queued tasks stay queued.
    package func withhold(_ sessions: some Sequence<String>) {
        state.withLock { state in
            for session in sessions { _ = state.admission.set(.unconfigured, to: true, session: session) }
        }
    }

    /// Applies new limits and the sessions of the catalog with their operator states.
    ///
    /// - Parameter retention: The retention times of tasks that end from now on.
    package func configure(maxRunning: Int, window: Int, retention: RetentionConfiguration) {
        let rules = context.sessions.rules
        state.withLock { state in
            state.completion.retention = retention
            state.longestRetention.include(retention)
            state.admission.configure(maxRunning: maxRunning, window: window, rules: rules, at: context.monotonic.now)
            // Read under this lock, so that a concurrent change by an operator comes after it.
            for session in rules.keys {
                state.apply(context.sessions.controlState(of: session))
                // A session that is configured again has missed the changes in between.
                _ = state.admission.set(.diskFull, to: disk.isShort, session: session)
            }
        }
        noteHolds()
        for session in rules.keys { didChangeReachability(of: session) }
        startReadyTasks()
    }

    /// Ends the pause that a session's upstream has asked for, and closes its circuit.
    ///
    /// ``UpstreamHolds/finish(_:)`` waits until this is stored, so that a restart knows it.
    func forgetUpstream(of session: String) {
        state.withLock { state in
            state.admission.forgetUpstream(session: session)
            noteHold(of: session, in: state)
        }
        startReadyTasks()
    }

    /// Stores the pause of a session if it has changed; called under the lock.
    func noteHold(of session: String, in state: borrowing State) {
        guard let hold = state.admission.hold(session: session, at: context.monotonic.now) else { return }
        holds.note(hold, of: session)
    }

    /// Stores the pauses of all sessions that have changed.
    func noteHolds() {
        state.withLock { state in
            for session in context.sessions.names { noteHold(of: session, in: state) }
        }
    }

    /// Applies the current reachability of a session's upstream.
    func didChangeReachability(of session: String) {
        let waits = context.sessions.configuration(of: session)?.reachability.holdsWhenUnreachable ?? false
        // The reachability may change while it is applied: repeats until both agree.
        var known = context.sessions.reachability(of: session)
        while true {
            let isPaused = waits && known == .notReachable
            let isNews = state.withLock { $0.admission.set(.unreachable, to: isPaused, session: session) }
            if isNews {
                context.logger.notice(
                    isPaused ? "Tasks wait for their upstream" : "Tasks no longer wait for their upstream",
                    metadata: ["session": "\(session)"])
            }
            let current = context.sessions.reachability(of: session)
            if current == known { break }
            known = current
        }
        startReadyTasks()
    }

    /// Cancels all tasks that a session has now, in small steps through the store.
    ///
    /// No task of the session is started meanwhile. A task that cannot be read or changed does not keep the others.
    ///
    /// - Returns: The number of canceled tasks, including those whose connections are still being closed.
    /// - Throws: The failure of a task that is left, after the others were canceled; ``TaskStoreError/Code/closed`` at
    ///   once.
    func cancelTasks(of session: String, scope: CancellationScope) async throws(TaskStoreError) -> Int {
        // Greater than every existing identifier, whatever the clock shows.
        let newest = context.ids.next()
        _ = state.withLock { $0.admission.set(.cancelingTasks, to: true, session: session) }
        defer {
            _ = state.withLock { $0.admission.set(.cancelingTasks, to: false, session: session) }
            startReadyTasks()
        }
        var canceled = 0
        while true {
            var pass = CancellationPass()
            // Before and after the waiting tasks, so that no task escapes while it is started.
            if scope == .all { try await cancelLiveTasks(of: session, upTo: newest, in: &pass) }
            try await cancelPendingTasks(of: session, scope: scope, upTo: newest, in: &pass)
            if scope == .all { try await cancelLiveTasks(of: session, upTo: newest, in: &pass) }
            canceled += pass.canceled
            // A task whose attempt was lost meanwhile waits again, on a page that was read before. One that failed gets
            // another try only if the store has canceled others.
            guard pass.canceled > 0 else {
                if let failure = pass.failure { throw failure }
                return canceled
            }
        }
    }

    /// A pass of a cancellation through the tasks of a session.
    private struct CancellationPass {
        var canceled = 0
        /// The number of failures.
        var failures = 0
        /// The first failure.
        var failure: TaskStoreError?

        /// Adds the outcome of a page.
        ///
        /// - Throws: ``TaskStoreError/Code/closed``, after which nothing can be canceled.
        mutating func add(_ outcome: StepDeliveries) throws(TaskStoreError) {
            if let error = outcome.failure {
                guard error.code != .closed else { throw error }
                failure = failure ?? error
            }
            canceled += outcome.changed.count
            failures += outcome.failures.count
        }
    }

    private func cancelPendingTasks(
        of session: String, scope: CancellationScope, upTo newest: TaskID, in pass: inout CancellationPass
    ) async throws(TaskStoreError) {
        var last: TaskID?
        while pass.failures < Self.mostCancellationFailures {
            guard isOpen else { throw .closed }
            let page = try await context.store.pending(session: session, after: last, limit: Self.cancellationPage)
                .prefix { $0 <= newest }
            guard let end = page.last else { return }
            let outcome = await deliver(scope == .all ? .cancel : .purge, to: page)
            try pass.add(outcome)
            last = end
        }
    }

    private func cancelLiveTasks(
        of session: String, upTo newest: TaskID, in pass: inout CancellationPass
    ) async throws(TaskStoreError) {
        let ids = state.withLock { state in
            state.live.values.compactMap { task -> TaskID? in
                let record = task.record
                guard record.session == session, record.id <= newest else { return nil }
                return record.state.isTerminal || record.state == .canceling ? nil : record.id
            }
        }
        let outcome = await deliver(.cancel, to: ids)
        try pass.add(outcome)
    }

    /// Delivers a step to many tasks concurrently, so that the store writes them together.
    ///
    /// A task to which it cannot be delivered does not stop the others. One that cannot be read or changed for a reason
    /// of its own is logged, and is no failure.
    func deliver(_ step: TaskStep, to ids: some Sequence<TaskID>) async -> StepDeliveries {
        let results = await withTaskGroup(of: (TaskID, Result<Delivery, TaskStoreError>).self) { group in
            for id in ids {
                group.addTask { (id, await self.deliver(step, to: id)) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        var deliveries = StepDeliveries()
        for (id, result) in results {
            switch result {
            case .success(.changed): deliveries.changed.insert(id)
            case .success(.unchanged): break
            case .success(.unreadable): deliveries.unreadable.insert(id)
            case .failure(let error): deliveries.failures[id] = error
            }
        }
        let failed = Array(deliveries.failures.keys)
        if !failed.isEmpty {
            let ending = state.withLock { state in failed.filter { state.live[$0]?.isStoringEnd ?? false } }
            deliveries.ending = Set(ending)
        }
        return deliveries
    }

    /// The outcome of a step that was delivered to one of many tasks.
    private enum Delivery {
        case changed
        case unchanged
        /// The task cannot be read or changed, or does not exist.
        case unreadable
    }

    private func deliver(_ step: TaskStep, to id: TaskID) async -> Result<Delivery, TaskStoreError> {
        do throws(TaskStoreError) {
            let delivery = try await context.unlessUnreadable(id) { () async throws(TaskStoreError) -> Delivery? in
                // A task that is being created is not in the store yet, only in the dispatcher.
                let live = state.withLock { $0.live[id]?.record }
                let found: TaskRecord? = if let live { live } else { try await context.task(id) }
                guard let record = found else { return nil }
                if case .done(_, changed: true) = try await reply(to: step, of: record) { return .changed }
                return .unchanged
            }
            return .success(delivery ?? .unreadable)
        } catch {
            return .failure(error)
        }
    }
}

extension Dispatcher: StepDelivery {
    var isOpen: Bool { state.withLock { $0.isOpen } }
}

extension Dispatcher.State {
    /// Applies a state that an operator has set on a session.
    mutating func apply(_ controlState: SessionControlState) {
        _ = admission.set(.suspended, to: controlState.isSuspended, session: controlState.name)
        if controlState.isClosed {
            closedSessions.insert(controlState.name)
        } else {
            closedSessions.remove(controlState.name)
        }
    }
}
