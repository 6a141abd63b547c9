import ErrandTaskStore
import ErrandTime
import FoundationEssentials
import GRDB

/// The keys that identify repetitions of clients' requests, each until it expires.
///
/// A key refers to the task that it has created. If retention removes the task first, the data for replays stays with
/// the key. If a client deletes the task, its key can be used again.
struct IdempotencyKeys {
    private let statements: IdempotencyStatements

    init(_ statements: IdempotencyStatements) {
        self.statements = statements
    }

    /// Returns the replay for a key that has created a task; `nil` if it has created none, or has expired.
    func replay(of claim: IdempotencyClaim, at now: Timestamp) throws -> Insertion? {
        try Self.replay(of: claim, at: now, by: statements.find)
    }

    /// Returns the same with a statement of any connection.
    ///
    /// - Parameter statement: A statement prepared by ``IdempotencyStatements/find(in:)``.
    static func replay(of claim: IdempotencyClaim, at now: Timestamp, by statement: Statement) throws -> Insertion? {
        guard
            let row = try Row.fetchOne(
                statement, arguments: [Data(claim.owner.utf8), Data(claim.key.utf8), now.milliseconds])
        else { return nil }
        guard row[1] as Data == Data(claim.payload) else { return .keyReused }
        let id = try row.taskID(0, "task")
        guard let state: String = row[3] else { return .replayed(id) }
        guard let state = TaskState(rawValue: state) else { throw TaskStoreError.badRow("state") }
        return .replayedRemoved(
            RemovedTask(
                id: id, session: row[2], state: state, createdAt: row.timestamp(4) ?? id.timestamp,
                finishedAt: row.timestamp(5)))
    }

    /// Assigns a key to the task that it has created, replacing an earlier assignment.
    func give(_ claim: IdempotencyClaim, to task: TaskRecord) throws {
        try statements.write.execute(
            arguments: [
                Data(claim.owner.utf8), Data(claim.key.utf8), Data(claim.payload), claim.expiresAt.milliseconds,
                task.id.blob, task.session,
            ])
    }

    /// Updates the key of a task that is about to be removed.
    func taskIsRemoved(_ id: TaskID, _ task: RemovableTaskState, because reason: DeletionReason) throws {
        switch reason {
        case .client:
            try statements.free.execute(arguments: [id.blob])
        case .retention:
            try statements.outlive.execute(
                arguments: [
                    task.stateName, task.createdAt.milliseconds, task.finishedAt?.milliseconds, id.blob,
                ])
        }
    }

    /// Removes expired keys, at most `limit`.
    func forget(expiredAt now: Timestamp, limit: Int) throws {
        try statements.forget.execute(arguments: [now.milliseconds, limit])
    }
}

/// The statements of idempotency keys.
final class IdempotencyStatements {
    /// Finds the task of a key, the payload, and the remaining data of a removed task.
    ///
    /// Arguments: owner, key, now.
    let find: Statement
    /// Writes a key.
    let write: Statement
    /// Removes the key of a task.
    ///
    /// Arguments: the task's identifier.
    let free: Statement
    /// Keeps a key after its task is removed.
    ///
    /// Arguments: the final state, the creation time, the end time, the task's identifier.
    let outlive: Statement
    /// Removes expired keys.
    ///
    /// Arguments: now, the limit.
    let forget: Statement

    /// Prepares all statements.
    init(_ db: Database) throws {
        find = try Self.find(in: db)
        write = try db.makeStatement(
            sql: """
                INSERT OR REPLACE INTO idempotency_claims (owner, key, payload, expires_at, task, session)
                VALUES (?, ?, ?, ?, ?, ?)
                """)
        free = try db.makeStatement(sql: "DELETE FROM idempotency_claims WHERE task = ?")
        outlive = try db.makeStatement(
            sql: "UPDATE idempotency_claims SET state = ?, created_at = ?, finished_at = ? WHERE task = ?")
        forget = try db.makeStatement(
            sql: """
                DELETE FROM idempotency_claims WHERE number IN (
                    SELECT number FROM idempotency_claims INDEXED BY idempotency_claims_by_expiry
                    WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)
                """)
    }
    /// Prepares ``find``, also for a connection that only reads.
    static func find(in db: Database) throws -> Statement {
        try db.cachedStatement(
            sql: """
                SELECT task, payload, session, state, created_at, finished_at
                FROM idempotency_claims INDEXED BY idempotency_claims_by_key
                WHERE owner = ? AND key = ? AND expires_at > ?
                """)
    }
}
