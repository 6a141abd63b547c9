/// The changes of the second version of the tables to the first (``StoreVersion1``).
enum StoreVersion2 {
    /// Migrates the tables of version 1 to version 2, and updates the identifiers.
    static let schema = """
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

        INSERT INTO grdb_migrations VALUES ('v2');
        """

    /// Adds data that version 1 could not store: a suspended task with an attempt, and more queued tasks.
    static let tasks = """
        INSERT INTO tasks (
            number, id, session, kind, state, priority, created_at, updated_at, started_at, finished_at, expires_at,
            revision, attempt_count, has_open_attempt
        ) VALUES
            (10, x'00000000000a70008000000000000000', 'a', 'data', 'suspended', 5, 10, 12, 11, NULL, NULL, 3, 1, 1),
            (11, x'00000000000b70008000000000000000', 'a', 'data', 'queued', 9, 11, 11, NULL, NULL, NULL, 1, 0, 0),
            (12, x'00000000000c70008000000000000000', 'a', 'data', 'queued', 0, 12, 12, NULL, NULL, NULL, 1, 0, 0);
        INSERT INTO specifications
        SELECT number, CAST('{}' AS BLOB), CAST('{"n":1}' AS BLOB), number FROM tasks WHERE number >= 10;
        INSERT INTO session_marks VALUES ('a', 1, 0);
        """
}
