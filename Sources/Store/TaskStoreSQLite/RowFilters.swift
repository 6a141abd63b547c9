import ErrandTaskStore
import ErrandTime
import GRDB

/// The filters of a list that no index serves: tests of columns and documents, for each row of a walk.
///
/// A document that is not JSON, because it is sealed, matches no filter.
struct RowFilters {
    /// The conditions, each after ` AND `; empty without such filters.
    private(set) var sql = ""
    /// Their arguments.
    private(set) var arguments = StatementArguments()

    /// Collects the filters of a query.
    ///
    /// The `+` keeps SQLite from using a column for a search.
    init(_ query: TaskQuery) {
        if let time = query.finishedAfter {
            test("+tasks.finished_at > ?", time.milliseconds)
        }
        if let time = query.finishedBefore {
            test("+tasks.finished_at < ?", time.milliseconds)
        }
        if let schedule = query.schedule {
            test("+tasks.schedule = ?", schedule)
        }
        if let isRetried = query.isRetried {
            test("+tasks.retried_by IS \(isRetried ? "NOT NULL" : "NULL")")
        }
        if let code = query.errorCode {
            let error = Self.member("$.code", of: "CAST(d.error AS TEXT)", in: "results")
            test("\(error) = ?", code)
        }
        if let statuses = query.statuses {
            // The document has no braces.
            let status = Self.member("$.status", of: "'{' || CAST(d.response AS TEXT) || '}'", in: "results")
            test("\(status) BETWEEN ? AND ?", statuses.lowerBound, statuses.upperBound)
        }
        if let method = query.method {
            let value = Self.member("$.method", of: "CAST(d.request AS TEXT)", in: "specifications")
            test("\(value) = ?", method)
        }
    }

    /// Adds a condition.
    ///
    /// Its likelihood keeps SQLite from expecting so few rows that it would read and sort all of them instead of walking
    /// an index up to the limit.
    private mutating func test(_ condition: String, _ values: any DatabaseValueConvertible...) {
        sql += " AND likelihood(\(condition), 1.0)"
        arguments += StatementArguments(values)
    }

    /// Returns the expression of a member of the task's document `d`; null without the document or the member.
    private static func member(_ path: String, of json: String, in table: String) -> String {
        """
        (SELECT CASE WHEN json_valid(\(json)) THEN json_extract(\(json), '\(path)') END
        FROM \(table) d WHERE d.number = tasks.number)
        """
    }

    /// True without such filters.
    var isEmpty: Bool { sql.isEmpty }
}
