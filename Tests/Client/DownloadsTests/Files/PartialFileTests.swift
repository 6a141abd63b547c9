import ErrandFiles
import ErrandSessionCore
import ErrandSupport
import Foundation
import Glibc
import Testing

@testable import ErrandDownloads

@Suite("A partial file")
struct PartialFileTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func file(_ text: String) throws -> PartialFile {
        let file = try PartialFile(inFolder: folder.path)
        try file.begin(at: 0)
        try file.write(Array(text.utf8))
        return file
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOfFile: folder[name], encoding: .utf8)
    }

    @Test("is hidden, and only its owner can read it")
    func mode() throws {
        let file = try file("a")
        let names = try folder.files()
        #expect(names.count == 1)
        #expect(names.allSatisfy { $0.hasPrefix(".") && $0.hasSuffix(".part") })
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test("tells a disk with space that is kept free from a full one")
    func keptFree() throws {
        let file = try PartialFile(creating: folder["kept"], minFreeBytes: .max)
        let thrown = #expect(throws: SystemFailure.self) { try file.write([1]) }
        let failure = try #require(thrown)
        let error = SessionError(writing: failure, to: "a")
        #expect(error.code == .diskFull)
        #expect(error.message == "The disk would have less free space than files.min_free: a")
        let full = SessionError(writing: SystemFailure("write", number: failure.number), to: "a")
        #expect(full.message == "The disk is full: a")
    }

    private func allocatedBytes(_ file: PartialFile) throws -> Int64 {
        try FileDescriptor(file.path, O_RDONLY).allocatedBytes()
    }

    @Test("reserves the space of a large file, and gives back what is missing")
    func reserved() throws {
        let total = PartialFile.minReservedBytes * 2
        let file = try PartialFile(inFolder: folder.path)
        try file.begin(at: 0, of: total)
        try file.write([1, 2, 3])
        #expect(try file.size() == 3)
        #expect(try allocatedBytes(file) >= total)
        file.giveReservedSpaceBack()
        #expect(try file.size() == 3)
        #expect(try allocatedBytes(file) < total / 2)
        try file.begin(at: 2, of: total)
        #expect(try file.size() == 2)
        #expect(try allocatedBytes(file) >= total)
        try file.begin(at: 2)
        #expect(try allocatedBytes(file) < total / 2, "the length of the next response is unknown")
    }

    @Test("keeps what it has if the rest does not fit on the disk")
    func tooLarge() throws {
        let file = try file("abc")
        let failure = #expect(throws: SystemFailure.self) { try file.begin(at: 3, of: .max) }
        #expect(failure?.number == ENOSPC)
        #expect(try String(contentsOfFile: file.path, encoding: .utf8) == "abc")
        #expect(try allocatedBytes(file) < PartialFile.minReservedBytes)
    }

    @Test("is tried again if there is no descriptor for it or for its destination", arguments: [EMFILE, ENFILE])
    func noDescriptor(number: Int32) {
        let failure = SystemFailure("open", number: number)
        let created = SessionError(creating: failure, in: "a")
        #expect(created.code == .cannotWrite)
        #expect(created.isRetryable)
        let moved = SessionError(moving: failure, to: "a")
        #expect(moved.code == .cannotMove)
        #expect(moved.isRetryable)
        let denied = SystemFailure("open", number: EACCES)
        #expect(SessionError(creating: denied, in: "a").code == .cannotCreate)
        #expect(!SessionError(moving: denied, to: "a").isRetryable)
    }

    @Test("replaces another file in one step")
    func overwrite() throws {
        try folder.write("old", to: "a")
        let location = try file("new").move(to: DownloadPath(folder["a"]), .overwrite)
        #expect(location == folder["a"])
        #expect(try text("a") == "new")
        #expect(try folder.files() == ["a"])
    }

    @Test("gets the first free number")
    func rename() throws {
        try folder.write("old", to: "a.txt")
        try folder.write("old", to: "a (1).txt")
        let location = try file("new").move(to: DownloadPath(folder["a.txt"]), .rename)
        #expect(location == folder["a (2).txt"])
        #expect(try text("a (2).txt") == "new")
        #expect(try folder.files() == ["a (1).txt", "a (2).txt", "a.txt"])
    }

    @Test("never replaces a file that must stay")
    func fail() throws {
        try folder.write("old", to: "a")
        let file = try file("new")
        let error = #expect(throws: SessionError.self) { try file.move(to: DownloadPath(folder["a"]), .fail) }
        #expect(error?.code == .exists)
        #expect(error?.number == -3005)
        #expect(error?.message.contains(folder["a"]) == true)
        #expect(try text("a") == "old")
        #expect(try file.move(to: DownloadPath(folder["b"]), .fail) == folder["b"])
        #expect(try folder.files() == ["a", "b"])
    }

    @Test("stays where it may have replaced another one, and otherwise returns to its path, if its folder fails")
    func takenBack() throws {
        try folder.write("old", to: "a")
        let replacing = try file("new")
        let location = try replacing.place(at: DownloadPath(folder["a"]), .overwrite)
        replacing.takeBack(location, .overwrite)
        #expect(try text("a") == "new")
        #expect(!replacing.isInPlace)
        for conflict in [.rename, .fail] as [DownloadConflict] {
            let file = try file("other")
            let location = try file.place(at: DownloadPath(folder["b"]), conflict)
            #expect(location == folder["b"])
            #expect(!file.isInPlace)
            file.takeBack(location, conflict)
            #expect(file.isInPlace)
            #expect(try file.size() == 5)
            file.remove()
        }
        #expect(try folder.files() == ["a"])
    }

    @Test("never replaces a folder or a symbolic link", arguments: [.overwrite, .fail] as [DownloadConflict])
    func special(conflict: DownloadConflict) throws {
        try folder.makeFolder("folder")
        try FileManager.default.createSymbolicLink(atPath: folder["link"], withDestinationPath: "missing")
        for name in ["folder", "link"] {
            let error = #expect(throws: SessionError.self) {
                try file("new").move(to: DownloadPath(folder[name]), conflict)
            }
            #expect(error?.code == .cannotMove)
        }
    }

    @Test("gets the first free number also if a folder, a link, a pipe or a socket has the name")
    func renameBeside() throws {
        let outside = try TemporaryFolder()
        try outside.write("old", to: "secret")
        try folder.makeFolder("a")
        for (name, target) in [("a (1)", "missing"), ("a (2)", outside["secret"]), ("a (3)", outside.path)] {
            try FileManager.default.createSymbolicLink(atPath: folder[name], withDestinationPath: target)
        }
        #expect(mkfifo(folder["a (4)"], 0o600) == 0)
        let server = try ScriptedServer(unixSocket: folder["a (5)"]) { _ in }
        defer { server.stop() }
        for number in 6...7 {
            let location = try file("new").move(to: DownloadPath(folder["a"]), .rename)
            #expect(location == folder["a (\(number))"])
            #expect(try text("a (\(number))") == "new")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder["a"]).isEmpty)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder["a (1)"]) == "missing")
        #expect(try FileManager.default.contentsOfDirectory(atPath: outside.path) == ["secret"])
        #expect(try String(contentsOfFile: outside["secret"], encoding: .utf8) == "old")
    }

    @Test("is used by one download at a time")
    func lock() throws {
        let path: String
        do {
            let file = try file("a")
            path = file.path
            #expect(throws: SystemFailure.self) { try PartialFile(opening: path) }
            #expect(try file.size() == 1)
        }
        #expect(try PartialFile(opening: path).size() == 1)
    }

    @Test("is opened again only if it is a regular file")
    func regular() throws {
        try folder.write("text", to: "a")
        try FileManager.default.createSymbolicLink(atPath: folder["link"], withDestinationPath: "a")
        #expect(throws: SystemFailure.self) { try PartialFile(opening: folder["link"]) }
        #expect(throws: SystemFailure.self) { try PartialFile(opening: folder.path) }
        #expect(throws: SystemFailure.self) { try PartialFile(opening: "/dev/null") }
    }

    @Test("is gone if it has another name, under which it stays as it is")
    func secondName() throws {
        try folder.write("complete", to: "a")
        try FileManager.default.linkItem(atPath: folder["a"], toPath: folder["b.part"])
        let failure = #expect(throws: SystemFailure.self) { try PartialFile(opening: folder["b.part"], keeping: 3) }
        #expect(failure?.isMissingFile == true)
        #expect(try text("a") == "complete")
        #expect(try folder.files() == ["a"])
    }

    @Test("drops the bytes after the offset at which it continues")
    func offset() async throws {
        let file = try file("abcdef")
        try file.begin(at: 2)
        try file.write(Array("xy".utf8))
        #expect(try text(String(file.path.dropFirst(folder.path.utf8.count + 1))) == "abxy")
        // The SHA-256 of "abxy", computed by sha256sum.
        let digest = "fe397af74c42fe42afc3fef9786771ee4279047e905e894120e1860617169b6f"
        try await DownloadChecksum.sha256(digest).verify(file) { false }
    }
}
