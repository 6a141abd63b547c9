import ErrandTaskStore
import FoundationEssentials
import GRDB

/// The index walk that drives a list or a count, if its filters leave a choice: the one with the fewest rows.
///
/// Rows are counted with an index, up to a bound, and up to a larger bound while all candidates exceed it.
enum ListDriver: Equatable {
    /// The tasks that have a label with this key.
    case label(String)
    /// The tasks of the sessions, of the states, or all tasks.
    case tasks
    /// The tasks of the kind.
    case kind
    /// The tasks that ended at the time of the filters.
    case finish

    /// The bounds, smallest first.
    private static let bounds = [128, 2048, 32_768]
    /// The most walks through sessions and states that are counted, and that are merged if labels are tested.
    private static let maxWalks = 64

    /// Chooses the walk of a query.
    ///
    /// Among equals the order of the cases decides.
    ///
    /// - Parameter inOrder: True if the walk must find the newest task first.
    static func best(
        for query: TaskQuery, within identifiers: ClosedRange<TaskID>, inOrder: Bool = true, in db: Database
    ) throws -> ListDriver {
        let candidates = Self.candidates(for: query, inOrder: inOrder)
        guard candidates.count > 1, query.parent == nil else { return candidates.first ?? .tasks }
        for bound in bounds {
            for candidate in candidates {
                if try candidate.isShort(for: query, within: identifiers, bound: bound, in: db) { return candidate }
            }
        }
        return candidates[0]
    }

    private static func candidates(for query: TaskQuery, inOrder: Bool) -> [ListDriver] {
        var candidates = query.labels.keys.sorted().map { ListDriver.label($0) }
        let states = query.states.isEmpty ? TaskState.allCases.count : query.states.count
        let isNarrow = query.sessions != nil || !query.states.isEmpty
        let hasFewWalks = (query.sessions?.count ?? 1) * states <= maxWalks
        if isNarrow, hasFewWalks || query.labels.isEmpty {
            candidates.append(.tasks)
        }
        // Walks over the sessions of a caller are already short.
        if query.kind != nil, query.sessions == nil { candidates.append(.kind) }
        if !inOrder, hasFewWalks, query.finishedAfter != nil || query.finishedBefore != nil {
            candidates.append(.finish)
        }
        return candidates
    }

    /// Returns true if the walk has at most the given number of rows.
    private func isShort(
        for query: TaskQuery, within identifiers: ClosedRange<TaskID>, bound: Int, in db: Database
    ) throws -> Bool {
        let range = [identifiers.lowerBound.blob, identifiers.upperBound.blob]
        func isShort(_ source: String, _ values: StatementArguments) throws -> Bool {
            let statement = try db.cachedStatement(
                sql: "SELECT 1 FROM \(source) AND id BETWEEN ? AND ? LIMIT 1 OFFSET ?")
            return try Row.fetchCursor(statement, arguments: values + StatementArguments(range) + [bound]).next() == nil
        }
        switch self {
        case .finish:
            let statement = try db.cachedStatement(
                sql: """
                    SELECT 1 FROM tasks INDEXED BY tasks_by_finish WHERE finished_at > ? AND finished_at < ?
                    LIMIT 1 OFFSET ?
                    """)
            let bounds = query.finishBounds
            return try Row.fetchCursor(statement, arguments: [bounds.after, bounds.before, bound]).next() == nil
        case .label(let key):
            return try isShort(
                "labels INDEXED BY labels_by_value WHERE key = ? AND value = ?",
                [Data(key.utf8), Data((query.labels[key] ?? "").utf8)])
        case .kind:
            return try isShort("tasks INDEXED BY tasks_by_kind WHERE kind = ?", [query.kind?.rawValue])
        case .tasks:
            // One long walk suffices to exceed the bound.
            for state in query.states.isEmpty ? TaskState.allCases : Array(query.states) {
                guard let sessions = query.sessions else {
                    guard try isShort("tasks INDEXED BY tasks_by_state WHERE state = ?", [state.rawValue]) else {
                        return false
                    }
                    continue
                }
                for session in sessions {
                    guard
                        try isShort(
                            "tasks INDEXED BY tasks_by_session WHERE session = ? AND state = ?",
                            [session, state.rawValue])
                    else { return false }
                }
            }
            return true
        }
    }
}
