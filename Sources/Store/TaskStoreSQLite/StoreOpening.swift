import CErrandSQLite
import Dispatch
import ErrandFiles
import ErrandTaskStore
import ErrandTime
import FoundationEssentials
import GRDB
import Glibc

/// The steps that open a store, all of which block.
struct StoreOpening {
    /// The database file, without symbolic links, so that its other files are beside it.
    let path: String
    /// The events that a commit survives.
    let durability: Durability
    /// The time that a connection waits for another process, in milliseconds.
    let busyTimeoutMilliseconds: Int
    /// The time of the opening, which the numbers of events follow; `nil` to continue after the newest event.
    let openedAt: Timestamp?

    /// Creates the steps for a path, which may be a symbolic link.
    init(
        path: String, durability: Durability,
        busyTimeoutMilliseconds: Int = Self.defaultBusyTimeoutMilliseconds, openedAt: Timestamp? = nil
    ) {
        self.path = StorePath.resolved(path)
        self.durability = durability
        self.busyTimeoutMilliseconds = busyTimeoutMilliseconds
        self.openedAt = openedAt
    }

    /// Creates the folder, accessible to the owner only, and acquires the lock.
    func lockFolder() throws -> StoreLock {
        if let slash = path.lastIndex(of: "/"), slash > path.startIndex {
            do {
                try FileManager.default.createDirectory(
                    atPath: String(path[..<slash]), withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700])
            } catch {
                throw TaskStoreError(
                    .readOnly, "The folder of the task store cannot be created", underlying: "\(path): \(error)")
            }
        }
        return try StoreLock(database: path)
    }

    /// Creates the folder and the file, accessible to the owner only, and acquires the lock.
    func lock() throws -> StoreLock {
        let lock = try lockFolder()
        // On a full disk the store opens with the reserved space, so that its content can be read and deleted.
        var ballast = Ballast(database: path)
        if ballast.isHeld, !ballast.hasSpace() { _ = ballast.release() }
        // SQLite gives its other files the permissions of this one.
        do throws(SystemFailure) {
            _ = try FileDescriptor(path, O_RDWR | O_CREAT)
        } catch {
            throw TaskStoreError(error)
        }
        return lock
    }

    /// Opens the connection that writes, and creates or migrates the tables.
    func writer() throws -> DatabaseQueue {
        let database = try connection("writer")
        try database.inDatabase { db in
            try StoreSchema.check(db)
            // GRDB would switch a foreign file to WAL mode before it could be checked.
            guard try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL") == "wal" else {
                throw TaskStoreError(.inputOutput, "The file system of the task store has no shared memory")
            }
            try db.execute(sql: "PRAGMA synchronous = \(durability == .full ? "FULL" : "NORMAL")")
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
            // Debian's SQLite overwrites each page that becomes free, which writes all removed content to the log once
            // more: a task of 1 MiB takes 258 frames instead of 3. Only what is on a page that stays is overwritten.
            try db.execute(sql: "PRAGMA secure_delete = FAST")
            // After a restart the log's file is cut to this size, because a reader may have made it long.
            let maxLogBytes = CheckpointSchedule.framesForWriter * CheckpointSchedule.frameBytes
            try db.execute(sql: "PRAGMA journal_size_limit = \(maxLogBytes)")
            try StoreSchema.claim(db)
        }
        try StoreSchema.migrator.migrate(database)
        return database
    }

    /// Opens a second writing connection for checkpoints.
    func checkpoints() throws -> DatabaseQueue {
        let database = try connection("checkpoints")
        try database.inDatabase { db in
            // Syncs the log before moving it and the database afterwards, as a checkpoint requires.
            try db.execute(sql: "PRAGMA synchronous = NORMAL")
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
        }
        return database
    }

    /// Opens a connection that only reads.
    func reader(_ number: Int) throws -> DatabaseQueue {
        try connection("reader-\(number)", readOnly: true)
    }

    /// The default of ``busyTimeoutMilliseconds``.
    ///
    /// Connections of this process compete only briefly.
    static let defaultBusyTimeoutMilliseconds = 10_000

    /// Stops SQLite from counting its memory, once in a process.
    ///
    /// Nothing reads the statistics. A process that has used SQLite before keeps them.
    private static let disableMemoryStatistics: Void = { _ = csqlite_disable_memory_statistics() }()

    private func connection(_ name: String, readOnly: Bool = false) throws -> DatabaseQueue {
        Self.disableMemoryStatistics
        return try DatabaseQueue(
            path: path,
            configuration: Configuration(
                ofConnection: name, readOnly: readOnly, busyTimeoutMilliseconds: busyTimeoutMilliseconds))
    }
}

extension Configuration {
    /// Creates the settings of a connection to a store.
    ///
    /// - Parameters:
    ///   - name: The last part of the label of its queue.
    ///   - readOnly: True if it must not write.
    ///   - busyTimeoutMilliseconds: The time to wait for locks of other connections.
    init(
        ofConnection name: String, readOnly: Bool,
        busyTimeoutMilliseconds: Int = StoreOpening.defaultBusyTimeoutMilliseconds
    ) {
        self.init()
        label = "errand.store.\(name)"
        readonly = readOnly
        busyMode = .timeout(Double(busyTimeoutMilliseconds) / 1000)
        // libdispatch raises the priority of the threads of a higher class. Only root may: otherwise each of them is a
        // line in the system's log.
        qos = .default
    }
}
