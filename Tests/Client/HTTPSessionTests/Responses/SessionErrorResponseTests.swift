import ErrandSupport
import HTTPSession
import Testing

@Suite("The error that a request throws", .timeLimit(.hang))
struct SessionErrorResponseTests {
    private struct Fault: Decodable, Equatable {
        var field: String
    }

    /// Returns the error of a POST that a server answers with this response.
    private static func error(
        _ response: ScriptedResponse, configure: (inout SessionConfiguration) -> Void = { _ in }
    ) async throws -> SessionError {
        let server = try ScriptedServer { _ in response }
        defer { server.stop() }
        let api = try Session.patient(server.origin, configure: configure)
        let error = await #expect(throws: SessionError.self) { try await api.post("users") }
        return try #require(error)
    }

    @Test("has the response, with the readers of a good one")
    func unprocessable() async throws {
        let error = try await Self.error(
            ScriptedResponse(
                status: "422 Unprocessable Content", fields: ["Content-Type: application/json", "X-Fault: 7"],
                body: #"{"field":"name"}"#))
        #expect(error.code == .unacceptableStatus)
        let response = try #require(error.response)
        #expect(response.status == 422)
        #expect(response.headers.first { $0.name.canonicalName == "x-fault" }?.value == "7")
        #expect(response.text == #"{"field":"name"}"#)
        #expect(response.data.map { Array($0) } == Array(#"{"field":"name"}"#.utf8))
        #expect(response.json.map { Array($0) } == Array(#"{"field":"name"}"#.utf8))
        #expect(try response.decoded(as: Fault.self) == Fault(field: "name"))
        #expect(!"\(error)".contains("field"))
        var dumped = ""
        dump(error, to: &dumped)
        #expect(!dumped.contains("field") && !dumped.contains("X-Fault"))
        #expect(error == SessionError(.unacceptableStatus, error.message), "the response is not compared")
    }

    @Test("has the beginning of longer content, and no JSON then")
    func long() async throws {
        let body = #"["\#(String(repeating: "x", count: 100))"]"#
        let response = ScriptedResponse(status: "500 No", body: body)
        let whole = try await Self.error(response).response
        #expect(whole?.data?.count == 104)
        #expect(whole?.json?.count == 104)
        let beginning = try await Self.error(response) { $0.response.disposition.maxErrorBytes = 10 }.response
        #expect(beginning?.text == #"["xxxxxxxx"#)
        #expect(beginning?.body?.size == 10)
        #expect(beginning?.json == nil)
        let none = try await Self.error(response) { $0.response.disposition.maxErrorBytes = 0 }.response
        #expect(none?.data?.isEmpty == true)
    }

    @Test("has none if none was received")
    func unreachable() async throws {
        let server = try ScriptedServer(keepsPort: true) { _ in .json("[]") }
        let api = try Session.patient(server.origin)
        server.stop()
        let error = await #expect(throws: SessionError.self) { try await api.get("") }
        #expect(error != nil)
        #expect(error?.response == nil)
    }

    @Test("has the response that does not decode as the wanted type")
    func undecodable() async throws {
        let server = try ScriptedServer { _ in .json(#"{"n":1}"#) }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let error = await #expect(throws: SessionError.self) { try await api.get("", as: Fault.self) }
        #expect(error?.code == .unparsableBody)
        #expect(error?.response?.text == #"{"n":1}"#)
    }

    @Test("is thrown by a task too")
    func task() async throws {
        let server = try ScriptedServer { _ in ScriptedResponse(status: "404 Not Found", body: "{}") }
        defer { server.stop() }
        let task = try Session.patient(server.origin).dataTask("x")
        task.resume()
        let error = await #expect(throws: SessionError.self) { try await task.response }
        #expect(error?.response?.status == 404)
        #expect(error?.response?.text == "{}")
    }

    @Test("has the same readers as a success, whose text is read in the charset of its content type")
    func charset() async throws {
        let server = try ScriptedServer { _ in
            ScriptedResponse(fields: ["Content-Type: text/plain; charset=utf-16le"], body: "p\u{0}q\u{0}")
        }
        defer { server.stop() }
        let api = try Session.patient(server.origin) { $0.response.serializer = .raw }
        let response = try await api.get("")
        #expect(response.text == "pq")
        #expect(response.data?.count == 4)
        #expect(response.status == 200)
    }
}
