import Logging
import TaskStore

/// What operators do to sessions: stored first, so that it outlives the process, then done.
///
/// One thing at a time for each session. What has begun is done to its end, whether or not anybody waits for it.
struct SessionOperations: Sendable {
    let dispatcher: Dispatcher
    let sessions: SessionCatalog
    let logger: Logger
    private let turns = Turns()

    init(dispatcher: Dispatcher, sessions: SessionCatalog, logger: Logger) {
        self.dispatcher = dispatcher
        self.sessions = sessions
        self.logger = logger
    }

    /// What is to become of a session.
    struct Invalidation: Sendable, Hashable {
        /// Cancel what waits and what runs; otherwise all that was accepted is done to its end.
        var cancelsTasks = false
        /// Go on with a fresh session object; otherwise the session takes no task any more.
        var resets = false
    }

    /// Starts nothing of a session any more, until ``resume(_:)``; what runs goes on.
    func suspend(_ name: String) async throws(TaskStoreError) {
        try await setSuspended(true, name)
    }

    /// Ends a ``suspend(_:)``.
    func resume(_ name: String) async throws(TaskStoreError) {
        try await setSuspended(false, name)
    }

    private func setSuspended(_ isSuspended: Bool, _ name: String) async throws(TaskStoreError) {
        try await turns.take(name) { () async throws(TaskStoreError) in
            var mark = sessions.mark(of: name)
            guard mark.isSuspended != isSuspended else { return }
            mark.isSuspended = isSuspended
            try await put(mark)
            logger.notice(isSuspended ? "Session suspended" : "Session resumed", metadata: ["session": "\(name)"])
        }
    }

    /// Cancels what waits: all tasks that are not under way.
    ///
    /// - Returns: How many were canceled.
    func purge(_ name: String) async throws(TaskStoreError) -> Int {
        try await turns.take(name) { () async throws(TaskStoreError) in
            let canceled = try await dispatcher.cancelTasks(of: name, .pending)
            logger.notice("Session purged", metadata: ["session": "\(name)", "canceled": "\(canceled)"])
            return canceled
        }
    }

    /// Ends a session's life, or only that of its session object.
    ///
    /// - Returns: How many tasks were canceled.
    func invalidate(_ name: String, _ invalidation: Invalidation) async throws(TaskStoreError) -> Int {
        try await turns.take(name) { () async throws(TaskStoreError) in
            var mark = sessions.mark(of: name)
            if mark.isClosed == invalidation.resets {
                mark.isClosed = !invalidation.resets
                try await put(mark)
            }
            if invalidation.resets {
                await sessions.reset(name)
                // Of the fresh one nothing is known.
                dispatcher.didChangeReachability(of: name)
            }
            let canceled = invalidation.cancelsTasks ? try await dispatcher.cancelTasks(of: name, .all) : 0
            logger.notice(
                invalidation.resets ? "Session reset" : "Session closed",
                metadata: ["session": "\(name)", "canceled": "\(canceled)"])
            return canceled
        }
    }

    private func put(_ mark: SessionMark) async throws(TaskStoreError) {
        try await dispatcher.store.setSessionMark(mark)
        sessions.apply(mark)
        dispatcher.apply(mark)
    }
}
