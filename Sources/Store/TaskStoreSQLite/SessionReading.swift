import ErrandTaskStore
import ErrandTime
import FoundationEssentials
import GRDB

/// The statements that read session control states and cookies.
struct SessionReading {
    private let db: Database

    init(_ db: Database) {
        self.db = db
    }

    /// Returns the control states of all sessions, sorted by name.
    ///
    /// Operators set only few of them. A damaged one holds its session, and does not prevent the start.
    func controlStates() throws -> [SessionControlState] {
        let rows = try Row.fetchCursor(
            db.cachedStatement(sql: "SELECT name, is_suspended, is_closed FROM session_marks ORDER BY name"))
        var controlStates: [SessionControlState] = []
        while let row = try rows.next() {
            controlStates.append(
                SessionControlState(
                    name: row[0], isSuspended: row.carefulFlag(1), isClosed: row.carefulFlag(2)))
        }
        return controlStates
    }

    /// Returns the holds of all sessions, sorted by session.
    func holds() throws -> [UpstreamHold] {
        let rows = try Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT session, origin, quiet_until, circuit_open_until, clock_offset
                    FROM upstream_holds ORDER BY session
                    """))
        var holds: [UpstreamHold] = []
        while let row = try rows.next() {
            let (origin, quiet, open, offset): (Data, Int64?, Int64?, Int64) = (row[1], row[2], row[3], row[4])
            holds.append(
                UpstreamHold(
                    session: row[0], origin: String(decoding: origin, as: UTF8.self),
                    quietUntil: quiet.map { Timestamp(milliseconds: $0) },
                    circuitOpenUntil: open.map { Timestamp(milliseconds: $0) }, clockOffset: .milliseconds(offset)))
        }
        return holds
    }

    /// Returns all cookies of a session, sorted by key.
    func cookies(_ session: String) throws -> [StoredCookie] {
        let rows = try Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT
                        domain, is_host_only, path, name, value, is_secure, is_http_only, expires_at, creation_order,
                        last_access_at
                    FROM cookies WHERE session = ? ORDER BY domain, is_host_only, path, name
                    """),
            arguments: [session])
        var cookies: [StoredCookie] = []
        while let row = try rows.next() {
            cookies.append(
                StoredCookie(
                    key: StoredCookie.Key(
                        domain: row.text(0), isHostOnly: try row.flag(1, "is_host_only"), path: row.text(2),
                        name: row.text(3)),
                    value: row.text(4), isSecure: try row.flag(5, "is_secure"),
                    isHTTPOnly: try row.flag(6, "is_http_only"),
                    expiresAt: (row[7] as Int64?).map { Timestamp(milliseconds: $0) }, creationOrder: row[8],
                    lastAccessAt: Timestamp(milliseconds: row[9])))
        }
        return cookies
    }

    /// Returns the sessions that have cookies, sorted.
    func sessionsWithCookies() throws -> [String] {
        try String.fetchAll(db.cachedStatement(sql: "SELECT DISTINCT session FROM cookies ORDER BY session"))
    }
}

extension Row {
    /// Reads text that is stored as bytes of UTF-8.
    fileprivate func text(_ index: Int) -> String {
        let bytes: Data = self[index]
        return String(decoding: bytes, as: UTF8.self)
    }
}
