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
        let tests = RowFilters(all: search.rest)
        sql += tests.sql
        arguments += tests.arguments
    }
}

/// The search of a count in one index.
private struct CountSearch {
    /// The tables of the query, with the index that it has to use.
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
            find(by: "tasks_by_parent", where: "parent = ?", with: [parent.blob])
            rest.parent = nil
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
            find(by: "tasks_by_kind", where: "kind = ?", with: [query.kind?.rawValue])
            rest.kind = nil
        case .finish:
            let bounds = query.finishBounds
            find(
                by: "tasks_by_finish", where: "finished_at > ? AND finished_at < ?",
                with: [bounds.after, bounds.before])
            identifier = "+tasks.id"
            rest.finishedAfter = nil
            rest.finishedBefore = nil
        case .tasks:
            let states = query.admittedStates.map(\.rawValue)
            if let sessions = query.sessions {
                let searched = "session \(RowFilters.oneOf(sessions)) AND state \(RowFilters.oneOf(states))"
                find(
                    by: "tasks_by_session", where: searched,
                    with: StatementArguments(sessions) + StatementArguments(states))
                rest.sessions = nil
            } else {
                find(by: "tasks_by_state", where: "state \(RowFilters.oneOf(states))", with: StatementArguments(states))
            }
            rest.states = []
        }
    }

    private mutating func find(by index: String, where condition: String, with arguments: StatementArguments) {
        source = "tasks INDEXED BY \(index)"
        self.condition = condition
        self.arguments = arguments
    }
}

extension TaskQuery {
    /// The times between which the tasks ended, in milliseconds, without the times themselves.
    var finishBounds: (after: Int64, before: Int64) {
        (finishedAfter?.milliseconds ?? .min, finishedBefore?.milliseconds ?? .max)
    }
}
