import FoundationEssentials
import GRDB
import TaskStore

/// The keys by which clients' requests are known when they come again: each belongs to the task that it has made, and
/// goes with it.
struct IdempotencyKeys {
    private let statements: IdempotencyStatements

    init(_ statements: IdempotencyStatements) {
        self.statements = statements
    }

    /// What a key that has made a task says to a request; `nil` when it has made none, or its time is over.
    func answer(to claim: IdempotencyClaim, at now: Timestamp) throws -> Insertion? {
        try Self.answer(to: claim, at: now, by: statements.find)
    }

    /// The same by a statement of any connection.
    ///
    /// - Parameter statement: As ``IdempotencyStatements/find(in:)`` prepares it.
    static func answer(to claim: IdempotencyClaim, at now: Timestamp, by statement: Statement) throws -> Insertion? {
        guard
            let row = try Row.fetchOne(
                statement, arguments: [Data(claim.owner.utf8), Data(claim.key.utf8), now.milliseconds])
        else { return nil }
        guard let id = TaskID(bytes: row[0] as Data) else { throw TaskStoreError.badRow("id") }
        return row[1] as Data == Data(claim.payload) ? .replayed(id) : .keyReused
    }

    /// Gives a key to the task that it has made, whoever had it before.
    func give(_ claim: IdempotencyClaim, to number: Int64) throws {
        try statements.write.execute(
            arguments: [
                number, Data(claim.owner.utf8), Data(claim.key.utf8), Data(claim.payload),
                claim.expiresAt.milliseconds,
            ])
    }

    /// Forgets keys whose time is over, at most so many.
    func forget(expiredAt now: Timestamp, limit: Int) throws {
        try statements.forget.execute(arguments: [now.milliseconds, limit])
    }
}

/// The statements of idempotency keys.
final class IdempotencyStatements {
    /// The task of a key, and the payload.
    ///
    /// Arguments: owner, key, now.
    let find: Statement
    /// Writes a key.
    let write: Statement
    /// Removes keys.
    ///
    /// Arguments: now, the most.
    let forget: Statement

    /// Prepares all of them.
    init(_ db: Database) throws {
        find = try Self.find(in: db)
        write = try db.makeStatement(sql: "INSERT OR REPLACE INTO idempotency_keys VALUES (?, ?, ?, ?, ?)")
        forget = try db.makeStatement(
            sql: """
                DELETE FROM idempotency_keys WHERE number IN (
                    SELECT number FROM idempotency_keys INDEXED BY idempotency_keys_by_expiry
                    WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)
                """)
    }
    /// Prepares ``find``, for a connection that only reads too.
    static func find(in db: Database) throws -> Statement {
        try db.cachedStatement(
            sql: """
                SELECT t.id, k.payload
                FROM idempotency_keys k INDEXED BY idempotency_keys_by_key CROSS JOIN tasks t ON t.number = k.number
                WHERE k.owner = ? AND k.key = ? AND k.expires_at > ?
                """)
    }
}
