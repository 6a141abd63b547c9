import ErrandFiles
package import ErrandTaskStore
import FoundationEssentials
import GRDB
import Glibc

/// A database of a task store in a file of its own: a copy that was made while a gateway may use the original, or the
/// database of a gateway that does not run.
///
/// All functions block.
package struct StoreCopy: Sendable {
    /// The path of the database file.
    package let path: String

    /// Creates the value for a file, which need not exist.
    package init(path: String) {
        self.path = path
    }

    /// The facts about a database.
    package struct Summary: Sendable, Hashable {
        /// The name of the newest migration that was applied, such as `v6`; `nil` for an empty file.
        package var schema: String?
        /// The migrations of this version of the program that were not applied, in their order.
        package var pending: [String]
        /// The number of tasks.
        package var tasks: Int
        /// The name of the store; `nil` if it is of a version without one.
        package var identity: StoreIdentity?
    }

    /// A file with content that a task refers to.
    package struct FileReference: Sendable, Hashable {
        /// The task.
        package var task: TaskID
        /// The folder of the file.
        package var kind: Kind
        /// The number of bytes.
        package var bytes: Int64

        /// The content of a file.
        package enum Kind: String, Sendable, CaseIterable {
            /// The content of a response.
            case bodies
            /// The content of a request.
            case contents
        }
    }

    // MARK: Copying

    /// Writes a consistent copy of the database of a gateway, which may run.
    ///
    /// The copy has all transactions that were committed when this began. While it is made, the write-ahead log of the
    /// original grows, because it cannot be restarted.
    ///
    /// - Parameter original: The path of the database of the gateway.
    /// - Throws: ``TaskStoreError/Code/foreign``, `tooNew`, `corrupt`, `inputOutput`, `diskFull`.
    package func write(from original: String) throws(TaskStoreError) {
        do {
            // Created by this user only, before SQLite does it with its own permissions.
            _ = try FileDescriptor(path, O_RDWR | O_CREAT | O_EXCL)
            let source = try Self.connection(original, readOnly: false)
            let copy = try Self.connection(path, readOnly: false)
            try source.inDatabase { try StoreSchema.check($0) }
            try source.backup(to: copy)
            // One file, without a log beside it.
            try copy.inDatabase { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
            try copy.close()
            try source.close()
        } catch let error as SystemFailure {
            throw TaskStoreError(error)
        } catch {
            throw TaskStoreError(error, probe: SpaceProbe(database: path))
        }
    }

    // MARK: Examining

    /// Checks that the file is a task store that this version supports, and reads facts about it.
    ///
    /// - Parameter isThorough: True to verify every page and index too, which reads the whole file.
    package func examine(isThorough: Bool) throws(TaskStoreError) -> Summary {
        try read { db in
            try StoreSchema.check(db)
            if isThorough {
                let verdict = try String.fetchOne(db, sql: "PRAGMA integrity_check(1)")
                guard verdict == "ok" else {
                    throw TaskStoreError(.corrupt, "The task store is damaged", underlying: verdict)
                }
            }
            let migrator = StoreSchema.migrator
            let applied = Set(try migrator.appliedIdentifiers(db))
            let hasTasks = try db.tableExists("tasks")
            return Summary(
                schema: migrator.migrations.last { applied.contains($0) },
                pending: migrator.migrations.filter { !applied.contains($0) },
                tasks: hasTasks ? try Int.fetchOne(db, sql: "SELECT count(*) FROM tasks") ?? 0 : 0,
                identity: try StoreIdentity(db))
        }
    }

    /// Calls a function with each file that a task refers to.
    ///
    /// A task with a damaged identifier is left out: its file cannot be found.
    package func forEachFile(_ body: (FileReference) throws -> Void) throws(TaskStoreError) {
        try read { db in
            guard try db.tableExists("tasks") else { return }
            let bodies = try Row.fetchCursor(
                db,
                sql: """
                    SELECT t.id, r.body_size FROM results r JOIN tasks t ON t.number = r.number
                    WHERE r.body IS NULL AND r.body_size > 0
                    """)
            while let row = try bodies.next() {
                guard let id = try row.validTaskID(0) else { continue }
                try body(FileReference(task: id, kind: .bodies, bytes: row[1]))
            }
            guard try db.columns(in: "tasks").contains(where: { $0.name == "content" }) else { return }
            // Other tasks have no stored content, or need it no longer.
            let contents = try Row.fetchCursor(
                db,
                sql: """
                    SELECT id, content FROM tasks
                    WHERE length(content) = 40 AND state NOT IN ('succeeded', 'canceled')
                    """)
            while let row = try contents.next() {
                let content = TaskContent(blob: [UInt8](row[1] as Data))
                guard let size = content?.storedSize, size > 0, let id = try row.validTaskID(0) else { continue }
                try body(FileReference(task: id, kind: .contents, bytes: size))
            }
        }
    }

    private func read<Value>(_ work: (Database) throws -> Value) throws(TaskStoreError) -> Value {
        do {
            let database = try Self.connection(path, readOnly: true)
            let value = try database.inDatabase(work)
            try database.close()
            return value
        } catch {
            throw TaskStoreError(error)
        }
    }

    private static func connection(_ path: String, readOnly: Bool) throws -> DatabaseQueue {
        try DatabaseQueue(path: path, configuration: Configuration(ofConnection: "copy", readOnly: readOnly))
    }
}

extension StoreCopy {
    /// Returns the exclusive right to a database that is to be put in place, so that no gateway opens it meanwhile.
    ///
    /// Creates the folder if it is missing.
    package func lock() throws(TaskStoreError) -> HeldStoreLock {
        do {
            return HeldStoreLock(lock: try StoreOpening(path: path, durability: .full).lockFolder())
        } catch {
            throw TaskStoreError(error)
        }
    }
}

/// The exclusive right to a store, until the value is destroyed.
package struct HeldStoreLock: ~Copyable, Sendable {
    private let lock: StoreLock

    init(lock: consuming StoreLock) {
        self.lock = lock
    }
}
