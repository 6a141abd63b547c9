import ErrandTaskStore
import FoundationEssentials
import GRDB

/// The statement that finds the tasks of a page: their numbers and identifiers, by creation.
///
/// It walks an index that sorts by identifier after the searched columns, and stops at the end of the page. Several
/// states or sessions need one walk each, which SQLite merges on the fly (`MERGE (UNION ALL)` in its plan):
///
/// | filters | walks |
/// | --- | --- |
/// | parent | `tasks_by_parent` |
/// | labels | `labels_by_value` of one label, testing the other filters by lookup; or one of the walks below |
/// | sessions, also with states | `tasks_by_session`, one for each pair; more than 64 are a ``SessionListQuery`` |
/// | states | `tasks_by_state`, one each |
/// | kind | `tasks_by_kind` |
/// | none | `tasks_by_id` |
///
/// Filters that are not part of the index are tested row by row. ``ListDriver`` chooses the walk with the fewest rows.
struct ListPlan {
    /// The statement.
    private(set) var sql = ""
    /// Its arguments.
    private(set) var arguments = StatementArguments()
    /// True if there are so few statements of this form that each should be cached.
    private(set) var isReusable = true
    /// The filters that are tested row by row in each walk.
    private let filters: RowFilters
    /// `DESC` for the newest tasks first.
    private let direction: String

    /// Plans a page plus one task, which shows that there is a next page.
    ///
    /// - Parameters:
    ///   - query: A query that needs neither ``SessionListQuery`` nor ``EndListPlan``.
    ///   - identifiers: The range of identifiers that the query allows.
    ///   - driver: The walk, if several are possible.
    init(_ query: TaskQuery, _ identifiers: ClosedRange<TaskID>, drivenBy driver: ListDriver) {
        filters = RowFilters(query)
        direction = query.order.isDescending ? "DESC" : "ASC"
        let range = (identifiers.lowerBound.blob, identifiers.upperBound.blob)
        let states = query.states.map(\.rawValue).sorted()
        let sessions = query.sessions?.sorted()
        if let parent = query.parent {
            planChildren(of: parent, matching: query, range: range, states: states, sessions: sessions)
        } else if case .label(let key) = driver {
            planLabels(of: query, leading: key, range: range, states: states, sessions: sessions)
        } else {
            planTasks(matching: query, range: range, states: states, sessions: sessions, byKind: driver == .kind)
        }
        if !filters.isEmpty { isReusable = false }
        sql += " LIMIT ?"
        arguments += [query.pageSize.addingReportingOverflow(1).partialValue]
    }

    private typealias Range = (first: Data, last: Data)

    private mutating func planTasks(
        matching query: TaskQuery, range: Range, states: [String], sessions: [String]?, byKind: Bool
    ) {
        var walks: [Walk] = []
        if byKind, let kind = query.kind {
            walks = [Walk(index: "tasks_by_kind", search: "kind = ?", [kind.rawValue])]
        } else if let sessions {
            for session in sessions {
                for state in states.isEmpty ? TaskState.allCases.map(\.rawValue) : states {
                    walks.append(
                        Walk(index: "tasks_by_session", search: "session = ? AND state = ?", [session, state]))
                }
            }
        } else if !states.isEmpty {
            walks = states.map { Walk(index: "tasks_by_state", search: "state = ?", [$0]) }
        } else if let kind = query.kind {
            walks = [Walk(index: "tasks_by_kind", search: "kind = ?", [kind.rawValue])]
        } else {
            walks = [Walk(index: "tasks_by_id", search: "TRUE", [])]
        }
        for (number, walk) in walks.enumerated() {
            if number > 0 { sql += " UNION ALL " }
            sql += "SELECT number, id FROM tasks INDEXED BY \(walk.index)"
            sql += " WHERE \(walk.search) AND id BETWEEN ? AND ?"
            arguments += walk.arguments
            arguments += [range.first, range.last]
            if let kind = query.kind, walk.index != "tasks_by_kind" { filter("kind", [kind.rawValue]) }
            if byKind, !states.isEmpty { filter("state", states) }
            test(query.labels)
            testColumns()
        }
        sql += " ORDER BY id \(direction)"
        if walks.count > TaskState.allCases.count || query.labels.count > 3 { isReusable = false }
    }

    private struct Walk {
        let index: String
        let search: String
        let arguments: StatementArguments

        init(index: String, search: String, _ arguments: [String]) {
            self.index = index
            self.search = search
            self.arguments = StatementArguments(arguments)
        }
    }

    /// Plans a walk over the children of a task.
    ///
    /// A task has few, so all other filters are tested on them.
    private mutating func planChildren(
        of parent: TaskID, matching query: TaskQuery, range: Range, states: [String], sessions: [String]?
    ) {
        sql = "SELECT number, id FROM tasks INDEXED BY tasks_by_parent WHERE parent = ? AND id BETWEEN ? AND ?"
        arguments += [parent.blob, range.first, range.last]
        test(query.labels)
        if !states.isEmpty { filter("state", states) }
        if let kind = query.kind { filter("kind", [kind.rawValue]) }
        if let sessions { filter("session", sessions) }
        testColumns()
        sql += " ORDER BY id \(direction)"
        if query.labels.count > 3 { isReusable = false }
    }

    private mutating func planLabels(
        of query: TaskQuery, leading: String, range: Range, states: [String], sessions: [String]?
    ) {
        var others = query.labels
        let value = others.removeValue(forKey: leading) ?? ""
        sql = "SELECT l0.number, l0.id FROM labels l0 INDEXED BY labels_by_value"
        sql += " CROSS JOIN tasks ON tasks.number = l0.number"
        sql += " WHERE l0.key = ? AND l0.value = ? AND l0.id BETWEEN ? AND ?"
        arguments += [Data(leading.utf8), Data(value.utf8), range.first, range.last]
        // A join has at most 64 tables in SQLite, and a task as many labels.
        test(others)
        if !states.isEmpty { filter("tasks.state", states) }
        if let kind = query.kind { filter("tasks.kind", [kind.rawValue]) }
        if let sessions { filter("tasks.session", sessions) }
        testColumns()
        sql += " ORDER BY l0.id \(direction)"
        if query.labels.count > 3 { isReusable = false }
    }

    /// Adds tests for the labels of each task in a walk.
    private mutating func test(_ labels: [String: String]) {
        for (key, value) in labels.sorted(by: { $0.key < $1.key }) {
            sql += " AND EXISTS (SELECT 1 FROM labels l WHERE l.number = tasks.number AND l.key = ? AND l.value = ?)"
            arguments += [Data(key.utf8), Data(value.utf8)]
        }
    }

    /// Adds the tests of the filters that no index serves.
    private mutating func testColumns() {
        sql += filters.sql
        arguments += filters.arguments
    }

    /// Adds a test for a column of each row in a walk.
    ///
    /// The `+` keeps SQLite from using the column for a search.
    private mutating func filter(_ column: String, _ values: [String]) {
        if values.count == 1 {
            sql += " AND +\(column) = ?"
        } else {
            sql += " AND +\(column) IN (\(values.map { _ in "?" }.joined(separator: ", ")))"
            if values.count > TaskState.allCases.count { isReusable = false }
        }
        arguments += StatementArguments(values)
    }
}
