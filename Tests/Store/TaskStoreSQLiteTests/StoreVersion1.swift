/// A store with the first version of the tables, in SQL.
///
/// Later versions must be able to open it.
enum StoreVersion1 {
    /// Creates the tables, and sets the identifiers of GRDB and the store.
    static let schema = """
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

        PRAGMA application_id = 1165128289;
        CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
        INSERT INTO grdb_migrations VALUES ('v1');
        """

    /// Adds a task in each state, in the order of the states; the first also has a label and a result.
    ///
    /// The identifiers are UUIDs of version 7, one for each millisecond of 1970.
    static let tasks = """
        INSERT INTO tasks (
            number, id, session, kind, state, priority, created_at, updated_at, started_at, finished_at, expires_at,
            revision, attempt_count
        ) VALUES
            (1, x'00000000000170008000000000000000', 'a', 'data', 'scheduled', 5, 1, 1, NULL, NULL, NULL, 1, 0),
            (2, x'00000000000270008000000000000000', 'a', 'data', 'queued', 5, 2, 2, NULL, NULL, NULL, 1, 0),
            (3, x'00000000000370008000000000000000', 'a', 'data', 'running', 5, 3, 4, 4, NULL, NULL, 2, 1),
            (4, x'00000000000470008000000000000000', 'a', 'data', 'waiting', 5, 4, 4, 4, NULL, NULL, 3, 1),
            (5, x'00000000000570008000000000000000', 'a', 'data', 'suspended', 5, 5, 5, NULL, NULL, NULL, 2, 0),
            (6, x'00000000000670008000000000000000', 'a', 'data', 'canceling', 5, 6, 7, 6, NULL, NULL, 3, 1),
            (7, x'00000000000770008000000000000000', 'a', 'data', 'succeeded', 5, 7, 8, 7, 8, 9, 3, 1),
            (8, x'00000000000870008000000000000000', 'a', 'data', 'failed', 5, 8, 9, 8, 9, 10, 3, 1),
            (9, x'00000000000970008000000000000000', 'b', 'data', 'canceled', 5, 9, 9, NULL, 9, 10, 2, 0);
        INSERT INTO specifications SELECT number, CAST('{}' AS BLOB), CAST('{"n":1}' AS BLOB), number FROM tasks;
        INSERT INTO labels VALUES (1, CAST('team' AS BLOB), CAST('x' AS BLOB), x'00000000000170008000000000000000');
        INSERT INTO results (number, attempts, error) VALUES (1, CAST('{}' AS BLOB), CAST('{"code":"x"}' AS BLOB));
        """
}
