import CErrandSQLite
import ErrandTaskStore
import ErrandTime
import FoundationEssentials
import GRDB

/// A query of the writer that finds at most one row, executed many times with other arguments.
///
/// GRDB's cursor of rows makes a dictionary of the columns' names for each execution; this one reads by number.
final class WriterQuery: DatabaseCursor {
    typealias Element = ColumnReader

    let _statement: Statement
    var _isDone = false

    /// Prepares the statement.
    init(_ db: Database, sql: String) throws {
        _statement = try db.makeStatement(sql: sql)
    }

    func _element(sqliteStatement: SQLiteStatement) throws -> ColumnReader {
        ColumnReader(sqliteStatement)
    }

    /// Executes the query.
    ///
    /// - Parameters:
    ///   - bind: Binds the arguments.
    ///   - read: Reads the first row, which is valid only during the call.
    /// - Returns: `nil` if there is no row.
    func first<Value>(
        binding bind: (inout ArgumentBinder) throws -> Void, _ read: (ColumnReader) throws -> Value
    ) throws -> Value? {
        var arguments = ArgumentBinder(_statement)
        try bind(&arguments)
        try arguments.check()
        _isDone = false
        guard let row = try next() else { return nil }
        // Ends the read, which would otherwise outlive the transaction.
        defer { _statement.setUncheckedArguments(StatementArguments()) }
        return try read(row)
    }
}

/// The columns of the current row of a statement, read by number.
struct ColumnReader {
    private let statement: SQLiteStatement

    init(_ statement: SQLiteStatement) {
        self.statement = statement
    }

    /// Reads a value; returns `nil` for null.
    func optional<Value: StatementColumnConvertible>(_ column: some StoreColumn, as type: Value.Type) -> Value? {
        Value.fromStatement(statement, atUncheckedIndex: CInt(column.rawValue))
    }

    /// Reads a value that is not null.
    func value<Value: StatementColumnConvertible>(_ column: some StoreColumn, as type: Value.Type) throws -> Value {
        guard let found = optional(column, as: type) else { throw TaskStoreError.badRow(column.name) }
        return found
    }

    /// Reads a Boolean, which is 0 or 1.
    func flag(_ column: some StoreColumn) throws -> Bool {
        switch try value(column, as: Int64.self) {
        case 0: false
        case 1: true
        default: throw TaskStoreError.badRow(column.name)
        }
    }

    /// Reads one of the texts of an enumeration.
    func text<Value: RawRepresentable>(_ column: some StoreColumn, as type: Value.Type) throws -> Value
    where Value.RawValue == String {
        let text = try value(column, as: String.self)
        guard let known = Value(rawValue: text) else { throw TaskStoreError.badRow(column.name) }
        return known
    }

    /// Reads the identifier of a task; returns `nil` for null.
    func taskID(_ column: some StoreColumn) throws -> TaskID? {
        let index = CInt(column.rawValue)
        guard sqlite3_column_type(statement, index) != SQLITE_NULL else { return nil }
        // An empty blob has no address, and is no identifier.
        let bytes = UnsafeRawBufferPointer(
            start: sqlite3_column_blob(statement, index), count: Int(sqlite3_column_bytes(statement, index)))
        guard let id = TaskID(bytes: bytes) else {
            throw TaskStoreError.badRow(column.name)
        }
        return id
    }

    /// Reads an instant; returns `nil` for null.
    func timestamp(_ column: some StoreColumn) -> Timestamp? {
        optional(column, as: Int64.self).map { Timestamp(milliseconds: $0) }
    }
}
