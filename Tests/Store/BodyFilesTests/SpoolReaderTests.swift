import ErrandCryptography
import ErrandSupport
import ErrandTaskStore
import ErrandTime
import ErrandTransfer
import Testing

@testable import ErrandBodyFiles

@Suite("SpoolReader", .timeLimit(.hang))
struct SpoolReaderTests {
    private let folder: TemporaryFolder
    private let id = TaskID(timestamp: Timestamp(milliseconds: 1_795_000_000_000), a: 1, b: 0x3F)
    private static let content = [UInt8].noise(3_000_001)

    init() throws {
        folder = try TemporaryFolder()
    }

    private func files(inlineLimitBytes: Int = 1000) throws -> BodyFiles {
        try BodyFiles(directory: folder.path, inlineLimitBytes: inlineLimitBytes, durability: .normal)
    }

    /// Reads until the end.
    private func rest(_ reader: SpoolReader, from start: Int = 0, by size: Int = 50_000) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let piece = try await reader.read(at: Int64(start + bytes.count), maxBytes: size) {
            #expect(!piece.isEmpty && piece.count <= size)
            bytes += piece
        }
        return bytes
    }

    @Test("Content is read while it is received: from memory and from the file", arguments: [1000, 9 << 20])
    func whileReceived(inlineLimitBytes: Int) async throws {
        let feeder = Feeder(Self.content)
        let spool = try files(inlineLimitBytes: inlineLimitBytes).spool(for: id, maxBytes: nil) { feeder.resume() }
        let reader = try #require(await spool.follow())
        async let read = rest(reader)
        try await feeder.feed(spool, by: 16_384)
        #expect(reader.sha256 == nil)
        let body = try await spool.finish()
        #expect(try await read == Self.content)
        #expect(reader.sha256 == body.sha256)
    }

    @Test("Bytes are read when they have arrived, before a buffer is full")
    func atOnce() async throws {
        let spool = try files(inlineLimitBytes: 4).spool(for: id, maxBytes: nil) {}
        let reader = try #require(await spool.follow())
        for piece in ["one", "two", "three"] {
            _ = spool.append(bytes: Array(piece.utf8))
        }
        #expect(try await reader.read(at: 0, maxBytes: 4) == Array("onet".utf8))
        #expect(try await reader.read(at: 4, maxBytes: 100) == Array("wothree".utf8))
        async let next = reader.read(at: 11, maxBytes: 100)
        _ = spool.append(bytes: Array("four".utf8))
        #expect(try await next == Array("four".utf8))
        await spool.discard()
    }

    @Test("A reader that begins late and reads slowly gets all content, also when its file was removed")
    func late() async throws {
        let files = try files()
        let feeder = Feeder(Self.content)
        let spool = files.spool(for: id, maxBytes: nil) { feeder.resume() }
        try await feeder.feed(spool, by: 16_384)
        let reader = try #require(await spool.follow())
        _ = try await spool.finish()
        try await files.remove(id)
        #expect(try await rest(reader, by: 7777) == Self.content)
    }

    @Test("Content that has ended is not followed")
    func ended() async throws {
        let files = try files()
        let small = files.spool(for: id, maxBytes: nil) {}
        _ = small.append(bytes: [1, 2, 3])
        #expect(try await small.finish().size == 3)
        #expect(await small.follow() == nil)
        let discarded = files.spool(for: id, maxBytes: nil) {}
        await discarded.discard()
        #expect(await discarded.follow() == nil)
    }

    @Test("Discarded content ends its readers, those that wait too, although bytes were left", arguments: [4, 9 << 20])
    func discarded(inlineLimitBytes: Int) async throws {
        let feeder = Feeder(Self.content)
        let spool = try files(inlineLimitBytes: inlineLimitBytes).spool(for: id, maxBytes: nil) { feeder.resume() }
        let slow = try #require(await spool.follow())
        let waiting = try #require(await spool.follow())
        let read = Task { try await waiting.read(at: Int64(Self.content.count), maxBytes: 1) }
        try await feeder.feed(spool, by: 16_384)
        await spool.discard()
        await #expect(throws: TransferError.canceled) { try await read.value }
        await #expect(throws: TransferError.canceled) { try await slow.read(at: 0, maxBytes: 1) }
        #expect(try folder.files(below: "bodies").isEmpty)
    }

    @Test("A canceled reader stops waiting, and the spool goes on")
    func canceled() async throws {
        let spool = try files().spool(for: id, maxBytes: nil) {}
        let reader = try #require(await spool.follow())
        let work = Task { try await reader.read(at: 0, maxBytes: 1) }
        work.cancel()
        await #expect(throws: CancellationError.self) { try await work.value }
        _ = spool.append(bytes: [7])
        #expect(try await reader.read(at: 0, maxBytes: 1) == [7])
        #expect(try await spool.finish().size == 1)
    }

    @Test("Readers of a spool that could not write its file learn the reason")
    func full() async throws {
        let files = try BodyFiles(
            directory: folder.path, inlineLimitBytes: 4, durability: .normal, minFreeBytes: .max)
        let spool = files.spool(for: id, maxBytes: nil) {}
        let reader = try #require(await spool.follow())
        _ = spool.append(bytes: Array(repeating: 1, count: 100))
        await #expect(throws: TransferError.self) { _ = try await spool.finish() }
        await #expect(throws: TransferError.self) { try await reader.read(at: 100, maxBytes: 1) }
    }
}
