import ErrandSupport
import Foundation
import Glibc
import Testing

@testable import ErrandFiles

@Suite("FileContents", .timeLimit(.hang))
struct FileContentsTests {
    private func failure(
        of path: String, maxBytes: Int = 10, within limit: Duration = FileContents.patience
    ) -> String? {
        do throws(FileContents.Failure) {
            _ = try FileContents.read(path, maxBytes: maxBytes, within: limit)
            return nil
        } catch {
            return error.description
        }
    }

    @Test("a file is read to its end", arguments: [0, 1, 65_535, 65_536, 65_537, 300_000])
    func whole(count: Int) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        try Data(bytes).write(to: URL(fileURLWithPath: folder["a"]))
        #expect(try FileContents.read(folder["a"], maxBytes: count) == bytes)
        #expect(try FileContents.read(folder["a"], maxBytes: 1 << 20) == bytes)
    }

    @Test("a file with more bytes than are accepted is refused")
    func tooLarge() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try Data("12345678901".utf8).write(to: URL(fileURLWithPath: folder["a"]))
        #expect(failure(of: folder["a"]) == "larger than 10 bytes")
        #expect(failure(of: "/dev/zero", maxBytes: 100_000) == "larger than 100000 bytes")
    }

    @Test("a pipe is read as a file is")
    func pipe() throws {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data("hello".utf8))
        try pipe.fileHandleForWriting.close()
        let path = "/proc/self/fd/\(pipe.fileHandleForReading.fileDescriptor)"
        #expect(try FileContents.read(path, maxBytes: 10) == Array("hello".utf8))
    }

    @Test("a named pipe without a writer, and one whose writer does not end, are refused after the limit")
    func latePipe() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder["pipe"]
        try #require(mkfifo(path, 0o600) == 0)
        let limit = Duration.milliseconds(20)
        #expect(failure(of: path, within: limit) == "nothing was written to it within 20ms")
        let writer = open(path, O_RDWR)
        try #require(writer >= 0)
        defer { close(writer) }
        #expect(failure(of: path, within: limit) == "nothing was written to it within 20ms")
        #expect(write(writer, "hello", 5) == 5)
        #expect(failure(of: path, within: limit) == "its end did not come within 20ms")
    }

    @Test("a named pipe is read when its writer comes", arguments: ["hello", ""])
    func namedPipe(text: String) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder["pipe"]
        try #require(mkfifo(path, 0o600) == 0)
        Thread.detachNewThread {
            // Waits for the reader.
            let writer = open(path, O_WRONLY)
            _ = write(writer, text, text.utf8.count)
            close(writer)
        }
        #expect(try FileContents.read(path, maxBytes: 10, within: .seconds(3600)) == Array(text.utf8))
    }

    @Test("an open socket is read to its end, and stays open")
    func socket() throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { close(ends[0]) }
        #expect(write(ends[1], "hello", 5) == 5)
        close(ends[1])
        #expect(try FileContents.read(descriptor: ends[0], maxBytes: 10) == Array("hello".utf8))
        #expect(try FileContents.read(descriptor: ends[0], maxBytes: 10).isEmpty)
        #expect(failure(of: "/proc/self/fd/\(ends[0])") == "No such device or address")
    }

    @Test("the reason of a failure is the system's")
    func failures() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        #expect(failure(of: folder["none"]) == "No such file or directory")
        #expect(failure(of: folder.path) == "Is a directory")
    }
}
