import ErrandLocking
import ErrandTaskAdmission
package import ErrandTaskStore
import ErrandTime

extension TaskHold {
    /// Creates the filter for tasks with this `hold`; `nil` if there is no such reason.
    package init?(_ name: String) {
        switch WaitReason(rawValue: name) {
        case .ordering: self = .ordering
        case let reason?: self = .session(reason.rawValue)
        case nil where name == Self.content.name: self = .content
        case nil: return nil
        }
    }

    /// The names of all reasons, for messages.
    package static let oneOf = ([Self.content.name] + WaitReason.allCases.map(\.rawValue)).joined(separator: ", ")
}

extension Dispatcher {
    /// Returns a query for the tasks that have the reason of its hold at present.
    ///
    /// - Throws: An error if the store cannot tell which sessions have tasks.
    func narrowedToHold(_ query: TaskQuery) async throws(TaskStoreError) -> TaskQuery {
        guard let hold = query.hold else { return query }
        var query = query
        query.states = query.states.isEmpty ? hold.states : query.states.intersection(hold.states)
        // A task that waits has no end.
        let mayMatch = !query.states.isEmpty && !query.selectsByEnd
        if !mayMatch { query.sessions = [] }
        guard mayMatch, case .session(let reason) = hold else { return query }
        var sessions = query.sessions ?? []
        if query.sessions == nil { sessions = Set(try await context.store.counts().sessions) }
        let now = context.monotonic.now
        query.sessions = state.withLock { state in
            sessions.filter { state.admission.waitReason(session: $0, at: now)?.rawValue == reason }
        }
        return query
    }

    /// Returns true if a task of a session would have the reason of a query's hold now, or the query has none that
    /// sessions share.
    func stillHolds(_ record: TaskRecord, as query: TaskQuery) -> Bool {
        guard case .session(let reason)? = query.hold else { return true }
        let now = context.monotonic.now
        return state.withLock { $0.admission.waitReason(session: record.session, at: now) }?.rawValue == reason
    }
}

extension TaskQuery {
    /// True if only tasks that have ended match.
    fileprivate var selectsByEnd: Bool { order.isByEnd || finishedAfter != nil || finishedBefore != nil }
}
