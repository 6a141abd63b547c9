import ErrandSupport
import Foundation
import HTTPSession
import Testing

@Suite("A download task", .timeLimit(.hang))
struct DownloadTaskTests {
    private let folder: TemporaryFolder
    private let content = ServedContent(600_000)

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A server whose first response stops after a number of bytes, until the client closes the connection.
    private func server(stoppingAfter count: Int) throws -> ScriptedServer {
        try ScriptedServer { [content] connection in
            let request = try connection.readRequest()
            guard connection.number == 0 else { return try content.respond(to: request, on: connection) }
            try content.send(first: count, on: connection)
            connection.waitForClose()
        }
    }

    private func received(_ count: Int64, by task: DownloadTask) async {
        for await progress in task.progressUpdates where progress.received >= count { return }
    }

    @Test("is suspended at first, and reports its progress up to the end")
    func progress() async throws {
        let mayContinue = Gate()
        let server = try ScriptedServer { [content] connection in
            try connection.readRequest()
            try content.send(first: 300_000, on: connection)
            mayContinue.wait()
            try connection.send(Array(content.bytes[300_000...]))
        }
        defer { server.stop() }
        let task = try Session.patient(server.origin).downloadTask("file", to: folder.destination("a"))
        #expect(task.state == .suspended)
        task.resume()
        var seen: [TransferProgress] = []
        for await progress in task.progressUpdates {
            seen.append(progress)
            if progress.received == 300_000 { mayContinue.open() }
        }
        #expect(seen.map(\.received) == seen.map(\.received).sorted())
        #expect(seen.contains { $0.received == 300_000 && $0.receiveTotal == 600_000 })
        #expect(seen.last?.received == 600_000)
        #expect(seen.last?.receiveTotal == 600_000)
        #expect(try await task.file.path == folder["a"])
        #expect(task.state == .completed)
    }

    @Test("removes its partial file when it is canceled")
    func canceled() async throws {
        let server = try server(stoppingAfter: 300_000)
        defer { server.stop() }
        let task = try Session.patient(server.origin).downloadTask("file", to: folder.destination("a"))
        task.resume()
        await received(300_000, by: task)
        task.cancel()
        let error = await #expect(throws: DownloadError.self) { try await task.file }
        #expect(error?.error == .canceled)
        #expect(error?.resumeData == nil)
        #expect(try folder.files().isEmpty)
        #expect(await server.ended.first(1) == [0])
    }

    @Test("produces data when it is canceled, from which another task resumes with a progress from there on")
    func producingData() async throws {
        let server = try server(stoppingAfter: 300_000)
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let task = try api.downloadTask("file", to: folder.destination("a"))
        task.resume()
        await received(300_000, by: task)
        task.cancel(producingResumeData: true)
        let outcome = await task.outcome
        #expect(outcome.error?.error == .canceled)
        let data = try #require(outcome.error?.resumeData)
        #expect(data.received == 300_000)
        #expect(await task.resumeData == data)
        let text = try JSONEncoder().encode(data)
        let read = try JSONDecoder().decode(DownloadResumeData.self, from: text)
        let resumed = try api.downloadTask(resuming: read, to: folder.destination("a"))
        #expect(resumed.progress.received == 300_000)
        #expect(resumed.progress.receiveTotal == 600_000)
        resumed.resume()
        var seen: [Int64] = []
        for await progress in resumed.progressUpdates { seen.append(progress.received) }
        #expect(seen == seen.sorted())
        #expect(seen.first.map { $0 >= 300_000 } == true)
        #expect(seen.last == 600_000)
        #expect(try await resumed.file.size == 600_000)
        #expect(folder.bytes(of: "a") == content.bytes)
        #expect(try folder.files() == ["a"])
    }

    @Test("returns the data from which it was created, if it is canceled before it starts")
    func neverStarted() async throws {
        let api = try Session(baseURL: "http://127.0.0.1:9")
        let data = try content.interrupted(after: 300_000, in: folder, at: "http://127.0.0.1:9")
        let task = try api.downloadTask(resuming: data, to: folder.destination("a"))
        task.cancel()
        #expect(await task.outcome.error?.resumeData == data)
        #expect(try folder.files() == ["interrupted.part"])
    }

    @Test("has the data from which it was created, as long as it has not begun and after it is canceled then")
    func notBegun() async throws {
        let api = try Session(baseURL: "http://127.0.0.1:9")
        let data = try content.interrupted(after: 300_000, in: folder, at: "http://127.0.0.1:9")
        let task = try api.downloadTask(resuming: data, to: folder.destination("a"))
        #expect(await task.resumeData == data)
        task.cancel()
        #expect(await task.outcome.error?.resumeData == data)
        #expect(await task.resumeData == data)
    }

    @Test("has data while it runs, from which a download resumes after a crash")
    func crash() async throws {
        let server = try server(stoppingAfter: 600_000 - 1)
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let task = try api.downloadTask("file", to: folder.destination("a"))
        #expect(await task.resumeData == nil)
        task.resume()
        await received(600_000 - 1, by: task)
        var data = try #require(await task.resumeData)
        // Full pieces of 256 KiB are written as they are received.
        #expect(data.received >= 256 << 10)
        // The files of the process at this moment, as a crash would leave them.
        try FileManager.default.copyItem(atPath: data.partialPath, toPath: folder["crashed.part"])
        task.cancel()
        _ = await task.outcome
        data.partialPath = folder["crashed.part"]
        try await api.download(resuming: data, to: folder.destination("a"))
        #expect(folder.bytes(of: "a") == content.bytes)
        #expect(try folder.files() == ["a"])
        #expect(server.requests.events.last?["Range"] == "bytes=\(data.received)-")
    }

    @Test("requests only the rest after a suspension in which its connection was closed")
    func suspended() async throws {
        let server = try server(stoppingAfter: 300_000)
        defer { server.stop() }
        let api = try Session.patient(server.origin) { $0.suspendedKeep = .milliseconds(1) }
        let task = try api.downloadTask("file", to: folder.destination("a"))
        task.resume()
        await received(300_000, by: task)
        task.suspend()
        #expect(await server.ended.first(1) == [0])
        #expect(task.state == .suspended)
        task.resume()
        #expect(try await task.file.size == 600_000)
        #expect(folder.bytes(of: "a") == content.bytes)
        #expect(server.requests.events.map { $0["Range"] } == [nil, "bytes=300000-"])
    }

    @Test("is canceled with the calling Swift task")
    func callCanceled() async throws {
        let server = try server(stoppingAfter: 0)
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let call = Task { [folder] () async throws(DownloadError) in
            try await api.download("file", to: folder.destination("a"))
        }
        _ = await server.requests.first(1)
        call.cancel()
        let error = await #expect(throws: DownloadError.self) { try await call.value }
        #expect(error?.error == .canceled)
        #expect(try folder.files().isEmpty)
        #expect(await server.ended.first(1) == [0])
    }

    @Test("is one of its session's tasks, which an invalidated session cancels")
    func invalidated() async throws {
        let server = try server(stoppingAfter: 300_000)
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let task = try api.downloadTask("file", to: folder.destination("a"))
        #expect(api.tasks.map(\.id) == [task.id])
        task.resume()
        await received(300_000, by: task)
        await api.invalidate(cancelingTasks: true)
        #expect(await task.outcome.error?.error == .canceled)
        #expect(try folder.files().isEmpty)
        let error = #expect(throws: SessionError.self) { try api.downloadTask("file", to: folder.destination("b")) }
        #expect(error?.code == .sessionClosed)
    }
}
