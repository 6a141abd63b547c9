import ErrandTaskStore
import ErrandTime
import FoundationEssentials
import GRDB

/// The filters of a list that the searched index does not serve: tests of columns and documents, for each row of a walk.
///
/// A document that is not JSON, because it is sealed, matches no filter.
struct RowFilters {
    /// The conditions, each after ` AND `; empty without such filters.
    private(set) var sql = ""
    /// Their arguments.
    private(set) var arguments = StatementArguments()

    /// Collects the filters of a query that no index serves.
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
        switch query.hold {
        case nil: break
        // The length of an awaited content's column is its own.
        case .content: test("length(+tasks.content) = \(TaskContent.awaitedBytes)")
        case .ordering: test("+tasks.is_blocked = 1")
        case .session: test("+tasks.is_blocked = 0")
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

    /// Collects all filters of a query, those with an index too, except its times of creation.
    init(all query: TaskQuery) {
        self.init(query)
        if let parent = query.parent { test("+tasks.parent = ?", parent.blob) }
        testColumn("state", query.states.map(\.rawValue))
        testColumn("session", query.sessions ?? [])
        testColumn("kind", query.kind.map { [$0.rawValue] } ?? [])
        for (key, value) in query.labels {
            test(
                "EXISTS (SELECT 1 FROM labels l WHERE l.number = tasks.number AND l.key = ? AND l.value = ?)",
                Data(key.utf8), Data(value.utf8))
        }
    }

    /// Adds a test of a column, unless there are no values.
    private mutating func testColumn(_ column: String, _ values: some Collection<String>) {
        guard !values.isEmpty else { return }
        // Likely, as below.
        sql += " AND likelihood(+tasks.\(column) \(Self.oneOf(values)), 1.0)"
        arguments += StatementArguments(values)
    }

    /// Returns the condition that a value is one of several.
    static func oneOf(_ values: some Collection<String>) -> String {
        "IN (\(values.map { _ in "?" }.joined(separator: ", ")))"
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
