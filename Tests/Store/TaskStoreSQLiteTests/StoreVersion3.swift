/// The changes of the third version of the tables to the second (``StoreVersion2``).
enum StoreVersion3 {
    /// Migrates the tables of version 2 to version 3, and updates the identifiers.
    static let schema = """
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

        INSERT INTO grdb_migrations VALUES ('v3');
        """

    /// Adds idempotency keys to two tasks of ``StoreVersion1/tasks``.
    static let keys = """
        INSERT INTO idempotency_keys
        SELECT number, CAST('ci' AS BLOB), CAST('key-' || number AS BLOB), zeroblob(32), 1000 * number
        FROM tasks WHERE number IN (7, 8);
        """
}
