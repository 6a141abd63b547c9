import ErrandSupport
import ErrandTaskStore
import ErrandTime
import FoundationEssentials
import Glibc
import Testing

@testable import ErrandBodyFiles

@Suite("BodyFiles")
struct BodyFilesTests {
    private let folder: TemporaryFolder
    private let id = TaskID(timestamp: Timestamp(milliseconds: 1_795_000_000_000), a: 1, b: 0x3F)

    init() throws {
        folder = try TemporaryFolder()
    }

    private func open() throws -> BodyFiles {
        try BodyFiles(directory: "\(folder.path)/new/data", inlineLimitBytes: 0, durability: .normal)
    }

    @Test("Opening removes incomplete but not complete files")
    func sweep() throws {
        let files = try open()
        let path = files.path(of: id)
        try TemporaryFolder.write([1, 2, 3], at: path)
        try TemporaryFolder.write([1], at: path + ".part")
        try TemporaryFolder.write([1], at: path.replacing("/3f/", with: "/00/") + ".part")
        _ = try open()
        #expect(try folder.files() == ["new/data/bodies/3f/\(id)"])
    }

    @Test("Opening makes one folder; each of the others is made with its first file, and found by the next opening")
    func folders() async throws {
        func folders() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: folder["new/data/bodies"]).sorted()
        }
        let other = try #require(TaskID("01a1ee56-5e01-7001-8000-0000000000ab"))
        for (id, expected) in [(id, ["3f"]), (other, ["3f", "ab"])] {
            let files = try open()
            let spool = files.spool(for: id, maxBytes: nil, resume: {})
            let bytes: [UInt8] = [1]
            _ = spool.append(bytes.span.bytes)
            _ = try await spool.finish()
            #expect(try folders() == expected)
        }
        #expect(try folder.files().count == 2)
    }

    @Test("A folder has files if there is a complete, an incomplete or a partial one")
    func exist() throws {
        let directory = "\(folder.path)/new/data"
        func exist() throws -> Bool { try BodyFiles.exist(in: directory, name: "bodies") }
        #expect(try !exist())
        #expect(try folder.files().isEmpty)
        let files = try open()
        #expect(try !exist())
        for path in [files.path(of: id), files.path(of: id) + ".part", "\(files.path)/.downloads.part/\(id).part"] {
            try folder.write("x", to: String(path.dropFirst(folder.path.utf8.count + 1)))
            #expect(try exist(), "\(path)")
            try FileManager.default.removeItem(atPath: path)
        }
        #expect(try !exist())
    }

    @Test("Bodies are accessible to the owner only")
    func permissions() async throws {
        let files = try open()
        let spool = files.spool(for: id, maxBytes: nil, resume: {})
        let bytes: [UInt8] = [1]
        _ = spool.append(bytes.span.bytes)
        _ = try await spool.finish()
        var status = stat()
        try #require(stat(files.path(of: id), &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        try #require(stat("\(folder.path)/new/data/bodies", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
    }

    @Test("Removing a missing file is not an error")
    func remove() async throws {
        let files = try open()
        try TemporaryFolder.write([1, 2, 3], at: files.path(of: id))
        try await files.remove(id)
        #expect(try folder.files() == [])
        try await files.remove(id)
    }

    @Test("A file is moved to another task, or shared with it")
    func movedAndShared() async throws {
        let files = try open()
        let other = try #require(TaskID("01a1ee56-5e01-7001-8000-0000000000ab"))
        let third = try #require(TaskID("01a1ee56-5e01-7001-8000-0000000000ac"))
        try TemporaryFolder.write([1, 2, 3], at: files.path(of: id))
        try await files.move(id, to: other)
        #expect(try await files.read(other, maxBytes: 10) == [1, 2, 3])
        try await files.share(other, with: third)
        try await files.remove(other)
        #expect(try await files.read(third, maxBytes: 10) == [1, 2, 3])
        #expect(try folder.files() == ["new/data/bodies/ac/\(third)"])
        for move in [files.move, files.share] {
            let error = await #expect(throws: BodyFilesError.self) { try await move(id, other) }
            #expect(error?.code == .missing)
        }
    }

    @Test("A folder lists the tasks with a complete file, and ignores other files")
    func identifiers() async throws {
        let bodies = try open()
        let id = try #require(TaskID("01a1ee56-5e01-7001-8000-0000000000ab"))
        let path = bodies.path(of: id)
        for name in [path, path + ".part", path + ".txt"] { try TemporaryFolder.write([1], at: name) }
        #expect(try await bodies.identifiers(inFolder: 0xAB) == [id])
        #expect(try await bodies.identifiers(inFolder: 0xAC).isEmpty)
    }

    @Test("Reading a missing file is an error without a path")
    func missing() async throws {
        let files = try open()
        let error = await #expect(throws: BodyFilesError.self) { try await files.read(id, maxBytes: 10) }
        #expect(error?.code == .missing)
        #expect(error.map { "\($0)".contains(folder.path) } == false)
        #expect(error.map { String(reflecting: $0).contains(folder.path) } == true)
    }

    @Test("The free space is that of the file system")
    func freeBytes() async throws {
        let free = try await open().freeBytes()
        #expect(free > 0)
    }

    @Test("A folder that cannot be created is an error")
    func cannotMake() throws {
        let file = "\(folder.path)/file"
        try Data().write(to: URL(filePath: file))
        #expect(throws: BodyFilesError.self) {
            try BodyFiles(directory: file, inlineLimitBytes: 0, durability: .normal)
        }
    }
}
