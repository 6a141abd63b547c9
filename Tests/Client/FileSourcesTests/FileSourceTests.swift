import Dispatch
import ErrandLocking
import ErrandSupport
import ErrandTransfer
import Glibc
import Testing

@testable import ErrandFileSources

@Suite("A file source", .timeLimit(.hang))
struct FileSourceTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func content(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        .noise(count, seed: seed)
    }

    /// Waits until all operations that sources have started on their threads are complete.
    private func settle() async {
        for queue in FileReaders.queues.all {
            await withContinuation { continuation in
                queue.async { continuation.resume() }
            }
        }
    }

    private func error(_ body: () async throws(FileSourceError) -> FileSource) async -> FileSourceError? {
        do throws(FileSourceError) {
            _ = try await body()
            return nil
        } catch {
            return error
        }
    }

    @Test("returns the whole file", arguments: [0, 1, 1000, ReadAhead.chunkBytes, ReadAhead.chunkBytes + 1, 5 << 20])
    func equal(count: Int) async throws {
        let expected = content(count)
        let source = try FileSource(path: folder.write(expected, to: "a"))
        #expect(source.length == Int64(count))
        #expect(try await SourceReader.content(of: source, chunk: 64 * 1024) == expected)
    }

    @Test("returns the file in any portions", arguments: [1, 7, 4096, ReadAhead.chunkBytes, 1 << 20])
    func portions(chunk: Int) async throws {
        let expected = content(2 * ReadAhead.chunkBytes + 100)
        let source = try await FileSource.open(path: folder.write(expected, to: "a"))
        #expect(try await SourceReader.content(of: source, chunk: chunk) == expected)
    }

    @Test("pauses instead of waiting for the disk")
    func pauses() async throws {
        let source = try FileSource(path: folder.write([1, 2, 3], to: "a"))
        // The reading threads are blocked, so the source works without them.
        let gates = FileReaders.queues.all.map { queue in
            let gate = Gate()
            queue.async { gate.wait() }
            return gate
        }
        let reader = SourceReader(source)
        reader.begin()
        let first = reader.read(10)
        for gate in gates { gate.open() }
        guard case (.pause, []) = first else {
            Issue.record("It returned bytes before they were read")
            return
        }
        await reader.resumed()
        guard case (.bytes, [1, 2, 3]) = reader.read(10) else {
            Issue.record("It gives what was read")
            return
        }
        source.end()
    }

    @Test("starts again from the first byte, after any number of reads", arguments: 0..<10)
    func rewinds(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let expected = content(3 * ReadAhead.chunkBytes + 17, seed: seed)
        let source = try FileSource(path: folder.write(expected, to: "a"))
        let reader = SourceReader(source)
        reader.begin()
        for _ in 0..<5 {
            let limit = Int.random(in: 0...expected.count, using: &random)
            let chunk = Int.random(in: 1000...100_000, using: &random)
            #expect(try await reader.readAll(chunk: chunk, limit: limit) == Array(expected.prefix(limit)))
            let isNewTransfer = Bool.random(using: &random)
            if isNewTransfer { source.end() }
            #expect(source.rewind())
            if isNewTransfer { reader.begin() }
        }
        #expect(try await reader.readAll(chunk: 10_000) == expected)
        source.end()
    }

    @Test("cannot be read before it was started")
    func notBegun() throws {
        let reader = SourceReader(try FileSource(path: folder.write([1], to: "a")))
        guard case (.failed, []) = reader.read(10) else {
            Issue.record("It was read")
            return
        }
    }

    @Test("fails if the file becomes shorter while it is sent")
    func truncatedMeanwhile() async throws {
        let source = try FileSource(path: folder.write(content(1 << 20), to: "a"))
        let reader = SourceReader(source)
        reader.begin()
        _ = try await reader.readAll(chunk: 100, limit: 100)
        try folder.resize("a", to: 100)
        await #expect(throws: TransferError(.transportError, "The file became shorter while it was being sent")) {
            try await reader.readAll(chunk: 10_000)
        }
        source.end()
    }

    @Test("fails if the file has become shorter before it is sent")
    func truncatedBefore() async throws {
        let source = try FileSource(path: folder.write(content(100), to: "a"))
        try folder.resize("a", to: 99)
        await #expect(throws: TransferError(.transportError, "The file became shorter while it was being sent")) {
            try await SourceReader.content(of: source)
        }
    }

    @Test("returns only the bytes that the file had when the source was created")
    func grown() async throws {
        let expected = content(100)
        let source = try FileSource(path: folder.write(expected, to: "a"))
        try folder.resize("a", to: 200)
        #expect(try await SourceReader.content(of: source) == expected)
    }

    @Test("fails if the file has been removed before it is sent")
    func removed() async throws {
        let source = try FileSource(path: folder.write([1], to: "a"))
        #expect(unlink(folder["a"]) == 0)
        let expected = TransferError(
            .transportError, "The file to send can no longer be opened: The file does not exist")
        await #expect(throws: expected) { try await SourceReader.content(of: source) }
        try folder.write([2], to: "a")
        #expect(source.rewind())
        #expect(try await SourceReader.content(of: source) == [2], "The next transfer finds it again")
    }

    @Test("of a file that does not exist is an error")
    func missing() async throws {
        let expected = FileSourceError(.fileNotFound, "The file does not exist")
        for path in [folder["a"], folder["a/b"], ""] {
            #expect(throws: expected) { try FileSource(path: path) }
            #expect(await error { () async throws(FileSourceError) in try await .open(path: path) } == expected)
        }
    }

    @Test("of something other than a regular file is an error, without waiting")
    func notRegular() async throws {
        try folder.write([], to: "folder/a")
        #expect(mkfifo(folder["fifo"], 0o600) == 0)
        for path in [folder["folder"], folder["fifo"], "/dev/null"] {
            #expect(throws: FileSourceError(.badFile, "The file is not a regular file")) { try FileSource(path: path) }
        }
        #expect(throws: FileSourceError.self) { try FileSource(path: folder["folder/a/b"]) }
    }

    @Test("of a path with a NUL is an error")
    func nul() async throws {
        let path = try folder.write([], to: "a")
        #expect(throws: FileSourceError(.badFile, "The path of the file contains a NUL character")) {
            try FileSource(path: path + "\0.txt")
        }
    }

    @Test("of an unreadable file is an error", .enabled(if: geteuid() != 0, "The superuser may read all"))
    func unreadable() throws {
        let path = try folder.write([], to: "a")
        #expect(chmod(path, 0) == 0)
        #expect(throws: FileSourceError(.badFile, "Access to the file is denied")) { try FileSource(path: path) }
    }

    @Test("follows symbolic links")
    func links() async throws {
        try folder.write([7], to: "a")
        try folder.link("b", to: "a")
        #expect(try await SourceReader.content(of: FileSource(path: folder["b"])) == [7])
    }

    @Test("keeps its file open only while it is read, and 64 sources leave no file open")
    func descriptors() async throws {
        let sources = try (0..<64).map { number in
            try FileSource(path: folder.write(content(300_000), to: "\(number)"))
        }
        #expect(try folder.openFiles().isEmpty)
        for source in sources {
            let reader = SourceReader(source)
            reader.begin()
            _ = try await reader.readAll(chunk: 100, limit: 100)
        }
        #expect(try folder.openFiles().count == 64)
        for source in sources { source.end() }
        await settle()
        #expect(try folder.openFiles().isEmpty)
    }

    @Test("closes its file when it is released without having been ended")
    func abandoned() async throws {
        let path = try folder.write(content(300_000), to: "a")
        do {
            let reader = SourceReader(try FileSource(path: path))
            reader.begin()
            _ = try await reader.readAll(chunk: 100, limit: 100)
            #expect(try folder.openFiles() == ["a"])
        }
        await settle()
        #expect(try folder.openFiles().isEmpty)
    }

    @Test("does not resume the transfer after its end")
    func nothingAfterEnd() async throws {
        let resumes = EventLog<Void>()
        let source = try FileSource(path: folder.write(content(100), to: "a"))
        let gates = FileReaders.queues.all.map { queue in
            let gate = Gate()
            queue.async { gate.wait() }
            return gate
        }
        source.begin { resumes.append() }
        _ = SourceReader(source).read(10)
        source.end()
        for gate in gates { gate.open() }
        await settle()
        #expect(resumes.events.isEmpty)
    }
}
