/// Where files are kept: section `files`.
package struct FilesConfiguration: Sendable, Hashable {
    /// The directory of response bodies that are too large for the database.
    package var dataDirectory = "data"
    /// The directory of the files that tasks may send; it need not exist.
    package var uploads = "data/uploads"
}

extension FilesConfiguration {
    static let settings = SettingGroup(
        FilesConfiguration(),
        [
            Setting(
                "data", \.dataDirectory, .writableDirectory, reload: .restart,
                "The directory of response bodies that are too large for the database."),
            Setting(
                "uploads", \.uploads, .directory, reload: .restart,
                """
                The directory of the files that tasks send: `{"file": "NAME"}` names one below it. It need not exist; \
                nothing outside of it can be sent.
                """),
        ],
        unavailable: ["downloads", "min_free"])
}
