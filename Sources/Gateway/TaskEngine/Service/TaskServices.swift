import ErrandBodyFiles
package import ErrandSessionCore
package import ErrandTaskStore
package import ErrandTime

/// The parts that the task services of all callers share.
package final class TaskServices: Sendable {
    let context: TaskContext
    let dispatcher: Dispatcher
    let intake: TaskIntake
    let bulkRequests: BulkRequests
    /// The nesting limit of documents.
    let maxDepth: Int
    /// Returns true if a caller may still do the work of a request that was admitted before.
    let isStillAdmitted: @Sendable (Caller) -> Bool

    /// Creates the services.
    ///
    /// - Parameters:
    ///   - context: The objects that the parts of the task engine share.
    ///   - dispatcher: Creates and changes the tasks.
    ///   - keysInUse: The idempotency keys whose first requests are being processed.
    ///   - bulkRequests: The outcomes of bulk requests with an idempotency key.
    ///   - keyLifetime: The lifetime of an idempotency key.
    ///   - maxDepth: The nesting limit of documents.
    ///   - isStillAdmitted: Returns true if a caller may still do the work of a request that was admitted before. By
    ///     default each may.
    package init(
        context: TaskContext, dispatcher: Dispatcher, keysInUse: IdempotencyKeysInUse, bulkRequests: BulkRequests,
        keyLifetime: Duration, maxDepth: Int, isStillAdmitted: @escaping @Sendable (Caller) -> Bool = { _ in true }
    ) {
        self.context = context
        self.dispatcher = dispatcher
        intake = TaskIntake(
            context: context, dispatcher: dispatcher, keysInUse: keysInUse, keyLifetime: keyLifetime,
            longestKeyLifetime: max(keyLifetime, dispatcher.longestKeyLifetime))
        self.bulkRequests = bulkRequests
        self.maxDepth = maxDepth
        self.isStillAdmitted = isStillAdmitted
    }

    /// The present, by the clock of the tasks.
    package var now: Timestamp { context.now() }

    /// True from the moment at which no more tasks are accepted, as the gateway stops.
    package var isStopping: Bool { dispatcher.isStopping }

    /// Returns the service for a caller, without allocating memory.
    package func service(for caller: Caller) -> TaskService {
        TaskService(services: self, caller: caller)
    }

    /// Returns the part of a task's state that is not stored, as far as it is shown.
    package func liveState(of record: TaskRecord, showing members: TaskMembers = .all) -> LiveTaskState {
        members.showLiveState && !record.state.isTerminal ? dispatcher.liveState(of: record) : LiveTaskState()
    }

    /// Returns the document of a task.
    ///
    /// - Parameters:
    ///   - live: The part of its state that is not stored.
    ///   - members: The members of the document.
    ///   - details: The parts that were read for this document.
    package func document(
        of record: TaskRecord, live: LiveTaskState, members: TaskMembers, details: TaskDetails
    ) -> [UInt8] {
        func render() -> [UInt8] {
            TaskRenderer.bytes(of: record, live: live, view: .full, members: members, details: details)
        }
        guard record.state.isTerminal, members == .all, details.isEmpty else { return render() }
        return context.recent.document(of: record, render: render)
    }

    /// Returns the latest state of a task that was just created.
    package func current(_ record: TaskRecord) -> TaskRecord {
        context.recent.record(record.id) ?? record
    }

    /// Returns the path of the file with the content of a task's response.
    package func bodyPath(of id: TaskID) -> String {
        context.bodies.path(of: id)
    }

    /// Returns the configuration of a session; `nil` if it does not exist.
    package func configuration(of session: String) -> SessionConfiguration? {
        context.sessions.configuration(of: session)
    }
}
