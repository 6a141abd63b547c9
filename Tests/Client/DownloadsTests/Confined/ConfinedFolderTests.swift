import ErrandSessionCore
import ErrandSupport
import Foundation
import Testing

@testable import ErrandDownloads

@Suite("A confined folder")
struct ConfinedFolderTests {
    private let folder: TemporaryFolder
    private let outside: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        outside = try TemporaryFolder()
    }

    private func fileNames(_ texts: [String]) throws -> [FileName] {
        try texts.map { text in try FileName(text) }
    }

    /// Writes a file with one byte by the path that the folder gives.
    private func write(_ name: String, in place: borrowing ConfinedFolder) throws {
        try place.withPath(of: FileName(name)) { path in
            try Data([1]).write(to: URL(fileURLWithPath: path))
        }
    }

    private func link(_ name: String) throws {
        try FileManager.default.createSymbolicLink(atPath: folder[name], withDestinationPath: outside.path)
    }

    private func code(_ texts: [String]) throws -> SessionErrorCode? {
        let names = try fileNames(texts)
        let error = #expect(throws: SessionError.self) { _ = try ConfinedFolder(names, below: folder.path) }
        return error?.code
    }

    @Test("is created with the folders above it, again and again", arguments: [[], ["a"], ["a", "b", "c"]])
    func created(texts: [String]) throws {
        for name in ["x", "y"] {
            let place = try ConfinedFolder(fileNames(texts), below: folder.path)
            try write(name, in: place)
        }
        let prefix = texts.map { "\($0)/" }.joined()
        #expect(try folder.files() == ["\(prefix)x", "\(prefix)y"])
    }

    @Test("is not reached through a symbolic link", arguments: [["link"], ["a", "link"], ["a", "link", "b"]])
    func links(texts: [String]) throws {
        try folder.makeFolder("a")
        try link(texts[0] == "a" ? "a/link" : "link")
        #expect(try code(texts) == .cannotCreate)
        #expect(try FileManager.default.contentsOfDirectory(atPath: outside.path).isEmpty)
    }

    @Test("is neither a file nor below one", arguments: [["a"], ["a", "b"]])
    func file(texts: [String]) throws {
        try folder.write("text", to: "a")
        #expect(try code(texts) == .cannotCreate)
    }

    @Test("needs the folder that it is below")
    func missing() throws {
        folder.remove()
        #expect(try code(["a"]) == .cannotCreate)
    }

    @Test("stays the same if a link replaces it")
    func replaced() throws {
        let place = try ConfinedFolder(fileNames(["a"]), below: folder.path)
        try FileManager.default.moveItem(atPath: folder["a"], toPath: folder["b"])
        try link("a")
        try write("x", in: place)
        #expect(try FileManager.default.contentsOfDirectory(atPath: outside.path).isEmpty)
        #expect(FileManager.default.fileExists(atPath: folder["b/x"]))
    }
}
