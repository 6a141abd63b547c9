import ErrandSupport
import Foundation
import HTTPSession
import Testing

/// Checks downloads over several connections that lose the connection of the first response.
@Suite("A download over several connections that loses the first", .timeLimit(.hang))
struct LostPartsDownloadTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private static let options = {
        var options = DownloadOptions()
        options.connections = 4
        return options
    }()

    private func download(
        _ scripted: ScriptedServer, configure: (inout SessionConfiguration) -> Void = { _ in }
    ) async throws -> DownloadedFile {
        try await Session.patient(scripted.origin, configure: configure).download(
            "file", to: folder.destination("a"), options: Self.options)
    }

    private func task(
        _ scripted: ScriptedServer, hooks: SessionHooks = SessionHooks(),
        configure: (inout SessionConfiguration) -> Void = { _ in }
    ) throws -> DownloadTask {
        var options = Self.options
        options.hooks = hooks
        let task = try Session.patient(scripted.origin, configure: configure).downloadTask(
            "file", to: folder.destination("a"), options: options)
        task.resume()
        return task
    }

    @Test("asks for what it lacks in other parts", arguments: [0, 1, 1000, 100_000, 700_000, (1 << 20) - 1])
    func cut(bytes: Int) async throws {
        let server = PartServer { $0.number == 0 ? .cut(bytes) : .part }
        let scripted = try server.start()
        defer { scripted.stop() }
        let file = try await download(scripted)
        #expect(file.head.status == 206)
        #expect(file.size == 5 << 20)
        #expect(folder.bytes(of: "a") == server.content.bytes)
        #expect(try folder.files() == ["a"])
        // What the others had received was not requested again.
        #expect(server.sent <= server.content.bytes.count + bytes)
    }

    @Test("loses the others too, and asks for what each of them lacks")
    func allCut() async throws {
        let server = PartServer { $0.number < 8 ? .cut(100_000 + $0.number * 10_007) : .part }
        let scripted = try server.start()
        defer { scripted.stop() }
        #expect(try await download(scripted).size == 5 << 20)
        #expect(folder.bytes(of: "a") == server.content.bytes)
    }

    @Test("asks for what it lacks also when the others have received everything else", arguments: [0, 1000, 700_000])
    func last(bytes: Int) async throws {
        let gate = Gate()
        defer { gate.open() }
        let server = PartServer { $0.number == 0 ? .heldAndCut(bytes, gate) : .part }
        let scripted = try server.start()
        defer { scripted.stop() }
        let task = try task(scripted)
        for await progress in task.progressUpdates where progress.received >= 4 << 20 + Int64(bytes) { break }
        gate.open()
        #expect(try await task.file.size == 5 << 20)
        #expect(folder.bytes(of: "a") == server.content.bytes)
        #expect(server.sent == server.content.bytes.count)
    }

    @Test("goes on alone with its connection if that has brought something and the others are refused")
    func alone() async throws {
        let server = PartServer { request in
            switch request.range?.lowerBound {
            case 0: .cut(700_000)
            case 700_000: .part
            default: request.number > 3 ? .part : .status("503 Busy")
            }
        }
        let scripted = try server.start()
        defer { scripted.stop() }
        #expect(try await download(scripted).size == 5 << 20)
        #expect(folder.bytes(of: "a") == server.content.bytes)
    }

    @Test("fails, and can be resumed, if no connection brings what it lacks")
    func nothing() async throws {
        let server = PartServer { $0.number == 0 ? .cut(1000) : .status("503 Busy") }
        let scripted = try server.start()
        defer { scripted.stop() }
        let error = await #expect(throws: DownloadError.self) { try await download(scripted) }
        #expect(error?.code == .connectionLost)
        #expect(error?.resumeData?.received == 1000)
        #expect(scripted.requests.events.count == 4)
    }

    @Test("fails after a few requests if each connection brings a little only")
    func little() async throws {
        let server = PartServer { _ in .cut(1000) }
        let scripted = try server.start()
        defer { scripted.stop() }
        let error = await #expect(throws: DownloadError.self) { try await download(scripted) }
        #expect(error?.code == .connectionLost)
        #expect(scripted.requests.events.count == 4)
    }

    @Test("begins at the first byte if the content changes meanwhile")
    func changed() async throws {
        let other = ServedContent(3 << 20, seed: 2, validator: #"ETag: "v2""#)
        let server = PartServer { $0.number == 0 ? .cut(1000) : .changed(other) }
        let scripted = try server.start()
        defer { scripted.stop() }
        #expect(try await download(scripted).head.status == 200)
        #expect(folder.bytes(of: "a") == other.bytes)
    }

    @Test("is canceled afterwards with the other connections, and leaves nothing")
    func canceled() async throws {
        let gate = Gate()
        defer { for _ in 0..<8 { gate.open() } }
        let scripted = try PartServer { $0.number == 0 ? .cut(700_000) : .held(100_000, gate) }.start()
        defer { scripted.stop() }
        let task = try task(scripted)
        // The fifth asks for what the first lacked.
        _ = await scripted.requests.first(5)
        task.cancel()
        #expect(await task.outcome.error?.code == .canceled)
        #expect(try folder.files().isEmpty)
    }

    @Test("is suspended for too long afterwards, and goes on with what is missing when it is resumed")
    func suspended() async throws {
        let gate = Gate()
        let server = PartServer { request in
            request.number == 0 ? .cut(700_000) : request.number < 5 ? .held(100_000, gate) : .part
        }
        let scripted = try server.start()
        defer { scripted.stop() }
        let seen = EventLog<MonitoredAttempt>()
        let hooks = SessionHooks(monitors: [.observing { seen.append($0) }])
        let task = try task(scripted, hooks: hooks) { $0.suspendedKeep = .milliseconds(1) }
        _ = await scripted.requests.first(5)
        task.suspend()
        for _ in 0..<8 { gate.open() }
        _ = await scripted.ended.first(5)
        #expect(task.state == .suspended)
        task.resume()
        #expect(try await task.file.size == 5 << 20)
        #expect(folder.bytes(of: "a") == server.content.bytes)
        let first = try #require(seen.events.first?.outcome)
        #expect(first.mayRestart && first.wasLostToSuspension, "a monitor is told of the suspension")
    }

    @Test("ends at its total timeout, with all that was received")
    func timeout() async throws {
        let gate = Gate()
        defer { for _ in 0..<8 { gate.open() } }
        let scripted = try PartServer { .held($0.number == 0 ? 1000 : 100_000, gate) }.start()
        defer { scripted.stop() }
        let error = await #expect(throws: DownloadError.self) {
            try await download(scripted) { $0.timeouts.total = .seconds(1) }
        }
        #expect(error?.code == .timedOut)
        #expect(scripted.requests.events.count <= 4)
    }
}
