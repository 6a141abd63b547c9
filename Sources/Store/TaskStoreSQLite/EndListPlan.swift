import ErrandTaskStore
import ErrandTime
import FoundationEssentials
import GRDB

/// The statement that finds the tasks of a page in the order of their end.
///
/// It walks `tasks_by_finish`, tests all other filters on each row, and stops at the end of the page.
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
        sql = "SELECT number, id FROM tasks INDEXED BY tasks_by_finish WHERE finished_at > ? AND finished_at < ?"
        arguments = [bounds.after, bounds.before]
        if let last = query.after, let end = query.afterEnd {
            sql += " AND (finished_at, id) \(comparison) (?, ?)"
            arguments += [end.milliseconds, last.blob]
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
