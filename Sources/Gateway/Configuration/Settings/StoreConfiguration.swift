import ErrandSettings
import ErrandText

/// The store of tasks: section `store`.
package struct StoreConfiguration: Sendable, Hashable {
    /// The embedded database.
    package var sqlite = SQLite()
    /// The events that an accepted task survives.
    package var durability = Durability.full
    /// The keys of AES-256-GCM, 32 bytes each.
    ///
    /// The first one encrypts, all decrypt; none for cleartext.
    ///
    /// They are secrets, and no printed configuration contains them.
    package var encryptionKeys: [[UInt8]] = []
    /// The size limit of response bodies in the database, in bytes.
    ///
    /// Larger bodies are stored as files.
    package var inlineBodyBytes = 256 << 10
    /// The longest time that reading a list of tasks may take.
    package var readTimeout = Duration.seconds(5)
    /// The retention of finished tasks.
    package var retention = RetentionConfiguration()

    /// The embedded database.
    package struct SQLite: Sendable, Hashable {
        /// The path of the database file.
        package var path = "data/errand.db"
    }

    /// The events that an accepted task survives.
    package enum Durability: String, Sendable, Hashable, CaseIterable {
        /// Tasks survive power loss, because they are on disk before the response is sent.
        case full
        /// Tasks survive a crash of the process, but not every crash of the machine.
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
                The events that an accepted task survives. `full`: power loss, because the task is on disk before \
                the response is sent. `normal`: a crash of the process, but not every crash of the machine.
                """),
            Setting(
                "encryption_keys", \.encryptionKeys, .list(of: .encryptionKey), reload: .restart,
                """
                The keys that encrypt in the database what tasks request, their results, schedules and the values of \
                cookies (AES-256-GCM), but neither labels nor the content of responses and uploads; none for \
                cleartext. The first key encrypts, all keys decrypt. To rotate keys, put the new key first, and keep \
                the former key until retention has removed the tasks that it has encrypted, and as long as there are \
                backups from before. The next start encrypts schedules and cookies again with the first key. \
                `openssl rand -base64 32` creates a key.
                """),
            Setting(
                "inline_body", \.inlineBodyBytes, .size(0...16 << 20), reload: .restart,
                """
                The size limit of response bodies that are stored in the database and included in the task. Larger \
                bodies are stored as files.
                """
            ),
            Setting(
                "read_timeout", \.readTimeout, .duration(.milliseconds(100)...(.seconds(600))), reload: .restart,
                """
                The longest time that reading a list of tasks may take, including its time in the queue. Beyond it \
                the response is 503 (`list-timeout`). Narrower filters take less time.
                """),
            Setting(
                "retention", \.retention, .group(RetentionConfiguration.settings),
                "The time that finished tasks and their data are kept."),
        ],
        unavailable: ["postgres"])
}

extension StoreConfiguration.SQLite {
    static let settings = SettingGroup(
        StoreConfiguration.SQLite(),
        [
            Setting(
                "path", \.path, .fileInWritableDirectory, reload: .restart, environment: .data("errand.db"),
                "The database file. Its directory must be on a local disk.")
        ])
}

extension SettingType where Value == [UInt8] {
    /// The type of a 256-bit key, in Base64 or hexadecimal digits.
    fileprivate static var encryptionKey: SettingType {
        .scalar(
            ScalarShape(
                label: "secret key: 32 bytes in Base64, or 64 hexadecimal digits",
                expectation: "a key: 32 bytes in Base64, or 64 hexadecimal digits", isSecret: true),
            parse: { text throws(ScalarRefusal) in
                guard let key = Hexadecimal.decode(text) ?? Base64.decode(text), key.count == 32 else {
                    throw .unexpected
                }
                return key
            },
            format: { _ in .redacted })
    }
}
