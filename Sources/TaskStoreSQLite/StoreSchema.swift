import GRDB
import TaskStore

/// The tables of the store, and how a file becomes a store.
///
/// What changes with the life of a task is narrow and in `tasks`. What the client asked for is written once, in
/// `specifications`; what came of it is written when an attempt ends, in `results`: an update of the life rewrites
/// neither. What clients and upstreams write freely is kept as bytes of UTF-8, because texts end at their first NUL.
/// Rows are tied by `number`, which is the row's own key in each table.
///
/// What is kept of sessions (`session_marks`, `cookies`) goes by the session's name and is tied to no task, and so are
/// `schedules`. What happened to a task (`events`) goes with it; that it is gone (`deletions`) stays for a while.
enum StoreSchema {
    /// Marks the file as ours: `Erra` in ASCII (SQLite's `application_id`).
    static let applicationID: Int32 = 0x4572_7261

    /// The steps that make the tables.
    ///
    /// Each is applied once to a file; steps are added, never changed.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { db in
            try db.execute(sql: version1)
            try db.execute(sql: "PRAGMA application_id = \(applicationID)")
        }
        // The foreign keys are not touched: no look at all of them, which would take long in a large store.
        migrator.registerMigration("v2", foreignKeyChecks: .immediate) { db in
            try db.execute(sql: version2)
        }
        migrator.registerMigration("v3", foreignKeyChecks: .immediate) { db in
            try db.execute(sql: version3)
        }
        return migrator
    }

    /// Makes sure that the file is empty or a store that this version knows.
    static func check(_ db: Database) throws {
        let objects = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") ?? 0
        guard objects > 0 else { return }
        guard try Int32.fetchOne(db, sql: "PRAGMA application_id") == applicationID else {
            throw TaskStoreError(.foreign, "The file is a database, but not a task store")
        }
        guard try !migrator.hasBeenSuperseded(db) else {
            throw TaskStoreError(.tooNew, "The task store was made by a newer version of this program")
        }
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

    /// Columns with nothing in them cost no rewriting of the rows, however many there are; of the rows that exist only
    /// those are written that an index needs to find.
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
}
