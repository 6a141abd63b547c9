import ErrandFiles
import ErrandSessionCore
import ErrandSupport
import Testing

@testable import ErrandDownloads

@Suite("The path of a download")
struct DownloadPathTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(
        "is divided into its folder and its name",
        arguments: [("a", ".", "a"), ("/a", "/", "a"), ("/a/b.c", "/a", "b.c"), ("a/b/c", "a/b", "c")])
    func division(path: String, folder: String, name: String) throws {
        let divided = try DownloadPath(path)
        #expect(divided.folder == folder)
        #expect(divided.name == name)
    }

    @Test("is refused if it leads to a folder, or contains NUL", arguments: ["", "/", "a/", ".", "a/..", "a\0b"])
    func refused(path: String) {
        let error = #expect(throws: SessionError.self) { try DownloadPath(path) }
        #expect(error?.code == .cannotCreate)
    }

    @Test("has folders that are created also if the name of one begins with a combining mark")
    func combiningMark() throws {
        let path = folder["a/\u{301}b/\u{301}c"]
        try DownloadPath.makeFolder(path)
        #expect(try Folder.hasEntry(at: path))
    }

    @Test("must be on the file system of the partial file")
    func device() throws {
        try folder.makeFolder("x")
        let path = folder["a.part"]
        try DownloadPath(folder["b"]).checkMove(from: path)
        try DownloadPath(folder["x/b"]).checkMove(from: path)
        // Fails later, when the file is created.
        try DownloadPath(folder["y/b"]).checkMove(from: path)
        let error = #expect(throws: SessionError.self) { try DownloadPath("/proc/b").checkMove(from: path) }
        #expect(error?.code == .cannotMove)
    }

    @Test(
        "gets a number before its extension",
        arguments: [
            ("a.txt", "./a (1).txt"), ("/b/a", "/b/a (1)"), ("/.profile", "/.profile (1)"),
            ("a.tar.gz", "./a.tar (1).gz"), ("a.23456789abcdef0", "./a (1).23456789abcdef0"),
            ("a.23456789abcdef01", "./a.23456789abcdef01 (1)"),
        ])
    func numbered(path: String, expected: String) throws {
        #expect(try DownloadPath(path).numbered(1) == expected)
    }

    @Test("a numbered name has at most 255 bytes, and whole characters")
    func numberedLong() throws {
        let long = String(repeating: "é", count: 125) + ".html"
        #expect(long.utf8.count == 255)
        #expect(try DownloadPath("/b/\(long)").numbered(12) == "/b/\(String(repeating: "é", count: 122)) (12).html")
        let early = "a." + String(repeating: "b", count: 253)
        #expect(try DownloadPath("/b/\(early)").numbered(1) == "/b/a.\(String(repeating: "b", count: 249)) (1)")
    }
}
