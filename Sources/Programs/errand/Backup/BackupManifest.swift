import ErrandBodyFiles
import ErrandJSON
import ErrandTaskStoreSQLite

/// The facts about a backup, in its file `manifest.json`.
struct BackupManifest: Equatable {
    /// The time at which the backup began, as in RFC 3339.
    var createdAt: String
    /// The version of the program.
    var version: String
    /// The name of the newest migration of the store.
    var schema: String
    /// The number of tasks.
    var tasks: Int
    /// The files with the content of responses.
    var bodies = BodyFileMirror.Extent()
    /// The files with the content of requests.
    var contents = BodyFileMirror.Extent()
    /// The number of files that tasks refer to and the backup does not have.
    var missingFiles = 0

    /// The number of the format, which changes when older versions cannot restore the backup.
    static let format = 1

    /// The manifest as JSON.
    var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("format", Self.format)
        for (name, text) in [("created_at", createdAt), ("version", version), ("schema", schema)] {
            writer.member(name, text)
        }
        let numbers = [
            ("tasks", tasks), ("body_files", bodies.files), ("body_bytes", Int(bodies.bytes)),
            ("content_files", contents.files), ("content_bytes", Int(contents.bytes)), ("missing_files", missingFiles),
        ]
        for (name, number) in numbers { writer.member(name, number) }
        writer.endObject()
        return writer.bytes
    }

    init(createdAt: String, version: String, schema: String, tasks: Int) {
        self.createdAt = createdAt
        self.version = version
        self.schema = schema
        self.tasks = tasks
    }

    /// Reads a manifest.
    ///
    /// - Throws: The reason why it is not one that this version understands.
    init(json: [UInt8]) throws(BackupError) {
        let document = try? JSONDocument.parse(json)
        guard let object = document?.root.object, let format = object["format"]?.number?.int else {
            throw BackupError("its manifest.json is damaged")
        }
        guard format == Self.format else {
            throw BackupError("its format is \(format), and this version restores format \(Self.format) only")
        }
        guard let createdAt = object["created_at"]?.string, let version = object["version"]?.string,
            let schema = object["schema"]?.string, let tasks = object["tasks"]?.number?.int,
            let bodyFiles = object["body_files"]?.number?.int,
            let bodyBytes = object["body_bytes"]?.number?.int,
            let contentFiles = object["content_files"]?.number?.int,
            let contentBytes = object["content_bytes"]?.number?.int,
            let missingFiles = object["missing_files"]?.number?.int
        else { throw BackupError("its manifest.json is damaged") }
        self.init(createdAt: createdAt, version: version, schema: schema, tasks: tasks)
        bodies = BodyFileMirror.Extent(files: bodyFiles, bytes: Int64(bodyBytes))
        contents = BodyFileMirror.Extent(files: contentFiles, bytes: Int64(contentBytes))
        self.missingFiles = missingFiles
    }

    /// The facts in one line, for people.
    var summary: String {
        let files = [(bodies, "body"), (contents, "content")].map { extent, name in
            "\(extent.files) \(name) file\(extent.files == 1 ? "" : "s") (\(extent.bytes) bytes)"
        }
        return "\(tasks) task\(tasks == 1 ? "" : "s"), \(files.joined(separator: ", ")), schema \(schema)"
    }
}
