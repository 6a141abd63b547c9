import ErrandTaskStore
import FoundationEssentials
import GRDB

/// Finds the tasks of many sessions for a page, by creation.
///
/// One statement can merge only a limited number of walks (``ListPlan``), and a walk through the tasks of all sessions
/// could pass any number of unrelated tasks. Therefore each session and state is searched separately, and each search
/// ends where the results so far fill the page. The amount of data that is read grows with the number of sessions, and
/// not with the number of tasks; except with filters that no index serves, which are tested for each task of a search.
struct SessionListQuery {
    private let states: [String]
    private let sessions: [String]
    private let kind: String?
    private let filters: RowFilters
    private let identifiers: ClosedRange<TaskID>
    private let limit: Int
    /// True for the newest tasks first.
    private let isDescending: Bool

    /// The most walks that one statement merges.
    static let maxMerged = 64

    /// Plans the walks; returns `nil` if one statement finds the page better.
    init?(_ query: TaskQuery, _ identifiers: ClosedRange<TaskID>) {
        let states = query.states.isEmpty ? TaskState.allCases : Array(query.states)
        guard let sessions = query.sessions, query.labels.isEmpty, query.parent == nil,
            sessions.count * states.count > Self.maxMerged
        else { return nil }
        self.states = states.map(\.rawValue)
        self.sessions = sessions.sorted()
        kind = query.kind?.rawValue
        filters = RowFilters(query)
        self.identifiers = identifiers
        isDescending = query.order.isDescending
        limit = query.pageSize.addingReportingOverflow(1).partialValue
    }

    /// Returns the tasks, one more than a page contains if there are that many.
    func tasks(_ db: Database) throws -> [FoundTask] {
        let statement = filters.isEmpty ? try db.cachedStatement(sql: sql) : try db.makeStatement(sql: sql)
        var highest = identifiers.upperBound.blob
        var lowest = identifiers.lowerBound.blob
        var first: [FoundTask] = []
        for session in sessions {
            for state in states {
                var arguments: StatementArguments = [session, state, lowest, highest]
                if let kind { arguments += [kind] }
                arguments += filters.arguments
                arguments += [limit]
                let found = try Row.fetchAll(statement, arguments: arguments).map { try FoundTask($0) }
                guard !found.isEmpty else { continue }
                first += found
                first.sort { isDescending ? $0.id > $1.id : $0.id < $1.id }
                guard first.count >= limit else { continue }
                first.removeLast(first.count - limit)
                guard let last = first.last?.id.blob else { continue }
                if isDescending { lowest = last } else { highest = last }
            }
        }
        return first
    }

    /// The statement of one walk.
    ///
    /// The `+` keeps SQLite from searching by the kind.
    private var sql: String {
        """
        SELECT number, id FROM tasks INDEXED BY tasks_by_session
        WHERE session = ? AND state = ? AND id BETWEEN ? AND ?\(kind == nil ? "" : " AND +kind = ?")\(filters.sql)
        ORDER BY id \(isDescending ? "DESC" : "ASC") LIMIT ?
        """
    }
}
