import GRDB

/// The name of a store, which its copies and backups have too, and whether it can have files.
///
/// The folders of its files have the same name in a mark, so that no other store removes the files as those of no task.
package struct StoreIdentity: Sendable, Hashable {
    /// The random name, as 32 hexadecimal digits.
    package let name: String
    /// True if the store has, or had, a task; false for one that was just created.
    ///
    /// The events of deleted tasks tell it, and the number of the last one that was forgotten.
    package let hasHadTasks: Bool

    /// Reads the identity; `nil` if the store is of a version without one.
    init?(_ db: Database) throws {
        guard try db.tableExists("identity"),
            let name = try String.fetchOne(db, sql: "SELECT lower(hex(name)) FROM identity WHERE number = 1")
        else { return nil }
        self.name = name
        hasHadTasks =
            try Bool.fetchOne(
                db,
                sql: """
                    SELECT EXISTS (SELECT 1 FROM tasks) OR EXISTS (SELECT 1 FROM deletions)
                    OR EXISTS (SELECT 1 FROM event_bounds WHERE forgotten > 0)
                    """) ?? false
    }
}
