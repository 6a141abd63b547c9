import ErrandSupport
import ErrandTransfer
import Glibc
import Testing

@testable import ErrandFileSources

@Suite("An upload folder", .timeLimit(.hang))
struct UploadFolderTests {
    private let folder: TemporaryFolder
    private let uploads: UploadFolder

    init() throws {
        folder = try TemporaryFolder()
        uploads = UploadFolder(path: folder["uploads"])
        try folder.write(Array("secret".utf8), to: "secret")
        try folder.write(Array("content".utf8), to: "uploads/a.txt")
        try folder.write(Array("nested".utf8), to: "uploads/2026/11/b.txt")
    }

    private func content(_ name: String) async throws -> String {
        String(decoding: try await SourceReader.content(of: uploads.open(name)), as: UTF8.self)
    }

    private func error(_ name: String, in folder: UploadFolder? = nil) async -> FileSourceError? {
        do throws(FileSourceError) {
            _ = try await (folder ?? uploads).open(name)
            return nil
        } catch {
            #expect(throws: error, "Both ways to a source are the same") { try (folder ?? uploads).source(of: name) }
            return error
        }
    }

    @Test("returns the files below it")
    func files() async throws {
        #expect(try await content("a.txt") == "content")
        #expect(try await content("2026/11/b.txt") == "nested")
        #expect(try await SourceReader.content(of: uploads.source(of: "a.txt")) == Array("content".utf8))
    }

    @Test(
        "uses a name unchanged", arguments: ["%2e%2e", "a b", "日本", "...", "..a", "a..", "~", "\\..\\x", "a\nb", "-"])
    func plainNames(name: String) async throws {
        try folder.write(Array(name.utf8), to: "uploads/\(name)")
        #expect(try await content(name) == name)
    }

    @Test(
        "does not find a missing file",
        arguments: ["b.txt", "2026/b.txt", "2027/b.txt", "A.TXT", "%2e%2e/secret", "a.txt\u{301}"])
    func missing(name: String) async {
        #expect(await error(name) == FileSourceError(.fileNotFound, "The file does not exist"))
    }

    @Test(
        "refuses names that could lead out of it or have special components",
        arguments: [
            ("../secret", "The name of the file leads out of the folder"),
            ("2026/../a.txt", "The name of the file leads out of the folder"),
            ("2026/11/../../../secret", "The name of the file leads out of the folder"),
            ("..", "The name of the file leads out of the folder"),
            ("/etc/passwd", "The name of the file is an absolute path"),
            ("//a.txt", "The name of the file is an absolute path"),
            ("/", "The name of the file is an absolute path"),
            ("", "The name of the file has an empty component or the component \".\""),
            (".", "The name of the file has an empty component or the component \".\""),
            ("./a.txt", "The name of the file has an empty component or the component \".\""),
            ("2026//11/b.txt", "The name of the file has an empty component or the component \".\""),
            ("2026/", "The name of the file has an empty component or the component \".\""),
            ("a.txt/", "The name of the file has an empty component or the component \".\""),
            ("a.txt\0", "The name of the file contains a NUL character"),
            ("a.txt\0/../../secret", "The name of the file contains a NUL character"),
        ])
    func hostileNames(name: String, message: String) async {
        #expect(await error(name) == FileSourceError(.badFile, message))
    }

    @Test("refuses everything except regular files, without waiting")
    func notRegular() async {
        #expect(mkfifo(folder["uploads/fifo"], 0o600) == 0)
        for name in ["2026", "2026/11", "fifo"] {
            #expect(await error(name) == FileSourceError(.badFile, "The file is not a regular file"))
        }
    }

    @Test("refuses a name that is too long for the system")
    func longName() async {
        #expect(await error(String(repeating: "a", count: 300))?.code == .badFile)
    }

    @Test("finds nothing below a file")
    func belowFile() async {
        #expect(
            await error("a.txt/b")
                == FileSourceError(.badFile, "A component of the path to the file is a symbolic link or no folder"))
    }

    @Test(
        "follows no symbolic link at the end of a name or before",
        arguments: ["../secret", "a.txt", "/etc/passwd"])
    func links(target: String) async throws {
        try folder.link("uploads/link", to: target)
        #expect(
            await error("link")
                == FileSourceError(.badFile, "The file is behind a symbolic link that is not followed"))
    }

    @Test("follows no symbolic link to a folder", arguments: ["..", ".", "2026", "/etc"])
    func folderLinks(target: String) async throws {
        try folder.link("uploads/link", to: target)
        for name in ["link/secret", "link/a.txt", "link/11/b.txt", "link/passwd"] {
            #expect(await error(name)?.code == .badFile)
        }
    }

    @Test("splits names like the system, even if a slash is part of a larger character")
    func combinedSlash() async throws {
        try folder.write(Array("inside".utf8), to: "uploads/2026/\u{301}")
        #expect(try await content("2026/\u{301}") == "inside")
        try folder.write(Array("outside".utf8), to: "\u{301}")
        try folder.link("uploads/link", to: "..")
        #expect(await error("link/\u{301}")?.code == .badFile)
    }

    @Test("may itself be behind a symbolic link")
    func linkedFolder() async throws {
        try folder.link("elsewhere", to: "uploads")
        let elsewhere = UploadFolder(path: folder["elsewhere"])
        #expect(try await SourceReader.content(of: elsewhere.open("a.txt")) == Array("content".utf8))
    }

    @Test("has no files if it is missing, and causes an error if it is a file")
    func noFolder() async {
        #expect(await error("a.txt", in: UploadFolder(path: folder["missing"]))?.code == .fileNotFound)
        #expect(await error("a.txt", in: UploadFolder(path: folder["secret"]))?.code == .badFile)
    }

    @Test("follows no symbolic link that replaced the file before it is sent")
    func replaced() async throws {
        let source = try await uploads.open("a.txt")
        #expect(unlink(folder["uploads/a.txt"]) == 0)
        try folder.link("uploads/a.txt", to: "../secret")
        let expected = TransferError(
            .transportError,
            "The file to send can no longer be opened: The file is behind a symbolic link that is not followed")
        await #expect(throws: expected) { try await SourceReader.content(of: source) }
    }
}
