import FoundationEssentials
import GRDB
import TaskStore

/// The tasks of a page that are those of many sessions: their numbers, newest first.
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
        guard let sessions = query.sessions, query.labels.isEmpty, sessions.count * states.count > Self.maxMerged else {
            return nil
        }
        self.states = states.map(\.rawValue)
        self.sessions = sessions.sorted()
        kind = query.kind?.rawValue
        self.identifiers = identifiers
        limit = query.pageSize.addingReportingOverflow(1).partialValue
    }

    /// The numbers of the tasks, one more than a page holds when there are so many.
    func numbers(_ db: Database) throws -> [Int64] {
        let statement = try db.cachedStatement(sql: sql)
        let highest = Data(identifiers.upperBound.bytes)
        var lowest = Data(identifiers.lowerBound.bytes)
        var newest: [Found] = []
        for session in sessions {
            for state in states {
                var arguments: StatementArguments = [session, state, lowest, highest]
                if let kind { arguments += [kind] }
                arguments += [limit]
                let found = try Row.fetchAll(statement, arguments: arguments)
                guard !found.isEmpty else { continue }
                newest += found.map { Found(number: $0[0], id: $0[1]) }
                newest.sort { $1.id.lexicographicallyPrecedes($0.id) }
                if newest.count >= limit {
                    newest.removeLast(newest.count - limit)
                    lowest = newest.last?.id ?? lowest
                }
            }
        }
        return newest.map(\.number)
    }

    private struct Found {
        let number: Int64
        let id: Data
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
