import ErrandSupport
import HTTPSession
import Testing

@Suite("The disposition of a response", .timeLimit(.hang))
struct ResponseDispositionTests {
    private let folder: TemporaryFolder
    private let served = ServedContent(600_000)

    init() throws {
        folder = try TemporaryFolder()
    }

    private func server() throws -> ScriptedServer {
        try ScriptedServer { [served] connection in
            try served.respond(to: connection.readRequest(), on: connection)
        }
    }

    @Test("may be to stream it")
    func allow() async throws {
        let server = try server()
        defer { server.stop() }
        let response = try await Session.patient(server.origin).stream("file") { _ in .allow }
        guard case .stream(let stream) = response else {
            Issue.record("The response is not a stream")
            return
        }
        #expect(stream.head.status == 200)
        var bytes: [UInt8] = []
        for try await piece in stream { bytes += piece }
        #expect(bytes == served.bytes)
    }

    @Test("may be to refuse it before its content")
    func cancel() async throws {
        let server = try ScriptedServer { [served] connection in
            try connection.readRequest()
            try served.send(first: 0, on: connection)
            connection.waitForClose()
        }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let error = await #expect(throws: SessionError.self) { try await api.stream("file") { _ in .cancel } }
        #expect(error?.code == .canceled)
        #expect(error?.response?.status == 200)
        #expect(await server.ended.first(1) == [0])
        #expect(api.tasks.isEmpty)
    }

    @Test("may be to write it to a file")
    func download() async throws {
        let server = try server()
        defer { server.stop() }
        let destination = folder.destination("a")
        let response = try await Session.patient(server.origin).stream("file") { _ in .download(to: destination) }
        guard case .download(let task) = response else {
            Issue.record("The response is not a download")
            return
        }
        let file = try await task.file
        #expect(file.path == folder["a"])
        #expect(file.size == 600_000)
        #expect(try folder.files() == ["a"])
        #expect(folder.bytes(of: "a") == served.bytes)
        #expect(server.requests.events.count == 1)
    }

    @Test("as a file that cannot be written ends the response, although its server is silent after the head")
    func unwritable() async throws {
        let server = try ScriptedServer { [served] connection in
            try connection.readRequest()
            try served.send(first: 0, on: connection)
            connection.waitForClose()
        }
        defer { server.stop() }
        let destination = folder.destination("missing/a")
        let response = try await Session.patient(server.origin).stream("file") { _ in .download(to: destination) }
        guard case .download(let task) = response else {
            Issue.record("The response is not a download")
            return
        }
        #expect(await task.outcome.error?.code == .cannotCreate)
        #expect(await server.ended.first(1) == [0])
    }

    @Test("is also asked for when it is acceptable although another request could have followed it")
    func held() async throws {
        let server = try ScriptedServer { _ in
            ScriptedResponse(status: "300 Multiple Choices", fields: ["Content-Type: text/plain"], body: "choose")
        }
        defer { server.stop() }
        let api = try Session.patient(server.origin) { $0.response.acceptableStatuses = StatusSet([200...399]) }
        let error = await #expect(throws: SessionError.self) { try await api.stream("a") { _ in .cancel } }
        #expect(error?.code == .canceled)
        #expect(error?.response?.status == 300)

        guard case .stream(let stream) = try await api.stream("b", deciding: { _ in .allow }) else {
            Issue.record("The response is not a stream")
            return
        }
        var bytes: [UInt8] = []
        for try await piece in stream { bytes += piece }
        #expect(bytes == Array("choose".utf8))

        let destination = folder.destination("held")
        guard case .download(let task) = try await api.stream("c", deciding: { _ in .download(to: destination) })
        else {
            Issue.record("The response is not a download")
            return
        }
        #expect(try await task.file.size == 6)
        #expect(folder.bytes(of: "held") == Array("choose".utf8))
        #expect(server.requests.events.count == 3)
    }

    @Test("as a file that is cut off leaves data to resume it")
    func cutDownload() async throws {
        let server = try served.server(cutAfter: 400_000) { [served] request, connection in
            try served.respond(to: request, on: connection)
        }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let destination = folder.destination("a")
        let response = try await api.stream("file") { _ in .download(to: destination) }
        guard case .download(let task) = response else {
            Issue.record("The response is not a download")
            return
        }
        let error = try #require(await task.outcome.error)
        #expect(error.code == .connectionLost)
        let data = try #require(error.resumeData)
        #expect(data.received == 400_000)
        try await api.download(resuming: data, to: destination)
        #expect(folder.bytes(of: "a") == served.bytes)
    }

    @Test("as a file that is resumed after a suspension takes a part, and reports progress that does not decrease")
    func suspendedDownload() async throws {
        let server = try ScriptedServer { [served] connection in
            let request = try connection.readRequest()
            guard connection.number == 0 else { return try served.respond(to: request, on: connection) }
            try served.send(first: 300_000, on: connection)
            connection.waitForClose()
        }
        defer { server.stop() }
        let reports = EventLog<ProgressReport>()
        let options = RequestOptions(
            acceptableStatuses: StatusSet([200...200]), progress: { reports.append($0) })
        let destination = folder.destination("a")
        let response = try await Session.patient(server.origin) { $0.suspendedKeep = .milliseconds(1) }
            .stream("file", options: options) { _ in .download(to: destination) }
        guard case .download(let task) = response else {
            Issue.record("The response is not a download")
            return
        }
        for await progress in task.progressUpdates where progress.received >= 300_000 { break }
        task.suspend()
        #expect(await server.ended.first(1) == [0])
        task.resume()
        #expect(try await task.file.size == 600_000)
        #expect(folder.bytes(of: "a") == served.bytes)
        #expect(server.requests.events.map { $0["Range"] } == [nil, "bytes=300000-"])
        let completed = reports.events.map(\.download.completed)
        #expect(completed == completed.sorted())
        #expect(completed.last == 600_000)
        #expect(reports.events.last?.download.fraction == 1)
    }

    @Test("is not asked for after a part that nothing asked for, if only 200 is acceptable")
    func unaskedPart() async throws {
        let server = try ScriptedServer { _ in
            ScriptedResponse(status: "206 Partial Content", fields: ["Content-Range: bytes 0-3/8"], body: "part")
        }
        defer { server.stop() }
        let options = RequestOptions(acceptableStatuses: StatusSet([200...200]))
        let destination = folder.destination("a")
        let error = await #expect(throws: SessionError.self) {
            try await Session.patient(server.origin).stream("file", options: options) { _ in
                .download(to: destination)
            }
        }
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.response?.text == "part")
        #expect(try folder.files().isEmpty)
    }

    @Test("is not asked for after an unacceptable status")
    func badStatus() async throws {
        let server = try ScriptedServer { _ in ScriptedResponse(status: "404 No", fields: [], body: "none") }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let destination = folder.destination("a")
        let error = await #expect(throws: SessionError.self) {
            try await api.stream("file") { _ in .download(to: destination) }
        }
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.response?.text == "none")
        #expect(try folder.files().isEmpty)
    }

    @Test("is asked for once, after the redirects")
    func redirect() async throws {
        let server = try ScriptedServer { request in
            request.line.hasPrefix("GET /a")
                ? ScriptedResponse(status: "302 Found", fields: ["Location: /b"], body: "moved")
                : ScriptedResponse(body: "[1]")
        }
        defer { server.stop() }
        let asked = EventLog<Int>()
        _ = try await Session.patient(server.origin).stream("a") { head in
            asked.append(head.status)
            return .allow
        }
        #expect(asked.events == [200])
    }
}
