import ErrandTaskStore
import ErrandTime
import GRDB
import Testing

@testable import ErrandTaskStoreSQLite

@Suite("ColumnReader")
struct ColumnReaderTests {
    private enum Column: Int, StoreColumn {
        case parent
    }

    /// Reads the identifier that an SQL expression returns.
    private func id(_ expression: String) throws -> TaskID? {
        try DatabaseQueue().inDatabase { db in
            let query = try WriterQuery(db, sql: "SELECT \(expression)")
            // The row exists, and its value may be nil.
            return try #require(try query.first(binding: { _ in }) { [try $0.taskID(Column.parent)] }).first ?? nil
        }
    }

    @Test("An identifier is read from its 16 bytes, and null is none")
    func identifier() throws {
        let written = TaskID.first(at: .now())
        let hexadecimal = written.description.filter { $0 != "-" }
        #expect(try id("x'\(hexadecimal)'") == written)
        #expect(try id("NULL") == nil)
    }

    @Test("Another blob is a bad row, also an empty one", arguments: ["x''", "x'00'", "zeroblob(16)", "zeroblob(17)"])
    func badIdentifier(_ expression: String) throws {
        #expect(throws: TaskStoreError.self) { try id(expression) }
    }
}
