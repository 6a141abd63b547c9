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
            sql += " AND +tasks.finished_at > ?"
            arguments += [time.milliseconds]
        }
        if let time = query.finishedBefore {
            sql += " AND +tasks.finished_at < ?"
            arguments += [time.milliseconds]
        }
        if let schedule = query.schedule {
            sql += " AND +tasks.schedule = ?"
            arguments += [schedule]
        }
        if let isRetried = query.isRetried {
            sql += " AND tasks.retried_by IS \(isRetried ? "NOT NULL" : "NULL")"
        }
        if let code = query.errorCode {
            let error = Self.member("$.code", of: "CAST(d.error AS TEXT)", in: "results")
            sql += " AND \(error) = ?"
            arguments += [code]
        }
        if let statuses = query.statuses {
            // The document has no braces.
            let status = Self.member("$.status", of: "'{' || CAST(d.response AS TEXT) || '}'", in: "results")
            sql += " AND \(status) BETWEEN ? AND ?"
            arguments += [statuses.lowerBound, statuses.upperBound]
        }
        if let method = query.method {
            let value = Self.member("$.method", of: "CAST(d.request AS TEXT)", in: "specifications")
            sql += " AND \(value) = ?"
            arguments += [method]
        }
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
