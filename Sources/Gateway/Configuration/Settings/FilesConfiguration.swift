import ErrandSettings

/// The location of files: section `files`.
package struct FilesConfiguration: Sendable, Hashable {
    /// The directory of response bodies that are too large for the database, and of the content of uploads.
    package var dataDirectory = "data"
    /// The directory of the files that tasks may send; it may be missing.
    package var uploads = "data/uploads"
    /// The directory of downloaded files; `nil` for `downloads` in ``dataDirectory``.
    package var downloads: String?
    /// The free space on the disk of ``dataDirectory`` below which no attempt starts, in bytes; 0 for no minimum.
    ///
    /// The default is the size that the write-ahead log usually keeps below, so that the ends of the attempts under way
    /// can be written on a disk that the database shares. It is small, because with it a volume of 1 GiB has to work.
    package var minFreeBytes = 64 << 20
}

extension FilesConfiguration {
    static let settings = SettingGroup(
        FilesConfiguration(),
        [
            Setting(
                "data", \.dataDirectory, .writableDirectory, reload: .restart, environment: .data(),
                "The directory of response bodies that are too large for the database, and of the content of uploads."),
            Setting(
                "uploads", \.uploads, .directory, reload: .restart, environment: .data("uploads"),
                """
                The directory of the files that tasks send: `{"file": "NAME"}` names a file below it. It may be \
                missing. Files outside of it cannot be sent.
                """),
            Setting(
                "downloads", \.downloads, .nullable(.writableDirectory), reload: .restart,
                """
                The directory of the files of downloads: `{"destination": "NAME"}` names a file below it. Default: \
                `downloads` in the directory `data`. It is created with the first download. No file is written \
                outside of it. Partial files are in its folder `.downloads.part`.
                """),
            Setting(
                "min_free", \.minFreeBytes, .size(0...1 << 50), reload: .restart,
                """
                The free space on the disk of `data` below which no attempt starts. Queued tasks then wait with \
                `hold: disk_full`, which `/readyz` shows too. The default lets small volumes work at once, and is the \
                room that the write-ahead log of a database on the same disk takes, beside its reserve of 24 MiB. 0 \
                for no minimum.
                """),
        ]
    ) { files, node, reader in
        // The default follows from `data`, whose problem would be the same one again.
        guard files.downloads == nil, reader.isSound("data"), reader.isSound("downloads"),
            let problem = reader.pathProblem?(files.downloadsDirectory, .writableDirectory)
        else { return }
        reader.report(problem, at: "downloads", in: node)
    }

    /// The directory of downloaded files.
    package var downloadsDirectory: String { downloads ?? "\(dataDirectory)/downloads" }
}
