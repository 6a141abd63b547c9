import ErrandTaskStore
import ErrandTime
import FoundationEssentials
import GRDB

/// The statement that finds the tasks of a page in the order of their end.
///
/// It walks `tasks_by_finish` from the beginning of the page, tests all other filters on each row, and stops at the end
/// of the page.
struct EndListPlan {
    /// The statement.
    private(set) var sql: String
    /// Its arguments.
    private(set) var arguments: StatementArguments

    /// Plans a page plus one task, which shows that there is a next page.
    ///
    /// - Parameters:
    ///   - query: A query with an order by end.
    ///   - identifiers: The range of identifiers that it allows.
    init(_ query: TaskQuery, _ identifiers: ClosedRange<TaskID>) {
        let (comparison, direction) = query.order.isDescending ? ("<", "DESC") : (">", "ASC")
        let bounds = query.finishBounds
        sql = "SELECT number, id FROM tasks INDEXED BY tasks_by_finish"
        if let last = query.after, let end = query.afterEnd?.milliseconds,
            query.order.isDescending ? end < bounds.before : end > bounds.after
        {
            // SQLite begins its search with one condition. With another bound on the same side, it would compare rows
            // with the last task of the previous page one by one, and each page would walk through all earlier ones.
            sql += " WHERE finished_at \(query.order.isDescending ? ">" : "<") ?"
            sql += " AND (finished_at, id) \(comparison) (?, ?)"
            arguments = [query.order.isDescending ? bounds.after : bounds.before, end, last.blob]
        } else {
            // The bounds admit only tasks behind the last one, if there is one.
            sql += " WHERE finished_at > ? AND finished_at < ?"
            arguments = [bounds.after, bounds.before]
        }
        sql += " AND +id BETWEEN ? AND ?"
        arguments += [identifiers.lowerBound.blob, identifiers.upperBound.blob]
        var rest = query
        rest.finishedAfter = nil
        rest.finishedBefore = nil
        let filters = RowFilters(all: rest)
        sql += filters.sql + " ORDER BY finished_at \(direction), id \(direction) LIMIT ?"
        arguments += filters.arguments + [query.pageSize.addingReportingOverflow(1).partialValue]
    }
}
