import BinaryText

/// Where tasks are kept: section `store`.
package struct StoreConfiguration: Sendable, Hashable {
    /// The embedded database.
    package var sqlite = SQLite()
    /// What an accepted task survives.
    package var durability = Durability.full
    /// The keys of AES-256-GCM, 32 bytes each: the first encrypts, all decrypt; none for cleartext.
    ///
    /// Secrets: they are in no printed configuration.
    package var encryptionKeys: [[UInt8]] = []
    /// The largest response body that is kept in the database, in bytes; larger ones are files.
    package var inlineBodyBytes = 256 << 10
    /// How long tasks are kept that are done.
    package var retention = RetentionConfiguration()

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
                "encryption_keys", \.encryptionKeys, .list(of: .encryptionKey), reload: .restart,
                """
                The keys that tasks are encrypted with (AES-256-GCM), none for cleartext: the first encrypts, all decrypt, \
                so that a new key goes first and the former one stays while there are tasks of it. `openssl rand -base64 32` \
                makes one.
                """),
            Setting(
                "inline_body", \.inlineBodyBytes, .size(0...16 << 20), reload: .restart,
                "The largest response body that is kept in the database and repeated in the task; larger ones are files."
            ),
            Setting(
                "retention", \.retention, .group(RetentionConfiguration.settings),
                "How long tasks are kept that are done, and what goes with them."),
        ],
        unavailable: ["postgres"])
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

extension SettingType where Value == [UInt8] {
    /// A key of 256 bits, in Base64 or in hexadecimal digits.
    fileprivate static var encryptionKey: SettingType {
        .scalar(
            ScalarShape(
                label: "secret key: 32 bytes in Base64, or 64 hexadecimal digits",
                expectation: "a key: 32 bytes in Base64, or 64 hexadecimal digits", isSecret: true),
            parse: { text throws(ScalarRefusal) in
                guard let key = HexadecimalText.decode(text) ?? Base64.decode(text), key.count == 32 else {
                    throw .unexpected
                }
                return key
            },
            format: { _ in .redacted })
    }
}
