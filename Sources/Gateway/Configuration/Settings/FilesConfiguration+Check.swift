import ErrandSettings
import ErrandText
import ErrandYAML

extension FilesConfiguration {
    /// Reports directories of tasks in which they would find files of the gateway itself.
    ///
    /// A task could send the database to an upstream, or replace it by a download. Paths are compared by their text.
    ///
    /// A directory with a problem of its own is not checked.
    ///
    /// - Parameter database: The path of the database.
    func check(besides database: String, in node: YAMLNode?, reportingTo reader: inout SettingReader) {
        if reader.isSound("files", "uploads"), let file = ownFile(in: uploads, besides: database) {
            reader.report(
                """
                tasks could send \(file), which belongs to the gateway; expected a directory of its own, such as \
                \(dataDirectory)/uploads
                """, at: "files", "uploads", in: node)
        }
        if reader.isSound("files", "downloads"), let file = ownFile(in: downloadsDirectory, besides: database) {
            reader.report(
                """
                tasks could replace \(file), which belongs to the gateway; expected a directory of its own, such as \
                \(dataDirectory)/downloads
                """, at: "files", "downloads", in: node)
        }
    }

    /// Returns a path that the gateway uses within a directory, or around it; `nil` if there is none.
    private func ownFile(in directory: String, besides database: String) -> String? {
        if database.isPath(within: directory) { return database }
        return ["bodies", "contents"].map { "\(dataDirectory)/\($0)" }.first {
            $0.isPath(within: directory) || directory.isPath(within: $0)
        }
    }
}
