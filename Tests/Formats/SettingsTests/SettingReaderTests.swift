import ErrandSupport
import Testing

@testable import ErrandSettings

@Suite("Reading of settings")
struct SettingReaderTests {
    /// The settings of a program that reads files.
    struct Documents: Sendable {
        var files: [FileContent] = []

        static let settings = SettingGroup(
            Documents(), [Setting("files", \.files, .list(of: .file), "The files.")])
    }

    @Test("A file that several settings name is read once, whether or not it can be read")
    func files() throws {
        let reads = EventLog<String>()
        let loader = SettingLoader(environment: [:]) { path in
            reads.append(path)
            guard path == "/rotated" else { throw MissingFile() }
            return [UInt8(clamping: reads.events.count)]
        }
        let loaded = try loader.load(
            Array("files: [/rotated, /rotated]".utf8), file: "a.yaml", as: Documents.settings)
        #expect(loaded.root.files.map(\.bytes) == [[1], [1]])
        let error = #expect(throws: ConfigurationError.self) {
            _ = try loader.load(Array("files: [/late, /late]".utf8), file: "a.yaml", as: Documents.settings)
        }
        #expect(error?.problems.map(\.description) == (0...1).map { "files[\($0)]: \(Self.late)" })
        #expect(reads.events == ["/rotated", "/late"])
    }

    private static let late = "cannot read the file: No such file or directory; check the path"
}
