import ErrandCryptography
import ErrandSupport
import ErrandTaskStore
import ErrandTime
import ErrandTransfer
import Glibc
import Synchronization
import Testing

@testable import ErrandBodyFiles

@Suite("BodySpool")
struct BodySpoolTests {
    private let folder: TemporaryFolder
    private let id = TaskID(timestamp: Timestamp(milliseconds: 1_795_000_000_000), a: 1, b: 0x3F)

    init() throws {
        folder = try TemporaryFolder()
    }

    private func files(
        inlineLimitBytes: Int = 1000, durability: Durability = .full
    ) throws -> BodyFiles {
        try BodyFiles(directory: folder.path, inlineLimitBytes: inlineLimitBytes, durability: durability)
    }

    private var place: BodyPlace { BodyPlace(id, in: BodyFolders("\(folder.path)/bodies", durability: .normal)) }

    /// Creates a spool whose writes a test can pause and await.
    private func spool(
        on writer: DispatchGate, inlineLimitBytes: Int = 0, maxBytes: Int64? = nil, durability: Durability = .normal,
        resume: @escaping @Sendable () -> Void = {}
    ) throws -> BodySpool {
        _ = try files()
        return BodySpool(
            place: place, inlineLimitBytes: inlineLimitBytes,
            maxBytes: maxBytes, durability: durability, minFreeBytes: 0, writer: writer.queue, resume: resume)
    }

    @Test("A file fails on a disk with less free space than required, and leaves nothing; content in memory does not")
    func minFree() async throws {
        let files = try BodyFiles(
            directory: folder.path, inlineLimitBytes: 100, durability: .normal, minFreeBytes: .max)
        let small = files.spool(for: id, maxBytes: nil, resume: {})
        try feed(small, Array(repeating: 1, count: 100), by: 10)
        #expect(try await small.finish().size == 100)
        let feeder = Feeder(Array(repeating: 1, count: 4 << 20))
        let large = files.spool(for: id, maxBytes: nil) { feeder.resume() }
        let error = await #expect(throws: TransferError.self) {
            try await feeder.feed(large, by: 1 << 18)
            _ = try await large.finish()
        }
        #expect(error?.code == .diskFull)
        #expect(error?.message == "The disk would have less free space than files.min_free")
        await large.discard()
        #expect(try folder.files(below: "bodies").isEmpty)
    }

    @Test("Small content stays in memory and is not written to disk")
    func inline() async throws {
        let spool = try files().spool(for: id, maxBytes: nil, resume: {})
        try feed(spool, Array("small".utf8), by: 2)
        let body = try await spool.finish()
        #expect(body.location == .inline(Array("small".utf8)))
        #expect(body.size == 5)
        #expect(body.sha256 == SHA256.hash(Array("small".utf8)))
        #expect(try folder.files() == [])
    }

    @Test("Empty content is valid content")
    func empty() async throws {
        let body = try await files(inlineLimitBytes: 0).spool(for: id, maxBytes: 0, resume: {}).finish()
        #expect(body.location == .inline([]))
        #expect(body.sha256 == SHA256.hash([]))
    }

    @Test("Large content is completely in its file, and can be read in parts", arguments: Durability.allCases)
    func file(durability: Durability) async throws {
        let bytes = [UInt8].noise(5_000_003)
        let files = try files(durability: durability)
        let feeder = Feeder(bytes)
        let spool = files.spool(for: id, maxBytes: Int64(bytes.count), resume: { feeder.resume() })
        try await feeder.feed(spool, by: 16_384)
        let body = try await spool.finish()
        #expect(body.location == .file(files.path(of: id)))
        #expect(files.path(of: id).hasSuffix("/bodies/3f/\(id)"))
        #expect(body.size == Int64(bytes.count))
        #expect(body.sha256 == SHA256.hash(bytes))
        #expect(try folder.files() == ["bodies/3f/\(id)"])
        #expect(try await files.read(id, maxBytes: .max) == bytes)
        #expect(try await files.read(id, from: 4_999_999, maxBytes: 100) == Array(bytes[4_999_999...]))
        #expect(try await files.read(id, from: 1000, maxBytes: 5) == Array(bytes[1000..<1005]))
        #expect(try await files.read(id, from: 6_000_000, maxBytes: 5) == [])
    }

    @Test("A writer that is slower than the transport pauses it, with three buffers in memory")
    func backPressure() async throws {
        let writer = DispatchGate()
        let resumed = Signals()
        let spool = try spool(on: writer, resume: { resumed.send() })
        writer.shut()
        let chunk = [UInt8](repeating: 9, count: 16_384)
        var taken = 0
        var decision = ReceiveDecision.more
        while case .more = decision {
            decision = take(chunk, spool)
            taken += chunk.count
        }
        guard case .pause = decision else {
            Issue.record("\(decision)")
            return
        }
        #expect(taken == 3 * SpoolIntake.bufferBytes)
        writer.open()
        await resumed.next()
        #expect(try await spool.finish().size == Int64(taken))
    }

    @Test("Content beyond the limit is refused and leaves no file")
    func tooLarge() async throws {
        let writer = DispatchGate()
        let spool = try spool(on: writer, inlineLimitBytes: 10, maxBytes: 400_000)
        try feed(spool, [UInt8](repeating: 1, count: 400_000), by: 400_000)
        guard case .stop(let error) = take([1], spool) else {
            Issue.record("The limit was not enforced")
            return
        }
        #expect(error.code == .bodyTooLarge)
        let thrown = await #expect(throws: TransferError.self) { try await spool.finish() }
        #expect(thrown?.code == .bodyTooLarge)
        await writer.drain()
        #expect(try folder.files() == [])
    }

    @Test("Discarded content leaves no file")
    func discard() async throws {
        let writer = DispatchGate()
        let spool = try spool(on: writer, inlineLimitBytes: 10)
        try feed(spool, [UInt8](repeating: 1, count: 400_000), by: 400_000)
        await spool.discard()
        await spool.discard()
        await #expect(throws: TransferError.canceled) { try await spool.finish() }
        await writer.drain()
        #expect(try folder.files() == [])
    }

    @Test("A deinitialized spool leaves no file")
    func dropped() async throws {
        let writer = DispatchGate()
        try await dropOne(writer)
        await writer.drain()
        #expect(try folder.files() == [])
    }

    private func dropOne(_ writer: DispatchGate) async throws {
        let spool = try spool(on: writer)
        _ = take([UInt8](repeating: 1, count: 300_000), spool)
        await writer.drain()
        #expect(try folder.files() == ["bodies/3f/\(id).part"])
    }

    @Test("A full disk ends the transfer with disk_full, and leaves no file")
    func diskFull() async throws {
        // Every write to `/dev/full` fails with ENOSPC.
        let resumed = Signals()
        let writer = DispatchGate()
        let spool = try spool(on: writer, durability: .full, resume: { resumed.send() })
        try place.makeFolder()
        try #require(symlink("/dev/full", place.partPath) == 0)
        writer.shut()
        let chunk = [UInt8](repeating: 9, count: SpoolIntake.bufferBytes)
        for _ in 0..<3 { _ = take(chunk, spool) }
        writer.open()
        await resumed.next()
        guard case .stop(let error) = take(chunk, spool) else {
            Issue.record("The transfer continues")
            return
        }
        #expect(error.code == .diskFull)
        #expect(error.message == "The disk is full")
        let thrown = await #expect(throws: TransferError.self) { try await spool.finish() }
        #expect(thrown?.code == .diskFull)
        await writer.drain()
        #expect(try folder.files() == [])
    }

    @Test("A missing folder ends the transfer with cannot_write")
    func cannotWrite() async throws {
        let files = try files(inlineLimitBytes: 0)
        try #require(rmdir("\(folder.path)/bodies") == 0)
        let spool = files.spool(for: id, maxBytes: nil, resume: {})
        _ = take([1, 2, 3], spool)
        let thrown = await #expect(throws: TransferError.self) { try await spool.finish() }
        #expect(thrown?.code == .cannotWrite)
        #expect(thrown?.description.contains(folder.path) == false)
    }

    @Test("Content that cannot be synced is no body, and leaves no file")
    func cannotSync() async throws {
        // Writes to `/dev/null` succeed, and it cannot be synced.
        let writer = DispatchGate()
        let spool = try spool(on: writer, durability: .full)
        try place.makeFolder()
        try #require(symlink("/dev/null", place.partPath) == 0)
        _ = take([UInt8](repeating: 1, count: 300_000), spool)
        let thrown = await #expect(throws: TransferError.self) { try await spool.finish() }
        #expect(thrown?.code == .cannotWrite)
        #expect(try folder.files() == [])
        // The next attempt writes a file of its own.
        let next = try files(inlineLimitBytes: 0).spool(for: id, maxBytes: nil, resume: {})
        _ = take([1, 2, 3], next)
        #expect(try await next.finish().location == .file(place.path))
        #expect(try await files().read(id, maxBytes: .max) == [1, 2, 3])
    }

    @Test("Content that cannot be renamed is no body, and leaves no file", arguments: Durability.allCases)
    func cannotRename(durability: Durability) async throws {
        let files = try files(inlineLimitBytes: 0, durability: durability)
        let path = files.path(of: id)
        // A file cannot replace a folder.
        try place.makeFolder()
        try #require(mkdir(path, 0o700) == 0)
        let spool = files.spool(for: id, maxBytes: nil, resume: {})
        _ = take([1, 2, 3], spool)
        let thrown = await #expect(throws: TransferError.self) { try await spool.finish() }
        #expect(thrown?.code == .cannotWrite)
        #expect(try folder.files() == [])
        try #require(rmdir(path) == 0)
        let next = files.spool(for: id, maxBytes: nil, resume: {})
        _ = take([1, 2, 3], next)
        #expect(try await next.finish().location == .file(path))
    }

    /// Lowers a limit of the process during `body`: of descriptors, or of the size of a file.
    private static func exhaust(_ resource: __rlimit_resource, _ body: () async throws -> Void) async throws {
        var limit = rlimit()
        try #require(getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0)
        var low = limit
        low.rlim_cur = 0
        try #require(setrlimit(__rlimit_resource_t(resource.rawValue), &low) == 0)
        // Before anything is reported, which needs both.
        let result: Result<Void, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        try #require(setrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0)
        try result.get()
    }

    /// In a process of its own, which alone is short: a body cannot be written, leaves nothing, and the next can be.
    private static func expectRecovery(from resource: __rlimit_resource) async throws {
        signal(SIGXFSZ, SIG_IGN)
        let tests = try BodySpoolTests()
        let files = try tests.files()
        let bytes = [UInt8](repeating: 1, count: 200_000)
        var thrown: TransferError?
        try await exhaust(resource) {
            let spool = files.spool(for: tests.id, maxBytes: nil, resume: {})
            _ = spool.append(bytes.span.bytes)
            do throws(TransferError) { _ = try await spool.finish() } catch { thrown = error }
        }
        #expect(thrown?.code == .cannotWrite)
        #expect(thrown?.description.contains(tests.folder.path) == false)
        #expect(try tests.folder.files() == [])
        let spool = files.spool(for: tests.id, maxBytes: nil, resume: {})
        _ = spool.append(bytes.span.bytes)
        #expect(try await spool.finish().size == 200_000)
        #expect(try await files.read(tests.id, maxBytes: .max) == bytes)
    }

    @Test("Without a descriptor for its file content cannot be written, and can be as soon as there is one")
    func noDescriptor() async {
        await #expect(processExitsWith: .success) {
            endInTime()
            try await Self.expectRecovery(from: RLIMIT_NOFILE)
        }
    }

    @Test("A file that may not grow ends the transfer with cannot_write, and leaves nothing")
    func fileSizeLimit() async {
        await #expect(processExitsWith: .success) {
            endInTime()
            try await Self.expectRecovery(from: RLIMIT_FSIZE)
        }
    }

    private func take(_ bytes: [UInt8], _ spool: BodySpool) -> ReceiveDecision {
        spool.append(bytes.span.bytes)
    }

    private func feed(_ spool: BodySpool, _ bytes: [UInt8], by size: Int) throws {
        for start in stride(from: 0, to: bytes.count, by: size) {
            let end = min(start + size, bytes.count)
            guard case .more = spool.append(bytes.span.bytes.extracting(start..<end)) else {
                throw TransferError(.transportError, "The spool did not take all")
            }
        }
    }
}
