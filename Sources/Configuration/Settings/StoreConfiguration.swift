/// Where tasks are kept: section `store`.
package struct StoreConfiguration: Sendable, Hashable {
    /// The embedded database.
    package var sqlite = SQLite()
    /// What an accepted task survives.
    package var durability = Durability.full
    /// The largest response body that is kept in the database, in bytes; larger ones are files.
    package var inlineBodyBytes = 256 << 10

    /// The embedded database.
    package struct SQLite: Sendable, Hashable {
        /// The path of the database file.
        package var path = "data/errand.db"
    }

    /// What an accepted task survives.
    package enum Durability: String, Sendable, Hashable, CaseIterable {
        /// The loss of power: the disk has it before the answer.
        case full
        /// The crash of the process, but not always that of the machine.
        case normal
    }
}

extension StoreConfiguration {
    static let settings = SettingGroup(
        StoreConfiguration(),
        [
            Setting("sqlite", \.sqlite, .group(SQLite.settings), "The embedded database."),
            Setting(
                "durability", \.durability, .choice(), reload: .restart,
                """
                What an accepted task survives. `full`: the loss of power, the disk has it before the answer. \
                `normal`: a crash of the process, but not always of the machine.
                """),
            Setting(
                "inline_body", \.inlineBodyBytes, .size(0...16 << 20), reload: .restart,
                "The largest response body that is kept in the database and repeated in the task; larger ones are files."
            ),
        ],
        unavailable: ["postgres", "encryption_keys", "retention"])
}

extension StoreConfiguration.SQLite {
    static let settings = SettingGroup(
        StoreConfiguration.SQLite(),
        [
            Setting(
                "path", \.path, .fileInWritableDirectory, reload: .restart,
                "The database file. Its directory has to be on a local disk.")
        ])
}
