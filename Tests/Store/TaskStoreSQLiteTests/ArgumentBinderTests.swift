import ErrandTaskStore
import ErrandTime
import FoundationEssentials
import GRDB
import Testing

@testable import ErrandTaskStoreSQLite

@Suite("ArgumentBinder")
struct ArgumentBinderTests {
    /// The type and the bytes of a value that a statement got as its only argument.
    private func bound(_ bind: (inout ArgumentBinder) -> Void) throws -> (type: String, bytes: [UInt8]) {
        try DatabaseQueue().inDatabase { db in
            try db.execute(sql: "CREATE TABLE v (value ANY) STRICT")
            let statement = try db.makeStatement(sql: "INSERT INTO v VALUES (?)")
            try statement.execute { bind(&$0) }
            let row = try #require(try Row.fetchOne(db, sql: "SELECT typeof(value), CAST(value AS BLOB) FROM v"))
            return (row[0], [UInt8](row[1] as Data? ?? Data()))
        }
    }

    @Test(
        "A text keeps all its characters, with NUL",
        arguments: ["", "short", "a text that is too long for a small string", "a\0b", "naïve 🚀"])
    func text(_ text: String) throws {
        let value = try bound { $0.bind(text) }
        #expect(value.type == "text")
        #expect(value.bytes == Array(text.utf8))
    }

    @Test("A text may be bound as a blob", arguments: ["", "key", "a\0b"])
    func textAsBlob(_ text: String) throws {
        let value = try bound { $0.bind(utf8: text) }
        #expect(value.type == "blob")
        #expect(value.bytes == Array(text.utf8))
    }

    // The arguments are sizes: a log names each argument in full.
    @Test("An empty blob is not null", arguments: [0, 1, 100_000])
    func blob(size: Int) throws {
        let bytes = [UInt8](repeating: 7, count: size)
        let value = try bound { $0.bind(bytes) }
        #expect(value.type == "blob")
        #expect(value.bytes == bytes)
    }

    @Test("An identifier is its 16 bytes")
    func identifier() throws {
        let id = TaskID.first(at: .now())
        let value = try bound { $0.bind(id) }
        #expect(value.type == "blob")
        #expect(value.bytes == id.bytes)
    }

    @Test("A missing value is null, and takes its place")
    func missing() throws {
        try DatabaseQueue().inDatabase { db in
            try db.execute(sql: "CREATE TABLE v (a, b, c, d, e)")
            try db.makeStatement(sql: "INSERT INTO v VALUES (?, ?, ?, ?, ?)").execute { arguments in
                arguments.bind(String?.none)
                arguments.bind([UInt8]?.none)
                arguments.bind(TaskID?.none)
                arguments.bind(utf8: nil)
                arguments.bind("last")
            }
            let row = try Row.fetchOne(db, sql: "SELECT * FROM v")
            #expect(row == ["a": nil, "b": nil, "c": nil, "d": nil, "e": "last"])
        }
    }

    @Test("Too many arguments are an error, and nothing is executed")
    func tooMany() throws {
        try DatabaseQueue().inDatabase { db in
            try db.execute(sql: "CREATE TABLE v (a)")
            let statement = try db.makeStatement(sql: "INSERT INTO v VALUES (?)")
            #expect(throws: DatabaseError.self) {
                try statement.execute { arguments in
                    arguments.bind("first")
                    arguments.bind("second")
                }
            }
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM v") == 0)
        }
    }

    @Test("An execution does not keep the arguments of the last one")
    func executedAgain() throws {
        try DatabaseQueue().inDatabase { db in
            try db.execute(sql: "CREATE TABLE v (a, b)")
            let statement = try db.makeStatement(sql: "INSERT INTO v VALUES (?, ?)")
            try statement.execute { arguments in
                arguments.bind("a")
                arguments.bind("b")
            }
            try statement.execute { $0.bind("c") }
            let rows = try Row.fetchAll(db, sql: "SELECT * FROM v ORDER BY a")
            #expect(rows == [["a": "a", "b": "b"], ["a": "c", "b": nil]])
        }
    }
}
