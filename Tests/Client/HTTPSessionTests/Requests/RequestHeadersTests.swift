import ErrandSupport
import HTTPSession
import Testing

@Suite("The header fields of a request", .timeLimit(.hang))
struct RequestHeadersTests {
    @Test("can be written as a literal, in order, with nil to remove fields of the session")
    func literal() {
        let trace: String? = "7"
        var headers: RequestHeaders = ["X-Trace": trace, "Accept": "text/plain", "X-Default": nil, "Accept": "*/*"]
        headers.append("X-Last", "1")
        #expect(
            headers.fields == [
                TaskHeader("X-Trace", "7"), TaskHeader("Accept", "text/plain"), TaskHeader("X-Default", nil),
                TaskHeader("Accept", "*/*"), TaskHeader("X-Last", "1"),
            ])
    }

    @Test("can be created from HTTPTypes, with the spelling of their names")
    func types() throws {
        let name = try #require(HTTPField.Name("x-TRACE"))
        let headers = RequestHeaders([.accept: "*/*", name: "1"])
        #expect(headers.fields == [TaskHeader("Accept", "*/*"), TaskHeader("x-TRACE", "1")])
    }

    /// Returns the fields with which a request is sent.
    private func sent(_ headers: RequestHeaders) throws -> [TaskHeader] {
        try TaskRequest(.get, "a", headers: headers).headers
    }

    @Test("of the same name are sent as one, at the place of the first")
    func repeated() throws {
        let headers: RequestHeaders = ["Accept": "text/plain", "X-A": "1", "accept": "*/*", "X-B": nil, "x-b": nil]
        #expect(
            try sent(headers) == [
                TaskHeader("Accept", "text/plain, */*"), TaskHeader("X-A", "1"), TaskHeader("X-B", nil),
            ])
        #expect(try sent(["X-A": nil, "x-a": "1", "X-a": nil]) == [TaskHeader("X-A", "1")])
    }

    @Test("from HTTPTypes are sent as one, also cookies, which it splits")
    func cookies() async throws {
        var fields: HTTPFields = [.accept: "text/plain"]
        fields.append(HTTPField(name: .cookie, value: "a=1"))
        fields.append(HTTPField(name: .accept, value: "*/*"))
        fields.append(HTTPField(name: .cookie, value: "b=2"))
        #expect(
            try sent(RequestHeaders(fields)) == [
                TaskHeader("Accept", "text/plain, */*"), TaskHeader("Cookie", "a=1; b=2"),
            ])
        let server = try ScriptedServer { _ in .json("[]") }
        defer { server.stop() }
        try await Session.patient(server.origin).get("a", headers: RequestHeaders(fields))
        #expect(server.requests.events.map { $0["Accept"] } == ["text/plain, */*"])
        #expect(server.requests.events.map { $0["Cookie"] } == ["a=1; b=2"])
    }

    @Test("with only one value are refused if they are repeated")
    func singletons() throws {
        let api = try Session(baseURL: "http://e.example")
        for name in ["Authorization", "Content-Type", "Idempotency-Key"] {
            let headers = RequestHeaders([TaskHeader(name, "a"), TaskHeader(name.lowercased(), "b")])
            let error = #expect(throws: SessionError.self) { try api.dataTask("a", headers: headers) }
            #expect(error?.message.contains("Duplicate header name") == true)
        }
    }
}
