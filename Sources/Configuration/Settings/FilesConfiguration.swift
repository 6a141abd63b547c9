/// Where files are kept: section `files`.
package struct FilesConfiguration: Sendable, Hashable {
    /// The directory of response bodies that are too large for the database.
    package var dataDirectory = "data"
}

extension FilesConfiguration {
    static let settings = SettingGroup(
        FilesConfiguration(),
        [
            Setting(
                "data", \.dataDirectory, .writableDirectory, reload: .restart,
                "The directory of response bodies that are too large for the database.")
        ],
        unavailable: ["downloads", "uploads", "min_free"])
}
