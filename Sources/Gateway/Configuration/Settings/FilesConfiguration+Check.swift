import ErrandSettings
import ErrandText
import ErrandYAML

extension FilesConfiguration {
    /// Reports directories of tasks in which they would find files of the gateway itself.
    ///
    /// A task could send the database to an upstream, or replace it by a download. Paths are compared by their text;
    /// relative ones begin at the working directory.
    ///
    /// A directory with a problem of its own is not checked.
    ///
    /// - Parameter database: The path of the database.
    func check(besides database: String, in node: YAMLNode?, reportingTo reader: inout SettingReader) {
        let folder = reader.workingDirectory
        if reader.isSound("files", "uploads"), let file = ownFile(in: uploads, besides: database, from: folder) {
            reader.report(
                """
                tasks could send \(file), which belongs to the gateway; expected a directory of its own, such as \
                \(dataDirectory)/uploads
                """, at: "files", "uploads", in: node)
        }
        if reader.isSound("files", "downloads"),
            let file = ownFile(in: downloadsDirectory, besides: database, from: folder)
        {
            reader.report(
                """
                tasks could replace \(file), which belongs to the gateway; expected a directory of its own, such as \
                \(dataDirectory)/downloads
                """, at: "files", "downloads", in: node)
        }
    }

    /// Returns a path that the gateway uses within a directory, or around it, as it is written; `nil` if there is none.
    ///
    /// - Parameter folder: The folder in which relative paths begin; `nil` if it is not known.
    private func ownFile(in directory: String, besides database: String, from folder: String?) -> String? {
        func isPath(_ path: String, within other: String) -> Bool {
            path.path(from: folder).isPath(within: other.path(from: folder))
        }
        if isPath(database, within: directory) { return database }
        return ["bodies", "contents"].map { "\(dataDirectory)/\($0)" }.first {
            isPath($0, within: directory) || isPath(directory, within: $0)
        }
    }
}
