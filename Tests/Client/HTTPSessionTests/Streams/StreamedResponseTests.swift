import ErrandSupport
import HTTPSession
import Testing

@Suite("A streamed response", .timeLimit(.hang))
struct StreamedResponseTests {
    private let content = ServedContent(600_000)

    /// Reads a response to its end or to its error.
    private func read(_ response: StreamedResponse) async -> (bytes: [UInt8], error: SessionError?) {
        var bytes: [UInt8] = []
        var iterator = response.makeAsyncIterator()
        do throws(SessionError) {
            while let piece = try await iterator.next() {
                #expect(!piece.isEmpty)
                bytes += piece
            }
            return (bytes, nil)
        } catch {
            return (bytes, error)
        }
    }

    /// A server whose responses stop after a number of bytes, until the client closes the connection.
    private func server(stoppingAfter count: Int) throws -> ScriptedServer {
        try ScriptedServer { [content] connection in
            try connection.readRequest()
            try content.send(first: count, on: connection)
            connection.waitForClose()
        }
    }

    // MARK: Content

    @Test("gives its head, then its content while it comes")
    func streams() async throws {
        let mayContinue = Gate()
        let server = try ScriptedServer { [content] connection in
            try connection.readRequest()
            try content.send(first: 1000, on: connection)
            mayContinue.wait()
            try connection.send(Array(content.bytes[1000...]))
        }
        defer { server.stop() }
        let response = try await Session.patient(server.origin).stream("file", parameters: ["a": 1])
        #expect(response.head.status == 200)
        #expect(response.head.headers[.contentLength] == "600000")
        var bytes: [UInt8] = []
        for try await piece in response {
            bytes += piece
            if bytes.count == 1000 { mayContinue.open() }
        }
        #expect(bytes == content.bytes)
        #expect(server.requests.events.first?.line == "GET /file?a=1 HTTP/1.1")
    }

    @Test("may be empty")
    func empty() async throws {
        let server = try ScriptedServer { _ in ScriptedResponse() }
        defer { server.stop() }
        let (bytes, error) = try await read(Session.patient(server.origin).stream("file"))
        #expect(bytes.isEmpty)
        #expect(error == nil)
    }

    @Test("may be larger than content in memory")
    func unlimited() async throws {
        let server = try ScriptedServer { [content] connection in
            try content.respond(to: connection.readRequest(), on: connection)
        }
        defer { server.stop() }
        let api = try Session.patient(server.origin) { $0.response.disposition.maxBodyBytes = 1000 }
        let (bytes, error) = try await read(api.stream("file"))
        #expect(bytes == content.bytes)
        #expect(error == nil)
    }

    @Test("slows the upstream down while its reader is busy")
    func backPressure() async throws {
        let total = 64 << 20
        let stalled = EventLog<Int>()
        let server = try ScriptedServer { connection in
            try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(total)\r\n\r\n")
            let piece = [UInt8](repeating: 7, count: 1 << 20)
            var sent = 0
            while sent < total {
                sent += try connection.sendWithoutWaiting(piece.prefix(total - sent))
                // The buffers of both sides are full if there is no room for so long.
                if sent < total, try !connection.waitForRoom(patienceMilliseconds: 500) {
                    stalled.append(sent)
                    _ = try connection.waitForRoom()
                }
            }
        }
        defer { server.stop() }
        let response = try await Session.patient(server.origin).stream("file")
        let sent = await stalled.first(1)[0]
        #expect(sent < total)
        var received = 0
        for try await piece in response { received += piece.count }
        #expect(received == total)
    }

    @Test("can be read once")
    func once() async throws {
        let server = try ScriptedServer { _ in ScriptedResponse(body: "[1]") }
        defer { server.stop() }
        let response = try await Session.patient(server.origin).stream("file")
        #expect(await read(response).bytes == Array("[1]".utf8))
        #expect(await read(response).error?.code == .bodyStreamExhausted)
    }

    @Test("is the response after the redirects")
    func redirect() async throws {
        let server = try ScriptedServer { request in
            request.line.hasPrefix("GET /a")
                ? ScriptedResponse(status: "302 Found", fields: ["Location: /b"], body: "moved")
                : ScriptedResponse(body: "[1]")
        }
        defer { server.stop() }
        let response = try await Session.patient(server.origin).stream("a")
        #expect(response.head.status == 200)
        #expect(response.url.path == "/b")
        #expect(await read(response).bytes == Array("[1]".utf8))
    }

    @Test("may be a redirect that is not followed, if its status is acceptable")
    func redirectAsResponse() async throws {
        let server = try ScriptedServer { _ in
            ScriptedResponse(status: "302 Found", fields: ["Location: /b"], body: "moved")
        }
        defer { server.stop() }
        let options = RequestOptions(
            acceptableStatuses: StatusSet([302...302]), hooks: SessionHooks(redirects: [.doNotFollow]))
        let response = try await Session.patient(server.origin).stream("a", options: options)
        #expect(response.head.status == 302)
        #expect(response.url.path == "/a")
        #expect(await read(response).bytes == Array("moved".utf8))
    }

    // MARK: Errors

    @Test("is thrown with its content if its status is not acceptable")
    func badStatus() async throws {
        let server = try ScriptedServer { _ in ScriptedResponse(status: "422 No", fields: [], body: "why") }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let error = await #expect(throws: SessionError.self) { try await api.stream("file") }
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.response?.status == 422)
        #expect(error?.response?.text == "why")
    }

    @Test("is thrown with its content if its type is not acceptable")
    func badType() async throws {
        let server = try ScriptedServer { _ in .json("[1]") }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let options = RequestOptions(acceptableContentTypes: [try #require(MediaRange("text/*"))])
        let error = await #expect(throws: SessionError.self) { try await api.stream("file", options: options) }
        #expect(error?.code == .unacceptableContentType)
        #expect(error?.response?.status == 200)
    }

    @Test("ends with an error after the content that has come, and is not requested again")
    func truncated() async throws {
        let server = try ScriptedServer { [content] connection in
            try connection.readRequest()
            try content.send(first: 1000, on: connection)
        }
        defer { server.stop() }
        let options = RequestOptions(hooks: SessionHooks(retriers: [.backoff()]))
        let response = try await Session.patient(server.origin).stream("file", options: options)
        let (bytes, error) = await read(response)
        #expect(bytes == Array(content.bytes.prefix(1000)))
        #expect(error?.code == .connectionLost)
        #expect(error?.response?.status == 200)
        #expect(server.requests.events.count == 1)
    }

    @Test("ends with a timeout that comes after its head")
    func timeout() async throws {
        let server = try server(stoppingAfter: 1000)
        defer { server.stop() }
        let options = RequestOptions(timeouts: TaskTimeouts(idle: .seconds(2)))
        let response = try await Session.patient(server.origin).stream("file", options: options)
        let (bytes, error) = await read(response)
        #expect(bytes == Array(content.bytes.prefix(1000)))
        #expect(error?.code == .timedOut)
    }

    // MARK: The end of the reader

    @Test("closes its connection when the reader leaves the loop")
    func leaving() async throws {
        let server = try server(stoppingAfter: 500_000)
        defer { server.stop() }
        let response = try await Session.patient(server.origin).stream("file")
        for try await _ in response { break }
        #expect(await server.ended.first(1) == [0])
        #expect(response.head.status == 200)
    }

    @Test("closes its connection when it is released without a reader")
    func dropping() async throws {
        let server = try server(stoppingAfter: 500_000)
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        _ = try await api.stream("file")
        #expect(await server.ended.first(1) == [0])
    }

    @Test("closes its connection when the reading task is canceled")
    func canceledReader() async throws {
        let server = try server(stoppingAfter: 1000)
        defer { server.stop() }
        let response = try await Session.patient(server.origin).stream("file")
        let reading = Task { await read(response).error?.code }
        reading.cancel()
        #expect(await reading.value == .canceled)
        #expect(await server.ended.first(1) == [0])
    }

    @Test("closes its connection when it is canceled while its reader waits")
    func canceled() async throws {
        let server = try server(stoppingAfter: 1000)
        defer { server.stop() }
        let response = try await Session.patient(server.origin).stream("file")
        var count = 0
        var iterator = response.makeAsyncIterator()
        while count < 1000 { count += try await iterator.next()?.count ?? 1000 }
        response.cancel()
        let rest = try? await iterator.next()
        #expect(rest == nil)
        #expect(await server.ended.first(1) == [0])
    }

    @Test("closes its connection when the calling task is canceled before the head has come")
    func canceledCaller() async throws {
        let server = try ScriptedServer.silent()
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let call = Task { () async -> SessionErrorCode? in
            do throws(SessionError) {
                _ = try await api.stream("file")
                return nil
            } catch {
                return error.code
            }
        }
        _ = await server.requests.first(1)
        call.cancel()
        #expect(await call.value == .canceled)
        #expect(await server.ended.first(1) == [0])
    }
}
