import CErrandSQLite
import ErrandTaskStore
import ErrandTime
import FoundationEssentials
import GRDB

/// A query of the writer of which one row is read, executed many times with other arguments.
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

    /// Executes the query, and returns the first value that is read from a row.
    ///
    /// - Parameters:
    ///   - bind: Binds the arguments.
    ///   - read: Reads a row, which is valid only during the call; `nil` to go on with the next one.
    /// - Returns: `nil` if no row has a value.
    func firstValue<Value>(
        binding bind: (inout ArgumentBinder) throws -> Void, _ read: (ColumnReader) -> Value?
    ) throws -> Value? {
        var arguments = ArgumentBinder(_statement)
        try bind(&arguments)
        try arguments.check()
        _isDone = false
        while let row = try next() {
            guard let value = read(row) else { continue }
            // Ends the read, which would otherwise outlive the transaction.
            _statement.setUncheckedArguments(StatementArguments())
            return value
        }
        return nil
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
        guard sqlite3_column_type(statement, CInt(column.rawValue)) != SQLITE_NULL else { return nil }
        guard let id = validTaskID(column) else { throw TaskStoreError.badRow(column.name) }
        return id
    }

    /// Reads the identifier of a task; returns `nil` for any other value.
    func validTaskID(_ column: some StoreColumn) -> TaskID? {
        let index = CInt(column.rawValue)
        // Null and an empty blob have no address, and are no identifiers.
        let bytes = UnsafeRawBufferPointer(
            start: sqlite3_column_blob(statement, index), count: Int(sqlite3_column_bytes(statement, index)))
        return TaskID(bytes: bytes)
    }

    /// Reads an instant; returns `nil` for null.
    func timestamp(_ column: some StoreColumn) -> Timestamp? {
        optional(column, as: Int64.self).map { Timestamp(milliseconds: $0) }
    }
}
