import FoundationEssentials
import GRDB
import TaskStore

/// The operations of a transaction on what is kept of sessions.
struct SessionWriting {
    private let statements: SessionStatements

    init(_ statements: SessionStatements) {
        self.statements = statements
    }

    /// Remembers a mark, or forgets one that is blank.
    func set(_ mark: SessionMark) throws {
        if mark.isBlank {
            try statements.deleteMark.execute(arguments: [mark.name])
        } else {
            try statements.writeMark.execute(arguments: [mark.name, mark.isSuspended, mark.isClosed])
        }
    }

    /// Applies changes to the cookies of a session, in their order.
    func apply(_ changes: [StoredCookieChange], session: String) throws {
        for change in changes {
            switch change {
            case .set(let cookie): try write(cookie, session)
            case .remove(let key): try statements.deleteCookie.execute(arguments: arguments(key, session))
            }
        }
    }

    private func write(_ cookie: StoredCookie, _ session: String) throws {
        try statements.writeCookie.execute(
            arguments: arguments(cookie.key, session) + [
                Data(cookie.value.utf8), cookie.isSecure, cookie.isHTTPOnly, cookie.expiresAt?.milliseconds,
                cookie.creationOrder, cookie.lastAccessAt.milliseconds,
            ])
    }

    private func arguments(_ key: StoredCookie.Key, _ session: String) -> StatementArguments {
        [session, Data(key.domain.utf8), key.isHostOnly, Data(key.path.utf8), Data(key.name.utf8)]
    }
}

/// The statements that write what is kept of sessions.
final class SessionStatements {
    let writeMark: Statement
    let deleteMark: Statement
    let writeCookie: Statement
    let deleteCookie: Statement

    /// Prepares all of them.
    init(_ db: Database) throws {
        writeMark = try db.makeStatement(
            sql: """
                INSERT INTO session_marks (name, is_suspended, is_closed) VALUES (?, ?, ?)
                ON CONFLICT (name) DO UPDATE SET is_suspended = excluded.is_suspended, is_closed = excluded.is_closed
                """)
        deleteMark = try db.makeStatement(sql: "DELETE FROM session_marks WHERE name = ?")
        writeCookie = try db.makeStatement(
            sql: """
                INSERT OR REPLACE INTO cookies (
                    session, domain, is_host_only, path, name, value, is_secure, is_http_only, expires_at,
                    creation_order, last_access_at
                ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        deleteCookie = try db.makeStatement(
            sql: """
                DELETE FROM cookies
                WHERE session = ? AND domain = ? AND is_host_only = ? AND path = ? AND name = ?
                """)
    }
}
