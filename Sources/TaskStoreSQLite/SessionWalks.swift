import FoundationEssentials
import GRDB
import TaskStore

/// The tasks of a page that are those of many sessions, newest first.
///
/// One statement can merge so many walks only (``ListPlan``), and one walk through the tasks of all sessions would pass
/// any number of tasks of others. So each session is searched by itself, for each state, and each search ends where
/// what was found before has filled the page: how much is read grows with the number of sessions, never with the number
/// of tasks.
struct SessionWalks {
    private let states: [String]
    private let sessions: [String]
    private let kind: String?
    private let identifiers: ClosedRange<TaskID>
    private let limit: Int

    /// The most walks that one statement merges.
    private static let maxMerged = 64

    /// Plans the walks; `nil` when one statement finds the page better.
    init?(_ query: TaskQuery, _ identifiers: ClosedRange<TaskID>) {
        let states = query.states.isEmpty ? TaskState.allCases : Array(query.states)
        guard let sessions = query.sessions, query.labels.isEmpty, query.parent == nil,
            sessions.count * states.count > Self.maxMerged
        else { return nil }
        self.states = states.map(\.rawValue)
        self.sessions = sessions.sorted()
        kind = query.kind?.rawValue
        self.identifiers = identifiers
        limit = query.pageSize.addingReportingOverflow(1).partialValue
    }

    /// The tasks, one more than a page holds when there are so many.
    func tasks(_ db: Database) throws -> [FoundTask] {
        let statement = try db.cachedStatement(sql: sql)
        let highest = Data(identifiers.upperBound.bytes)
        var lowest = Data(identifiers.lowerBound.bytes)
        var newest: [FoundTask] = []
        for session in sessions {
            for state in states {
                var arguments: StatementArguments = [session, state, lowest, highest]
                if let kind { arguments += [kind] }
                arguments += [limit]
                let found = try Row.fetchAll(statement, arguments: arguments).map { try FoundTask($0) }
                guard !found.isEmpty else { continue }
                newest += found
                newest.sort { $0.id > $1.id }
                if newest.count >= limit {
                    newest.removeLast(newest.count - limit)
                    lowest = newest.last.map { Data($0.id.bytes) } ?? lowest
                }
            }
        }
        return newest
    }

    /// The `+` keeps SQLite from searching by the kind.
    private var sql: String {
        """
        SELECT number, id FROM tasks INDEXED BY tasks_by_session
        WHERE session = ? AND state = ? AND id BETWEEN ? AND ?\(kind == nil ? "" : " AND +kind = ?")
        ORDER BY id DESC LIMIT ?
        """
    }
}
