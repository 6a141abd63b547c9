import ErrandTaskStore
import ErrandTime
import FoundationEssentials
import GRDB

/// The statement that counts the tasks that match: one row with a number for each admitted state, in their order.
///
/// It searches one index and tests the other filters on each row that it finds. Rows need no order, so that one search
/// covers several sessions and states:
///
/// | filters | index |
/// | --- | --- |
/// | parent | `tasks_by_parent` |
/// | labels | `labels_by_value` of one label, or one of those below |
/// | sessions, also with states | `tasks_by_session` |
/// | states | `tasks_by_state` |
/// | kind | `tasks_by_kind` |
/// | times of the end | `tasks_by_finish` |
/// | none of these | `tasks_by_state`, which has both the state and the identifier |
///
/// ``ListDriver`` chooses the index with the fewest rows.
struct CountPlan {
    /// The statement.
    private(set) var sql: String
    /// Its arguments.
    private(set) var arguments: StatementArguments

    /// Plans a count.
    ///
    /// - Parameters:
    ///   - query: The filters.
    ///   - identifiers: The range of identifiers that they allow.
    ///   - driver: The index, if several are possible.
    init(_ query: TaskQuery, _ identifiers: ClosedRange<TaskID>, drivenBy driver: ListDriver) {
        // The names of states contain no quotation mark.
        let counts = query.admittedStates.map { "count(*) FILTER (WHERE tasks.state = '\($0.rawValue)')" }
        let search = CountSearch(query, drivenBy: driver)
        sql = "SELECT \(counts.joined(separator: ", ")) FROM \(search.source)"
        sql += " WHERE \(search.condition) AND \(search.identifier) BETWEEN ? AND ?"
        arguments = search.arguments + [identifiers.lowerBound.blob, identifiers.upperBound.blob]
        test(search.rest)
    }

    /// Adds tests of filters for each row that the search finds.
    private mutating func test(_ query: TaskQuery) {
        test("state", query.states.map(\.rawValue))
        test("session", query.sessions ?? [])
        test("kind", query.kind.map { [$0.rawValue] } ?? [])
        for (key, value) in query.labels {
            sql += " AND EXISTS (SELECT 1 FROM labels l WHERE l.number = tasks.number AND l.key = ? AND l.value = ?)"
            arguments += [Data(key.utf8), Data(value.utf8)]
        }
        let filters = RowFilters(query)
        sql += filters.sql
        arguments += filters.arguments
    }

    /// Adds a test of a column, unless there are no values.
    ///
    /// The `+` keeps SQLite from using the column for a search.
    private mutating func test(_ column: String, _ values: some Collection<String>) {
        guard !values.isEmpty else { return }
        sql += " AND +tasks.\(column) \(CountSearch.oneOf(values))"
        arguments += StatementArguments(values)
    }
}

/// The search of a count in one index.
private struct CountSearch {
    /// The tables, with the index.
    private(set) var source = ""
    private(set) var condition = ""
    private(set) var arguments = StatementArguments()
    /// The column of the task's identifier, which follows the searched columns in most indexes.
    private(set) var identifier = "tasks.id"
    /// The query without the filters that the search applies.
    private(set) var rest: TaskQuery

    init(_ query: TaskQuery, drivenBy driver: ListDriver) {
        rest = query
        if let parent = query.parent {
            find("tasks_by_parent", "parent = ?", [parent.blob])
            return
        }
        switch driver {
        case .label(let key):
            source = "labels l0 INDEXED BY labels_by_value CROSS JOIN tasks ON tasks.number = l0.number"
            condition = "l0.key = ? AND l0.value = ?"
            arguments = [Data(key.utf8), Data((query.labels[key] ?? "").utf8)]
            identifier = "l0.id"
            rest.labels[key] = nil
        case .kind:
            find("tasks_by_kind", "kind = ?", [query.kind?.rawValue])
            rest.kind = nil
        case .finish:
            let bounds = query.finishBounds
            find("tasks_by_finish", "finished_at > ? AND finished_at < ?", [bounds.after, bounds.before])
            identifier = "+tasks.id"
            rest.finishedAfter = nil
            rest.finishedBefore = nil
        case .tasks:
            let states = query.admittedStates.map(\.rawValue)
            if let sessions = query.sessions {
                let searched = "session \(Self.oneOf(sessions)) AND state \(Self.oneOf(states))"
                find("tasks_by_session", searched, StatementArguments(sessions) + StatementArguments(states))
                rest.sessions = nil
            } else {
                find("tasks_by_state", "state \(Self.oneOf(states))", StatementArguments(states))
            }
            rest.states = []
        }
    }

    private mutating func find(_ index: String, _ condition: String, _ arguments: StatementArguments) {
        source = "tasks INDEXED BY \(index)"
        self.condition = condition
        self.arguments = arguments
    }

    /// Returns the condition that a value is one of several.
    static func oneOf(_ values: some Collection<String>) -> String {
        "IN (\(values.map { _ in "?" }.joined(separator: ", ")))"
    }
}

extension TaskQuery {
    /// The times between which the tasks ended, in milliseconds, without the times themselves.
    var finishBounds: (after: Int64, before: Int64) {
        (finishedAfter?.milliseconds ?? .min, finishedBefore?.milliseconds ?? .max)
    }
}
