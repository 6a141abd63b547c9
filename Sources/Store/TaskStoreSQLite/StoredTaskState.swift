import ErrandTaskStore
import ErrandTime
import FoundationEssentials
import GRDB

/// The stored state of a task that its update needs.
struct StoredTaskState {
    let number: Int64
    let revision: Int64
    let session: String
    let kind: TaskKind
    let state: TaskState
    let hasOpenAttempt: Bool
    let attemptCount: Int
    /// The ordering key, in UTF-8.
    let orderingKey: Data?
    let isBlocked: Bool
    let hasResult: Bool
    let finishedAt: Timestamp?
    let expiresAt: Timestamp?
    /// The position in the queue; `nil` outside of it.
    let rank: Int64?
    let dueAt: Timestamp?
    let deadline: Timestamp?

    /// The columns of ``sql``.
    fileprivate enum Column: Int, StoreColumn {
        case number, revision, session, kind, state, hasOpenAttempt, attemptCount, parent, orderingKey, isBlocked
        case createdAt, finishedAt, expiresAt, rank, dueAt, deadline, hasResult
    }

    /// The statement that reads the state.
    ///
    /// Argument: the identifier.
    static let sql: String = {
        let columns = Column.allCases.map { column in
            column == .hasResult
                ? "EXISTS (SELECT 1 FROM results r WHERE r.number = t.number)" : column.name
        }
        return "SELECT \(columns.joined(separator: ", ")) FROM tasks t INDEXED BY tasks_by_id WHERE id = ?"
    }()

    /// Reads a row of ``sql``.
    init(_ row: ColumnReader) throws {
        number = try row.value(Column.number, as: Int64.self)
        revision = try row.value(Column.revision, as: Int64.self)
        session = try row.value(Column.session, as: String.self)
        kind = try row.text(Column.kind, as: TaskKind.self)
        state = try row.text(Column.state, as: TaskState.self)
        hasOpenAttempt = try row.flag(Column.hasOpenAttempt)
        attemptCount = try row.value(Column.attemptCount, as: Int.self)
        orderingKey = row.optional(Column.orderingKey, as: Data.self)
        isBlocked = try row.flag(Column.isBlocked)
        hasResult = try row.flag(Column.hasResult)
        finishedAt = row.timestamp(Column.finishedAt)
        expiresAt = row.timestamp(Column.expiresAt)
        rank = row.optional(Column.rank, as: Int64.self)
        dueAt = row.timestamp(Column.dueAt)
        deadline = row.timestamp(Column.deadline)
    }

    /// True if the other tasks of its ordering key wait for this one.
    var hasTurn: Bool { orderingKey != nil && state.takesTurns && !isBlocked }
}

/// The stored state of a task that its removal needs, which a damaged task has too.
struct RemovableTaskState {
    let number: Int64
    let revision: Int64
    let session: String
    /// The kind; `nil` if it is unknown.
    let kind: TaskKind?
    /// The text of the state.
    let stateName: String
    /// The state; `nil` if it is unknown.
    let state: TaskState?
    /// The parent; `nil` also if it is damaged.
    let parent: TaskID?
    /// The ordering key, in UTF-8.
    let orderingKey: Data?
    let createdAt: Timestamp
    let finishedAt: Timestamp?
    /// 0 or 1, unless it is damaged.
    private let blockedMark: Int64

    /// Reads a row of ``StoredTaskState/sql``.
    init(_ row: ColumnReader) throws {
        typealias Column = StoredTaskState.Column
        number = try row.value(Column.number, as: Int64.self)
        revision = try row.value(Column.revision, as: Int64.self)
        session = try row.value(Column.session, as: String.self)
        kind = TaskKind(rawValue: try row.value(Column.kind, as: String.self))
        stateName = try row.value(Column.state, as: String.self)
        state = TaskState(rawValue: stateName)
        parent = row.validTaskID(Column.parent)
        orderingKey = row.optional(Column.orderingKey, as: Data.self)
        createdAt = Timestamp(milliseconds: try row.value(Column.createdAt, as: Int64.self))
        finishedAt = row.timestamp(Column.finishedAt)
        blockedMark = try row.value(Column.isBlocked, as: Int64.self)
    }

    /// True if the other tasks of its ordering key wait for this one, or may do so because it is damaged.
    var mayHaveTurn: Bool { orderingKey != nil && state?.takesTurns != false && blockedMark != 1 }

    /// True if it is known whether the other tasks wait for this one.
    var isTurnKnown: Bool { state != nil && (blockedMark == 0 || blockedMark == 1) }
}
