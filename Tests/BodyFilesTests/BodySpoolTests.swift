import Digest
import Glibc
import Synchronization
import TaskStore
import Testing
import Transfer

@testable import BodyFiles

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

    /// A spool whose writing a test can hold up and wait for.
    private func spool(
        on writer: DispatchGate, inlineLimitBytes: Int = 0, maxBytes: Int64? = nil, durability: Durability = .normal,
        resume: @escaping @Sendable () -> Void = {}
    ) throws -> BodySpool {
        _ = try files()
        return BodySpool(
            place: BodyPlace(id, below: "\(folder.path)/bodies"), inlineLimitBytes: inlineLimitBytes,
            maxBytes: maxBytes, durability: durability, writer: writer.queue, resume: resume)
    }

    @Test("Small content stays in memory and touches no disk")
    func inline() async throws {
        let spool = try files().spool(for: id, maxBytes: nil, resume: {})
        try feed(spool, Array("small".utf8), by: 2)
        let body = try await spool.finish()
        #expect(body.location == .inline(Array("small".utf8)))
        #expect(body.size == 5)
        #expect(body.sha256 == SHA256.hash(Array("small".utf8)))
        #expect(try folder.files() == [])
    }

    @Test("Empty content is content")
    func empty() async throws {
        let body = try await files(inlineLimitBytes: 0).spool(for: id, maxBytes: 0, resume: {}).finish()
        #expect(body.location == .inline([]))
        #expect(body.sha256 == SHA256.hash([]))
    }

    @Test("Large content is in its file, whole, and can be read in parts", arguments: Durability.allCases)
    func file(durability: Durability) async throws {
        let bytes = (0..<5_000_003).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
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

    @Test("A writer that is slower than the transport pauses it, and memory holds three buffers")
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

    @Test("Content beyond the limit is refused and leaves nothing")
    func tooLarge() async throws {
        let writer = DispatchGate()
        let spool = try spool(on: writer, inlineLimitBytes: 10, maxBytes: 400_000)
        try feed(spool, [UInt8](repeating: 1, count: 400_000), by: 400_000)
        guard case .stop(let error) = take([1], spool) else {
            Issue.record("The limit did not hold")
            return
        }
        #expect(error.code == .bodyTooLarge)
        let thrown = await #expect(throws: TransferError.self) { try await spool.finish() }
        #expect(thrown?.code == .bodyTooLarge)
        await writer.drain()
        #expect(try folder.files() == [])
    }

    @Test("Discarded content leaves nothing")
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

    @Test("A spool that is dropped leaves nothing")
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

    @Test("A disk that is full ends the transfer with disk_full, and leaves nothing")
    func diskFull() async throws {
        // The kernel's own full disk: every write to it is ENOSPC.
        let resumed = Signals()
        let writer = DispatchGate()
        let spool = try spool(on: writer, durability: .full, resume: { resumed.send() })
        try #require(symlink("/dev/full", BodyPlace(id, below: "\(folder.path)/bodies").partPath) == 0)
        writer.shut()
        let chunk = [UInt8](repeating: 9, count: SpoolIntake.bufferBytes)
        for _ in 0..<3 { _ = take(chunk, spool) }
        writer.open()
        await resumed.next()
        guard case .stop(let error) = take(chunk, spool) else {
            Issue.record("The transfer goes on")
            return
        }
        #expect(error.code == .diskFull)
        let thrown = await #expect(throws: TransferError.self) { try await spool.finish() }
        #expect(thrown?.code == .diskFull)
        await writer.drain()
        #expect(try folder.files() == [])
    }

    @Test("A folder that is gone ends the transfer with cannot_write")
    func cannotWrite() async throws {
        let files = try files(inlineLimitBytes: 0)
        try #require(rmdir("\(folder.path)/bodies/3f") == 0)
        let spool = files.spool(for: id, maxBytes: nil, resume: {})
        _ = take([1, 2, 3], spool)
        let thrown = await #expect(throws: TransferError.self) { try await spool.finish() }
        #expect(thrown?.code == .cannotWrite)
        #expect(thrown?.description.contains(folder.path) == false)
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
