import FoundationEssentials
import GRDB
import Glibc
import TaskStore

/// The steps that open a store.
///
/// All of them block.
struct StoreOpening {
    /// The database file.
    let path: String
    /// What a commit survives.
    let durability: Durability

    /// Makes the folder and the file, for the owner only, and takes the lock.
    func lock() throws -> StoreLock {
        if let slash = path.lastIndex(of: "/"), slash > path.startIndex {
            do {
                try FileManager.default.createDirectory(
                    atPath: String(path[..<slash]), withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700])
            } catch {
                throw TaskStoreError(
                    .readOnly, "The folder of the task store cannot be made", underlying: "\(path): \(error)")
            }
        }
        let lock = try StoreLock(database: path)
        // SQLite gives its other files the permissions of this one.
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw TaskStoreError(system: errno, "open \(path)") }
        _ = Glibc.close(descriptor)
        return lock
    }

    /// The connection that writes; the tables are there after it.
    func writer() throws -> DatabaseQueue {
        let database = try connection("writer")
        try database.inDatabase { db in
            try StoreSchema.check(db)
            // Not left to GRDB, which would turn a foreign file to WAL mode before it could be looked at.
            guard try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL") == "wal" else {
                throw TaskStoreError(.inputOutput, "The file system of the task store has no shared memory")
            }
            try db.execute(sql: "PRAGMA synchronous = \(durability == .full ? "FULL" : "NORMAL")")
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
        }
        try StoreSchema.migrator.migrate(database)
        return database
    }

    /// A connection beside the writer's, for checkpoints.
    func checkpoints() throws -> DatabaseQueue {
        let database = try connection("checkpoints")
        try database.inDatabase { db in
            // Syncs the log before it is moved and the database after, which is what a checkpoint needs.
            try db.execute(sql: "PRAGMA synchronous = NORMAL")
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
        }
        return database
    }

    /// A connection that only reads.
    func reader(_ number: Int) throws -> DatabaseQueue {
        try connection("reader-\(number)", readOnly: true)
    }

    private func connection(_ name: String, readOnly: Bool = false) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = "errand.store.\(name)"
        configuration.readonly = readOnly
        // Only our own connections compete, and only for the moments of a checkpoint or a change of the log.
        configuration.busyMode = .timeout(10)
        return try DatabaseQueue(path: path, configuration: configuration)
    }
}
