import ErrandTaskStore
import FoundationEssentials
import GRDB

/// The arguments of a statement, bound one after the other without arrays of them.
///
/// `StatementArguments` boxes each value and copies the array for each execution. Here SQLite copies texts and blobs
/// instead and keeps them until the next execution, so this is for short ones. Each argument that is not bound is null.
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
        let code = value.bind(to: statement.sqliteStatement, at: count)
        if code != 0 { failure = code }
    }

    /// Throws if an argument was not bound, because it is too long or there are too many.
    func check() throws {
        guard failure == 0 else { throw DatabaseError(resultCode: ResultCode(rawValue: failure)) }
    }
}

extension Statement {
    /// Executes the statement with short arguments.
    func execute(binding bind: (inout ArgumentBinder) throws -> Void) throws {
        var arguments = ArgumentBinder(self)
        try bind(&arguments)
        try arguments.check()
        try execute()
    }
}

extension TaskID {
    /// The 16 bytes as the database stores them.
    var blob: Data {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Data($0) }
    }
}
