import ErrandTaskStore
import GRDB

/// The filters of a list that no index serves: tests of columns of `tasks`, for each row of a walk.
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
    }

    /// True without such filters.
    var isEmpty: Bool { sql.isEmpty }
}
