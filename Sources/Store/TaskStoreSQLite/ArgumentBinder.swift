import CErrandSQLite
import ErrandTaskStore
import FoundationEssentials
import GRDB

/// The arguments of a statement, bound one after the other without arrays of them.
///
/// `StatementArguments` boxes each value and copies the array for each execution, and GRDB binds texts and blobs through
/// copies in other types. Here SQLite copies texts and blobs once, and keeps them until the end of the execution. Each
/// argument that is not bound is null.
struct ArgumentBinder {
    private let statement: Statement
    private var count: CInt = 0
    private var failure: CInt = 0

    /// Resets a statement that has not failed, and makes all its arguments null.
    init(_ statement: Statement) {
        self.statement = statement
        statement.setUncheckedArguments(StatementArguments())
    }

    /// Binds the next argument.
    mutating func bind(_ value: some StatementBinding) {
        count += 1
        check(value.bind(to: statement.sqliteStatement, at: count))
    }

    /// Binds a text.
    mutating func bind(_ text: String) {
        count += 1
        var text = text
        check(text.withUTF8 { csqlite_bind_text(statement.sqliteStatement, count, $0.baseAddress, UInt64($0.count)) })
    }

    /// Binds a text, or null.
    mutating func bind(_ text: String?) {
        guard let text else {
            count += 1
            return
        }
        bind(text)
    }

    /// Binds a blob, or null.
    mutating func bind(_ bytes: [UInt8]?) {
        count += 1
        bytes?.withUnsafeBytes { bindBlob($0) }
    }

    /// Binds a text as a blob, or null.
    mutating func bind(utf8 text: String?) {
        count += 1
        guard var text else { return }
        text.withUTF8 { bindBlob(UnsafeRawBufferPointer($0)) }
    }

    /// Binds the 16 bytes of an identifier, or null.
    mutating func bind(_ id: TaskID?) {
        count += 1
        id?.withBytes { bindBlob($0) }
    }

    private mutating func bindBlob(_ bytes: UnsafeRawBufferPointer) {
        check(csqlite_bind_blob(statement.sqliteStatement, count, bytes.baseAddress, UInt64(bytes.count)))
    }

    private mutating func check(_ code: CInt) {
        if code != SQLITE_OK { failure = code }
    }

    /// Throws if an argument was not bound, because it is too long or there are too many.
    func check() throws {
        guard failure == 0 else { throw DatabaseError(resultCode: ResultCode(rawValue: failure)) }
    }
}

extension Statement {
    /// Executes the statement.
    func execute(binding bind: (inout ArgumentBinder) throws -> Void) throws {
        var arguments = ArgumentBinder(self)
        try bind(&arguments)
        try arguments.check()
        try execute()
        // A body would keep its memory until the next execution.
        sqlite3_clear_bindings(sqliteStatement)
    }
}

extension TaskID {
    /// The 16 bytes as the database stores them.
    var blob: Data {
        withBytes { Data($0) }
    }

    fileprivate func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian), body)
    }
}
