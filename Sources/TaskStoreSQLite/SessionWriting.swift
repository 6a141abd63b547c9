import FoundationEssentials
import GRDB
import TaskStore

/// The operations of a transaction on what is kept of sessions.
struct SessionWriting {
    private let statements: WriteStatements

    init(_ statements: WriteStatements) {
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
