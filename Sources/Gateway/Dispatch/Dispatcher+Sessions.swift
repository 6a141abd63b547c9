import Configuration
import Locking
import Logging
import SessionCore
import TaskAdmission
import TaskStore

/// What operators and upstreams do to whole sessions.
extension Dispatcher {
    /// Which tasks of a session are canceled together.
    enum Sweep: Sendable {
        /// Those that are not under way.
        case pending
        /// Those that are not done.
        case all
    }

    /// How many tasks a sweep holds in memory at a time.
    private static let sweepStep = 100

    /// The attempts of a session that are under way.
    func running(session: String) -> Int {
        state.withLock { $0.admission.running(session: session) }
    }

    /// Does what an operator's mark says, from now on.
    func apply(_ mark: SessionMark) {
        state.withLock { $0.apply(mark) }
        pump()
    }

    /// Starts nothing more of sessions that are about to go; what is queued of them stays queued.
    func withhold(_ sessions: some Sequence<String>) {
        state.withLock { state in
            for session in sessions { _ = state.admission.set(.unconfigured, to: true, session: session) }
        }
    }

    /// Takes other limits, and the sessions of the catalog as they are now, with what operators did to them.
    ///
    /// - Parameter retention: How long tasks are kept that are done from now on.
    func configure(maxRunning: Int, window: Int, retention: RetentionConfiguration) {
        let rules = sessions.rules
        state.withLock { state in
            state.completion.retention = retention
            state.admission.configure(maxRunning: maxRunning, window: window, rules: rules, at: time.now)
            // Asked here, so that what an operator does meanwhile comes after.
            for session in rules.keys { state.apply(sessions.mark(of: session)) }
        }
        for session in rules.keys { didChangeReachability(of: session) }
        pump()
    }

    /// The upstream of a session may have become reachable, or unreachable.
    func didChangeReachability(of session: String) {
        let waits = sessions.configuration(of: session)?.reachability.holdsWhenUnreachable ?? false
        // What is known may change while it is written down: until both agree.
        var known = sessions.reachability(of: session)
        while true {
            let isHeld = waits && known == .notReachable
            let isNews = state.withLock { $0.admission.set(.unreachable, to: isHeld, session: session) }
            if isNews {
                logger.notice(
                    isHeld ? "Tasks wait for their upstream" : "Tasks wait for their upstream no longer",
                    metadata: ["session": "\(session)"])
            }
            let current = sessions.reachability(of: session)
            if current == known { break }
            known = current
        }
        pump()
    }

    /// Cancels the tasks of a session that there are now, in small steps through the store.
    ///
    /// None of the session is started meanwhile.
    ///
    /// - Returns: How many were canceled, those among them whose connections are being closed.
    func cancelTasks(of session: String, _ sweep: Sweep) async throws(TaskStoreError) -> Int {
        let newest = TaskID.last(at: now())
        _ = state.withLock { $0.admission.set(.sweeping, to: true, session: session) }
        defer {
            _ = state.withLock { $0.admission.set(.sweeping, to: false, session: session) }
            pump()
        }
        var canceled = 0
        while true {
            var inPass = 0
            // Before and after what waits, so that none slips through while it is started.
            if sweep == .all { inPass += try await cancelLiveTasks(of: session, upTo: newest) }
            inPass += try await cancelPendingTasks(of: session, sweep, upTo: newest)
            if sweep == .all { inPass += try await cancelLiveTasks(of: session, upTo: newest) }
            canceled += inPass
            // A task whose attempt was lost meanwhile waits again, on a page that was read before.
            guard inPass > 0 else { return canceled }
        }
    }

    private func cancelPendingTasks(
        of session: String, _ sweep: Sweep, upTo newest: TaskID
    ) async throws(TaskStoreError) -> Int {
        var canceled = 0
        var last: TaskID?
        while true {
            guard state.withLock({ $0.isOpen }) else { throw .closed }
            let page = try await store.pending(session: session, after: last, limit: Self.sweepStep)
                .prefix { $0 <= newest }
            guard let end = page.last else { return canceled }
            canceled += try await deliver(sweep == .all ? .cancel : .purge, to: page).count
            last = end
        }
    }

    private func cancelLiveTasks(of session: String, upTo newest: TaskID) async throws(TaskStoreError) -> Int {
        let ids = state.withLock { state in
            state.live.values.compactMap { task -> TaskID? in
                let record = task.record
                guard record.session == session, record.id <= newest else { return nil }
                return record.state.isTerminal || record.state == .canceling ? nil : record.id
            }
        }
        return try await deliver(.cancel, to: ids).count
    }

    /// Delivers a step to many tasks at once, so that the store writes them together.
    ///
    /// - Returns: Those that it changed.
    func deliver(_ step: TaskStep, to ids: some Sequence<TaskID>) async throws(TaskStoreError) -> Set<TaskID> {
        let results = await withTaskGroup(of: (TaskID, Result<Bool, TaskStoreError>).self) { group in
            for id in ids {
                group.addTask { (id, await self.deliver(step, to: id)) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        var changed: Set<TaskID> = []
        for (id, result) in results {
            if try result.get() { changed.insert(id) }
        }
        return changed
    }

    private func deliver(_ step: TaskStep, to id: TaskID) async -> Result<Bool, TaskStoreError> {
        do throws(TaskStoreError) {
            // One that is being created is not in the store yet: the dispatcher has it.
            let live = state.withLock { $0.live[id]?.record }
            let found =
                if let live {
                    live
                } else {
                    // One that cannot be read does not keep the others.
                    try await unlessUnreadable(id) { () async throws(TaskStoreError) in try await task(id) }
                }
            guard let record = found else { return .success(false) }
            switch await reply(to: step, of: record) {
            case .changed: return .success(true)
            case .unchanged, .refused, .preconditionFailed, .gone: return .success(false)
            case .failed(let error): return .failure(error)
            }
        } catch {
            return .failure(error)
        }
    }
}

extension Dispatcher.State {
    /// Does what an operator's mark says.
    mutating func apply(_ mark: SessionMark) {
        _ = admission.set(.suspended, to: mark.isSuspended, session: mark.name)
        if mark.isClosed {
            closedSessions.insert(mark.name)
        } else {
            closedSessions.remove(mark.name)
        }
    }
}
