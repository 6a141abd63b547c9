import ErrandLocking
package import ErrandTaskStore
import Logging

/// Operations of operators on sessions: each is stored first, so that it survives the process, then performed.
///
/// The operations on one session run serially. An operation that has begun is completed, even if no caller waits for
/// it.
package struct SessionOperations: Sendable {
    let context: TaskContext
    let dispatcher: Dispatcher
    private let serialQueue = KeyedSerialQueue()

    package init(context: TaskContext, dispatcher: Dispatcher) {
        self.context = context
        self.dispatcher = dispatcher
    }

    private var sessions: SessionCatalog { context.sessions }
    private var logger: Logger { context.logger }

    /// The options of an invalidation.
    package struct Invalidation: Sendable, Hashable {
        /// True to cancel waiting and running tasks; false to complete all accepted tasks.
        package var cancelsTasks: Bool
        /// True to continue with a fresh session object; false to accept no more tasks.
        package var resets: Bool

        /// Creates options.
        package init(cancelsTasks: Bool = false, resets: Bool = false) {
            self.cancelsTasks = cancelsTasks
            self.resets = resets
        }
    }

    /// Starts no more tasks of a session until ``resume(_:)``; running attempts continue.
    package func suspend(_ name: String) async throws(TaskStoreError) {
        try await setSuspended(true, name)
    }

    /// Ends a ``suspend(_:)``.
    package func resume(_ name: String) async throws(TaskStoreError) {
        try await setSuspended(false, name)
    }

    private func setSuspended(_ isSuspended: Bool, _ name: String) async throws(TaskStoreError) {
        try await serialQueue.run(key: name) { () async throws(TaskStoreError) in
            var controlState = sessions.controlState(of: name)
            guard controlState.isSuspended != isSuspended else { return }
            controlState.isSuspended = isSuspended
            try await put(controlState)
            dispatcher.report(isSuspended ? .suspended : .resumed, of: name)
            logger.notice(isSuspended ? "Session suspended" : "Session resumed", metadata: ["session": "\(name)"])
        }
    }

    /// Cancels all tasks of a session that have no attempt under way.
    ///
    /// - Returns: The number of canceled tasks.
    package func purge(_ name: String) async throws(TaskStoreError) -> Int {
        try await serialQueue.run(key: name) { () async throws(TaskStoreError) in
            let canceled = try await dispatcher.cancelTasks(of: name, scope: .pending)
            logger.notice("Session purged", metadata: ["session": "\(name)", "canceled": .stringConvertible(canceled)])
            return canceled
        }
    }

    /// Closes a session, or replaces its session object.
    ///
    /// - Returns: The number of canceled tasks.
    /// - Throws: The failure of the store. If only the end of a pause could not be stored, everything else is done.
    package func invalidate(_ name: String, _ invalidation: Invalidation) async throws(TaskStoreError) -> Int {
        try await serialQueue.run(key: name) { () async throws(TaskStoreError) in
            var controlState = sessions.controlState(of: name)
            if controlState.isClosed == invalidation.resets {
                controlState.isClosed = !invalidation.resets
                try await put(controlState)
            }
            if invalidation.resets {
                await sessions.reset(name)
                dispatcher.forgetUpstream(of: name)
                // The reachability of the fresh session object is unknown.
                dispatcher.didChangeReachability(of: name)
            }
            dispatcher.report(.invalidated(invalidation), of: name)
            let canceled = invalidation.cancelsTasks ? try await dispatcher.cancelTasks(of: name, scope: .all) : 0
            logger.notice(
                invalidation.resets ? "Session reset" : "Session closed",
                metadata: ["session": "\(name)", "canceled": .stringConvertible(canceled)])
            // Last: the session is reset, whether or not a restart knows that its pause has ended.
            if invalidation.resets { try await dispatcher.holds.finish(name) }
            return canceled
        }
    }

    private func put(_ controlState: SessionControlState) async throws(TaskStoreError) {
        try await context.store.setSessionControlState(controlState)
        sessions.apply(controlState)
        dispatcher.apply(controlState)
    }
}
