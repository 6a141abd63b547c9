import ErrandTaskStore
import GRDB

/// The tables of the store, and the migrations that create them.
///
/// The table `tasks` has the narrow columns that change during the life of a task. The client's request is written
/// once, to `specifications`; the result is written when an attempt ends, to `results`. So a state change rewrites
/// neither. Free text of clients and upstreams is stored as bytes of UTF-8, because SQLite texts end at their first
/// NUL. Rows are linked by `number`, which is the primary key of each table.
///
/// The data of sessions (`session_marks`, `upstream_holds`, `cookies`) uses the session's name as key and is not linked
/// to tasks; neither are `schedules`. An idempotency key (`idempotency_claims`) refers to its task and can outlive it.
/// The events of a task (`events`) are removed with it; its deletion (`deletions`) stays for a while. The name of the
/// store (`identity`) stays the same in all its copies. The system's clock has a row too (`clock`).
enum StoreSchema {
    /// The identifier of the file format: `Erra` in ASCII (SQLite's `application_id`).
    static let applicationID: Int32 = 0x4572_7261

    /// The migrations that create the tables.
    ///
    /// Each is applied once to a file. Migrations are added, never changed.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in
            try db.execute(sql: version1)
            try db.execute(sql: "PRAGMA application_id = \(applicationID)")
        }
        // The foreign keys do not change, so the full check, which would take long in a large store, is unnecessary.
        for (identifier, sql) in laterMigrations {
            migrator.registerMigration(identifier, foreignKeyChecks: .immediate) { db in try db.execute(sql: sql) }
        }
        return migrator
    }

    /// The identifiers of the migrations after the first, in their order, with their statements.
    private static let laterMigrations: [(identifier: String, sql: String)] = [
        ("v2", version2),
        ("v3", version3),
        ("v4", version4),
        ("v5", version5),
        ("v6", version6),
        ("v7", version7),
        ("v8", version8),
        ("v9", version9),
        ("v10", version10),
        ("v11", version11),
        ("v12", version12),
    ]

    /// Verifies that the file is empty or a store that this version supports.
    static func check(_ db: Database) throws {
        guard try !isEmpty(db) else { return }
        guard try Int32.fetchOne(db, sql: "PRAGMA application_id") == applicationID else {
            throw TaskStoreError(.foreign, "The file is a database, but not a task store")
        }
        guard try !migrator.hasBeenSuperseded(db) else {
            throw TaskStoreError(.tooNew, "The task store was created by a newer version of this program")
        }
    }

    /// Marks an empty file as a task store.
    ///
    /// The migrator creates its own table before the first migration, in another transaction. If the process ends in
    /// between, or the disk is full, the file is no longer empty.
    static func claim(_ db: Database) throws {
        guard try isEmpty(db) else { return }
        try db.execute(sql: "PRAGMA application_id = \(applicationID)")
    }

    /// Returns true if the file has no objects, or only the empty table of the migrator, which an interrupted start of
    /// an earlier version may have left.
    private static func isEmpty(_ db: Database) throws -> Bool {
        let objects = try String.fetchSet(db, sql: "SELECT type || ' ' || name FROM sqlite_schema LIMIT 3")
        guard objects.isSubset(of: ["table grdb_migrations", "index sqlite_autoindex_grdb_migrations_1"]) else {
            return false
        }
        guard !objects.isEmpty else { return true }
        return try Bool.fetchOne(db, sql: "SELECT NOT EXISTS (SELECT 1 FROM grdb_migrations)") ?? false
    }

    private static let version1 = """
        CREATE TABLE tasks (
            number INTEGER PRIMARY KEY,
            id BLOB NOT NULL,
            session TEXT NOT NULL,
            kind TEXT NOT NULL,
            state TEXT NOT NULL,
            priority INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            started_at INTEGER,
            finished_at INTEGER,
            expires_at INTEGER,
            revision INTEGER NOT NULL,
            attempt_count INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX tasks_by_id ON tasks (id);
        CREATE INDEX tasks_by_state ON tasks (state, id);
        CREATE INDEX tasks_by_session ON tasks (session, state, id);
        CREATE INDEX tasks_by_kind ON tasks (kind, id);
        CREATE INDEX tasks_queued ON tasks (session, priority DESC, id) WHERE state = 'queued';
        CREATE INDEX tasks_by_expiry ON tasks (expires_at, id) WHERE expires_at IS NOT NULL;

        CREATE TABLE specifications (
            number INTEGER PRIMARY KEY REFERENCES tasks ON DELETE CASCADE,
            task BLOB NOT NULL,
            request BLOB NOT NULL,
            content_bytes INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE results (
            number INTEGER PRIMARY KEY REFERENCES tasks ON DELETE CASCADE,
            attempts BLOB NOT NULL,
            response BLOB,
            error BLOB,
            object_kind TEXT,
            object_start INTEGER,
            object_end INTEGER,
            body_size INTEGER,
            body_sha256 BLOB,
            body_type TEXT,
            object BLOB,
            body BLOB
        ) STRICT;

        CREATE TABLE labels (
            number INTEGER NOT NULL REFERENCES tasks ON DELETE CASCADE,
            key BLOB NOT NULL,
            value BLOB NOT NULL,
            id BLOB NOT NULL,
            PRIMARY KEY (number, key)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX labels_by_value ON labels (key, value, id);

        CREATE TABLE probes (
            number INTEGER PRIMARY KEY,
            parity INTEGER NOT NULL
        ) STRICT;
        """

    private static let version2 = """
        ALTER TABLE tasks ADD COLUMN has_open_attempt INTEGER NOT NULL DEFAULT 0;
        UPDATE tasks SET has_open_attempt = 1 WHERE state IN ('running', 'canceling');
        CREATE INDEX tasks_with_attempt ON tasks (id) WHERE has_open_attempt = 1;

        CREATE TABLE session_marks (
            name TEXT NOT NULL PRIMARY KEY,
            is_suspended INTEGER NOT NULL,
            is_closed INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE cookies (
            session TEXT NOT NULL,
            domain BLOB NOT NULL,
            is_host_only INTEGER NOT NULL,
            path BLOB NOT NULL,
            name BLOB NOT NULL,
            value BLOB NOT NULL,
            is_secure INTEGER NOT NULL,
            is_http_only INTEGER NOT NULL,
            expires_at INTEGER,
            creation_order INTEGER NOT NULL,
            last_access_at INTEGER NOT NULL,
            PRIMARY KEY (session, domain, is_host_only, path, name)
        ) STRICT, WITHOUT ROWID;
        """

    /// Adds empty columns, which rewrites no rows.
    ///
    /// Of the existing rows only those are updated that an index must find.
    private static let version3 = """
        ALTER TABLE tasks ADD COLUMN not_before INTEGER;
        ALTER TABLE tasks ADD COLUMN next_attempt_at INTEGER;
        ALTER TABLE tasks ADD COLUMN due_at INTEGER;
        ALTER TABLE tasks ADD COLUMN rank INTEGER;
        ALTER TABLE tasks ADD COLUMN ready_at INTEGER;
        ALTER TABLE tasks ADD COLUMN deadline INTEGER;
        ALTER TABLE tasks ADD COLUMN ordering_key BLOB;
        ALTER TABLE tasks ADD COLUMN is_blocked INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE tasks ADD COLUMN bytes_per_second INTEGER;
        ALTER TABLE tasks ADD COLUMN retry_of BLOB;
        ALTER TABLE tasks ADD COLUMN parent BLOB;
        ALTER TABLE tasks ADD COLUMN schedule TEXT;
        ALTER TABLE specifications ADD COLUMN callback BLOB;

        DROP INDEX tasks_queued;
        UPDATE tasks SET rank = created_at - priority * 900000 WHERE state = 'queued';
        UPDATE tasks SET not_before = created_at, due_at = created_at WHERE state = 'scheduled';
        UPDATE tasks SET next_attempt_at = updated_at, due_at = updated_at WHERE state = 'waiting';
        CREATE INDEX tasks_queued ON tasks (session, rank, id) WHERE rank IS NOT NULL;
        CREATE INDEX tasks_due ON tasks (due_at, id) WHERE due_at IS NOT NULL;
        CREATE INDEX tasks_by_deadline ON tasks (deadline, id)
        WHERE deadline IS NOT NULL AND state NOT IN ('canceling', 'succeeded', 'failed', 'canceled');
        CREATE INDEX tasks_by_key ON tasks (session, ordering_key, id)
        WHERE ordering_key IS NOT NULL AND state NOT IN ('scheduled', 'succeeded', 'failed', 'canceled');
        CREATE INDEX tasks_by_parent ON tasks (parent, id) WHERE parent IS NOT NULL;
        CREATE INDEX tasks_by_finish ON tasks (finished_at, id) WHERE finished_at IS NOT NULL;

        CREATE TABLE events (
            id INTEGER PRIMARY KEY,
            number INTEGER NOT NULL REFERENCES tasks ON DELETE CASCADE,
            kind TEXT NOT NULL,
            at INTEGER NOT NULL,
            revision INTEGER NOT NULL,
            attempt INTEGER,
            detail BLOB
        ) STRICT;
        CREATE INDEX events_by_task ON events (number, id);

        CREATE TABLE deletions (
            id INTEGER PRIMARY KEY,
            task BLOB NOT NULL,
            session TEXT NOT NULL,
            kind TEXT NOT NULL,
            parent BLOB,
            at INTEGER NOT NULL,
            revision INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE deleted_labels (
            id INTEGER NOT NULL REFERENCES deletions ON DELETE CASCADE,
            key BLOB NOT NULL,
            value BLOB NOT NULL,
            PRIMARY KEY (id, key)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE event_bounds (
            number INTEGER PRIMARY KEY,
            forgotten INTEGER NOT NULL
        ) STRICT;
        INSERT INTO event_bounds VALUES (1, 0);

        CREATE TABLE idempotency_keys (
            number INTEGER PRIMARY KEY REFERENCES tasks ON DELETE CASCADE,
            owner BLOB NOT NULL,
            key BLOB NOT NULL,
            payload BLOB NOT NULL,
            expires_at INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX idempotency_keys_by_key ON idempotency_keys (owner, key);
        CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);

        CREATE TABLE schedules (
            name TEXT NOT NULL PRIMARY KEY,
            origin TEXT NOT NULL,
            definition BLOB NOT NULL,
            session TEXT NOT NULL,
            is_suspended INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            next_run_at INTEGER,
            last_run_at INTEGER,
            last_task BLOB,
            revision INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    /// Moves the client's documents behind the columns that lists show, and idempotency keys to their own table.
    ///
    /// SQLite reads a row up to the last needed column, including all pages before it. Existing rows stay unchanged.
    private static let version4 = """
        ALTER TABLE specifications ADD COLUMN document BLOB;

        CREATE TABLE idempotency_claims (
            number INTEGER PRIMARY KEY,
            owner BLOB NOT NULL,
            key BLOB NOT NULL,
            payload BLOB NOT NULL,
            expires_at INTEGER NOT NULL,
            task BLOB NOT NULL,
            session TEXT NOT NULL,
            state TEXT,
            created_at INTEGER,
            finished_at INTEGER
        ) STRICT;
        INSERT INTO idempotency_claims (owner, key, payload, expires_at, task, session)
        SELECT k.owner, k.key, k.payload, k.expires_at, t.id, t.session
        FROM idempotency_keys k CROSS JOIN tasks t ON t.number = k.number;
        DROP TABLE idempotency_keys;
        CREATE UNIQUE INDEX idempotency_claims_by_key ON idempotency_claims (owner, key);
        CREATE INDEX idempotency_claims_by_expiry ON idempotency_claims (expires_at);
        CREATE UNIQUE INDEX idempotency_claims_by_task ON idempotency_claims (task);
        """

    /// Fills in the repetitions that older versions did not record: the newest task that repeats another one.
    private static let version5 = """
        ALTER TABLE tasks ADD COLUMN retried_by BLOB;
        ALTER TABLE tasks ADD COLUMN is_delayed INTEGER NOT NULL DEFAULT 0;
        UPDATE tasks SET retried_by = later.id
        FROM (SELECT retry_of, max(id) AS id FROM tasks WHERE retry_of IS NOT NULL GROUP BY retry_of) AS later
        WHERE tasks.id = later.retry_of;
        """

    /// Adds the state of content that clients send separately from their tasks.
    private static let version6 = "ALTER TABLE tasks ADD COLUMN content BLOB;"

    /// Adds the traces that clients send with their tasks.
    private static let version7 = "ALTER TABLE tasks ADD COLUMN trace BLOB;"

    /// Adds the mark of canceled downloads that a retry can continue.
    private static let version8 = "ALTER TABLE tasks ADD COLUMN keeps_partial_file INTEGER NOT NULL DEFAULT 0;"

    /// Adds the times for which sessions send nothing to their upstreams.
    private static let version9 = """
        CREATE TABLE upstream_holds (
            session TEXT NOT NULL PRIMARY KEY,
            origin BLOB NOT NULL,
            quiet_until INTEGER,
            circuit_open_until INTEGER
        ) STRICT, WITHOUT ROWID;
        """

    /// Adds the kind to an index, so that a start counts the tasks of each kind without reading their rows.
    private static let version10 = """
        DROP INDEX tasks_by_session;
        CREATE INDEX tasks_by_session ON tasks (session, state, id, kind);
        """

    /// Adds the random name of the store, by which it knows the folders of its files (``StoreIdentity``).
    private static let version11 = """
        CREATE TABLE identity (
            number INTEGER PRIMARY KEY,
            name BLOB NOT NULL
        ) STRICT;
        INSERT INTO identity VALUES (1, randomblob(16));
        """

    /// Adds the sum of the clock's jumps with which times were worked out, and the row of the clock, which is written
    /// when the clock was set.
    ///
    /// Existing tasks and a clock without a row agree: both have no jump.
    private static let version12 = """
        ALTER TABLE tasks ADD COLUMN clock_offset INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE upstream_holds ADD COLUMN clock_offset INTEGER NOT NULL DEFAULT 0;

        CREATE TABLE clock (
            number INTEGER PRIMARY KEY,
            clock_offset INTEGER NOT NULL,
            is_settled INTEGER NOT NULL,
            at INTEGER NOT NULL,
            newest_event INTEGER NOT NULL
        ) STRICT;
        """
}
