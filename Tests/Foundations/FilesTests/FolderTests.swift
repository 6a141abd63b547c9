import ErrandSupport
import Foundation
import Testing

@testable import ErrandFiles

@Suite("Folder")
struct FolderTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("A folder has entries if there is anything besides the ignored names")
    func entries() throws {
        #expect(try !Folder.hasEntries(folder["none"]))
        #expect(try !Folder.hasEntries(folder.path))
        try folder.write("x", to: "a")
        #expect(try !Folder.hasEntries(folder["a"]), "a file is no folder")
        #expect(try !Folder.hasEntries(folder.path, besides: ["a"]))
        #expect(try Folder.hasEntries(folder.path))
    }

    @Test("A path has an entry, none, or it is unknown whether it has one")
    func presence() throws {
        #expect(try Folder.hasEntry(at: folder.path))
        #expect(try !Folder.hasEntry(at: folder["a"]))
        try folder.write("x", to: "a")
        #expect(try Folder.hasEntry(at: folder["a"]))
        let failure = #expect(throws: SystemFailure.self) { try Folder.hasEntry(at: folder["a/b"]) }
        #expect(failure?.description == "access \(folder["a/b"]): Not a directory")
    }

    @Test("A relative path begins at the working directory")
    func absolute() {
        let current = FileManager.default.currentDirectoryPath
        #expect("data/./errand.db".absolutePath == "\(current)/data/errand.db")
        #expect(".".absolutePath == current)
        #expect("/data//errand.db".absolutePath == "/data/errand.db")
    }

    @Test("A slash divides a path also if a combining mark follows it")
    func combiningMark() throws {
        #expect("/\u{301}a".absolutePath == "/\u{301}a")
        let path = folder["a/\u{301}b"]
        try Folder.makeWithParents(path)
        #expect(try Folder.hasEntry(at: path))
    }
}
