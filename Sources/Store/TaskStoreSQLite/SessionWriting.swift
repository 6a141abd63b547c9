import ErrandTaskStore
import ErrandTime
import FoundationEssentials
import GRDB

/// The operations of a transaction on session control states, holds and cookies.
struct SessionWriting {
    private let statements: SessionStatements

    init(_ statements: SessionStatements) {
        self.statements = statements
    }

    /// Stores a control state, or removes a blank one.
    func set(_ controlState: SessionControlState) throws {
        if controlState.isBlank {
            try statements.deleteControlState.execute(arguments: [controlState.name])
        } else {
            try statements.writeControlState.execute(arguments: [
                controlState.name, controlState.isSuspended, controlState.isClosed,
            ])
        }
    }

    /// Stores a hold, or removes a blank one.
    func set(_ hold: UpstreamHold) throws {
        if hold.isBlank {
            try statements.deleteHold.execute(arguments: [hold.session])
        } else {
            try statements.writeHold.execute(arguments: [
                hold.session, Data(hold.origin.utf8), hold.quietUntil?.milliseconds,
                hold.circuitOpenUntil?.milliseconds, hold.clockOffset.wholeMilliseconds,
            ])
        }
    }

    /// Applies changes to the cookies of a session, in order.
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

/// The statements that write session control states, holds and cookies.
final class SessionStatements {
    let writeControlState: Statement
    let deleteControlState: Statement
    let writeHold: Statement
    let deleteHold: Statement
    let writeCookie: Statement
    let deleteCookie: Statement

    /// Prepares all statements.
    init(_ db: Database) throws {
        writeControlState = try db.makeStatement(
            sql: """
                INSERT INTO session_marks (name, is_suspended, is_closed) VALUES (?, ?, ?)
                ON CONFLICT (name) DO UPDATE SET is_suspended = excluded.is_suspended, is_closed = excluded.is_closed
                """)
        deleteControlState = try db.makeStatement(sql: "DELETE FROM session_marks WHERE name = ?")
        writeHold = try db.makeStatement(sql: "INSERT OR REPLACE INTO upstream_holds VALUES (?, ?, ?, ?, ?)")
        deleteHold = try db.makeStatement(sql: "DELETE FROM upstream_holds WHERE session = ?")
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
