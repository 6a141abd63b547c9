import ErrandSupport
import ErrandTaskStore
import ErrandTime
import FoundationEssentials
import Glibc
import Testing

@testable import ErrandBodyFiles

@Suite("BodyFileMirror")
struct BodyFileMirrorTests {
    private let folder: TemporaryFolder
    private let mirror: BodyFileMirror

    init() throws {
        folder = try TemporaryFolder()
        mirror = BodyFileMirror(from: folder["bodies"], to: folder["copy"])
        _ = try BodyFiles(directory: folder.path, inlineLimitBytes: 0, durability: .normal)
    }

    private func id(_ number: UInt64) -> TaskID {
        TaskID(timestamp: Timestamp(milliseconds: 1_795_000_000_000), a: 1, b: number)
    }

    private func write(_ bytes: [UInt8], for id: TaskID) throws {
        try TemporaryFolder.write(bytes, at: BodyPlace.path(of: id, below: folder["bodies"]))
    }

    @Test("Complete files are linked; a later run adds new ones and replaces those that have changed")
    func runs() throws {
        try write([1], for: id(1))
        try TemporaryFolder.write([9], at: BodyPlace.path(of: id(9), below: folder["bodies"]) + BodyPlace.partSuffix)
        try mirror.run()
        #expect(try mirror.extent() == BodyFileMirror.Extent(files: 1, bytes: 1))
        var status = stat()
        try #require(stat(BodyPlace.path(of: id(1), below: folder["copy"]), &status) == 0)
        #expect(status.st_nlink == 2)

        unlink(BodyPlace.path(of: id(1), below: folder["bodies"]))
        try write([1, 2, 3], for: id(1))
        try write([4], for: id(2))
        try mirror.run()
        #expect(BodyFileMirror.bytes(of: id(1), below: folder["copy"]) == 3)
        #expect(try mirror.extent() == BodyFileMirror.Extent(files: 2, bytes: 4))
        // A file of a removed task stays.
        unlink(BodyPlace.path(of: id(2), below: folder["bodies"]))
        try mirror.run()
        #expect(BodyFileMirror.bytes(of: id(2), below: folder["copy"]) == 1)
        #expect(BodyFileMirror.bytes(of: id(3), below: folder["copy"]) == nil)
    }

    @Test("A file that the source does not have with the same size is foreign")
    func foreign() throws {
        try write([1], for: id(1))
        #expect(try mirror.foreignFile() == nil)
        try mirror.run()
        #expect(try mirror.foreignFile() == nil)
        unlink(BodyPlace.path(of: id(1), below: folder["bodies"]))
        #expect(try mirror.foreignFile() == BodyPlace.path(of: id(1), below: folder["copy"]))
    }

    @Test("On another file system files are copied, once")
    func otherFileSystem() throws {
        // /dev/shm is a file system of its own.
        let other = "/dev/shm/errand-mirror-\(getpid())"
        defer { try? FileManager.default.removeItem(atPath: other) }
        let content = [UInt8](repeating: 5, count: 3 << 20)
        try write(content, for: id(1))
        let copies = BodyFileMirror(from: folder["bodies"], to: other)
        try copies.run()
        let path = BodyPlace.path(of: id(1), below: other)
        #expect(try [UInt8](Data(contentsOf: URL(filePath: path))) == content)
        var (first, second) = (stat(), stat())
        try #require(stat(path, &first) == 0)
        try copies.run()
        try #require(stat(path, &second) == 0)
        #expect(first.st_ino == second.st_ino)
        #expect(first.st_nlink == 1)
    }
}
