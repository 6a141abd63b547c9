import ErrandCryptography
import ErrandLocking
import ErrandSupport
import ErrandTaskStore
import ErrandTime
import ErrandTransfer
import Foundation
import Glibc
import Synchronization
import Testing

@testable import ErrandBodyFiles

@Suite("A body that is kept when its spool ends", .timeLimit(.hang))
struct KeptBodyTests {
    private let folder: TemporaryFolder
    private let files: BodyFiles
    private let place: KeptPlace
    private let id = TaskID(timestamp: Timestamp(milliseconds: 1_795_000_000_000), a: 1, b: 0x3F)
    private static let content = [UInt8].noise(1_500_000)

    init() throws {
        folder = try TemporaryFolder()
        files = try BodyFiles(directory: folder.path, inlineLimitBytes: 1000, durability: .normal)
        place = KeptPlace(folder["bodies/kept.part"])
    }

    /// Receives a part of the content.
    private func spool(_ range: Range<Int>, continuing kept: KeptBody? = nil) async throws -> BodySpool {
        let feeder = Feeder(Array(Self.content[range]))
        let spool = files.spool(for: id, maxBytes: nil, keptAt: place, continuing: kept) { feeder.resume() }
        try await feeder.feed(spool, by: 16_384)
        return spool
    }

    @Test("is continued by another spool, and becomes the whole content", arguments: [0, 500, 5000, 700_000])
    func continued(bytes: Int) async throws {
        let kept = try await spool(0..<bytes).keep()
        #expect(kept?.size == (bytes > 0 ? Int64(bytes) : nil))
        let rest = try await spool(bytes..<Self.content.count, continuing: kept)
        let body = try await rest.finish()
        #expect(body.size == Int64(Self.content.count))
        #expect(body.sha256 == SHA256.hash(Self.content))
        #expect(try await files.read(id, maxBytes: .max) == Self.content)
        #expect(try folder.files() == ["bodies/3f/\(id)"])
        #expect(place.prepared.load(ordering: .relaxed) == 1)
    }

    @Test("is opened by another process, which continues the bytes that count", arguments: [1, 600_000, 700_000])
    func opened(bytes: Int) async throws {
        let kept = try #require(try await spool(0..<700_000).keep())
        try kept.keep()
        let opened = try #require(
            await files.openKept(for: id, at: place.path, place, bytes: Int64(bytes), unless: { false }))
        let body = try await spool(bytes..<Self.content.count, continuing: opened).finish()
        #expect(body.sha256 == SHA256.hash(Self.content))
        #expect(try await files.read(id, maxBytes: .max) == Self.content)
    }

    @Test("is not opened if it is shorter than it was, is gone, or the opening is given up; it stays as it is")
    func notOpened() async throws {
        #expect(await files.openKept(for: id, at: place.path, place, bytes: 1, unless: { false }) == nil)
        try #require(try await spool(0..<5000).keep()).keep()
        #expect(await files.openKept(for: id, at: place.path, place, bytes: 5001, unless: { false }) == nil)
        for bytes: Int64 in [5000, 4000] {
            #expect(await files.openKept(for: id, at: place.path, place, bytes: bytes, unless: { true }) == nil)
        }
        #expect(FileManager.default.contents(atPath: place.path) == Data(Self.content[..<5000]))
    }

    /// Creates a file of zeros, which takes no space, at a path.
    private func zeros(_ count: Int64, at path: String) throws {
        try #require(FileManager.default.createFile(atPath: path, contents: nil))
        try #require(truncate(path, off_t(count)) == 0)
    }

    @Test("is opened in several steps if it is large")
    func steps() async throws {
        let count = 2 * SerialQueues.stepBytes + 5
        try zeros(count, at: place.path)
        let opened = try #require(
            await files.openKept(for: id, at: place.path, place, bytes: count, unless: { false }))
        let spool = files.spool(for: id, maxBytes: nil, keptAt: place, continuing: opened) {}
        _ = spool.append(bytes: [1])
        let body = try await spool.finish()
        #expect(body.size == count + 1)
        #expect(body.sha256 == SHA256.hash([UInt8](repeating: 0, count: Int(count)) + [1]))
    }

    @Test("lets Swift tasks run while it is opened, although as many are as the pool has threads, and more")
    func otherTasks() async throws {
        let count = LongWork.poolCount + 4
        let (work, files, id) = (LongWork(count: count), files, id)
        let places = (0..<count).map { KeptPlace(folder["bodies/\($0).part"]) }
        // So large that none is read to its end, unless nothing else runs.
        let bytes: Int64 = 16 << 30
        for place in places { try zeros(bytes, at: place.path) }
        let openings = await withTaskGroup(of: Bool.self) { group in
            for place in places {
                let isCanceled = work.isCanceled()
                group.addTask {
                    await files.openKept(for: id, at: place.path, place, bytes: bytes, unless: isCanceled) != nil
                }
            }
            return await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(openings == Array(repeating: false, count: count))
    }

    @Test("has all content if the spool ends while it writes and the transport is paused")
    func paused() async throws {
        let gate = DispatchGate()
        let spool = BodySpool(
            place: BodyPlace(id, in: BodyFolders("\(folder.path)/bodies", durability: .normal)), inlineLimitBytes: 0,
            maxBytes: nil,
            durability: .normal, minFreeBytes: 0, writer: gate.queue, keptAt: place, resume: {})
        gate.shut()
        var count = 0
        var decision = ReceiveDecision.more
        while case .more = decision {
            decision = spool.append(bytes: Array(Self.content[count..<(count + 16_384)]))
            count += 16_384
        }
        let keeping = Task { await spool.keep() }
        try await until { spool.state.withLock { $0.intake.isFinishing } }
        gate.open()
        let kept = try #require(await keeping.value)
        await gate.drain()
        #expect(kept.size == Int64(count))
        let rest = try await self.spool(count..<Self.content.count, continuing: kept)
        #expect(try await rest.finish().sha256 == SHA256.hash(Self.content))
        #expect(try await files.read(id, maxBytes: .max) == Self.content)
        #expect(place.prepared.load(ordering: .relaxed) == 1)
    }

    @Test("leaves no file if it is neither continued nor kept")
    func dropped() async throws {
        do { #expect(try await spool(0..<5000).keep() != nil) }
        #expect(try folder.files() == [])
        let removed = try #require(try await spool(0..<5000).keep())
        removed.remove()
        #expect(try folder.files() == [])
        #expect(throws: Never.self) { try removed.keep() }
    }

    @Test("is that of a spool that has neither failed nor ended, and has a place for it")
    func nothing() async throws {
        let discarded = try await spool(0..<5000)
        await discarded.discard()
        #expect(await discarded.keep() == nil)
        let small = files.spool(for: id, maxBytes: 10, keptAt: place, resume: {})
        _ = small.append(bytes: Array(Self.content[..<11]))
        #expect(await small.keep() == nil)
        let ordinary = files.spool(for: id, maxBytes: nil, resume: {})
        _ = ordinary.append(bytes: Array(Self.content[..<5000]))
        #expect(await ordinary.keep() == nil)
        #expect(try folder.files() == [])
    }

    @Test("can be followed from its first byte while a spool continues it")
    func followed() async throws {
        let kept = try await spool(0..<700_000).keep()
        let rest = try await spool(700_000..<Self.content.count, continuing: kept)
        let reader = try #require(await rest.follow())
        _ = try await rest.finish()
        var bytes: [UInt8] = []
        while let piece = try await reader.read(at: Int64(bytes.count), maxBytes: 1 << 16) { bytes += piece }
        #expect(bytes == Self.content)
    }

    @Test("ends the readers of its spool with an error")
    func readers() async throws {
        let ended = try await spool(0..<5000)
        let reader = try #require(await ended.follow())
        _ = await ended.keep()
        await #expect(throws: TransferError.canceled) { try await reader.read(at: 5000, maxBytes: 10) }
    }
}
