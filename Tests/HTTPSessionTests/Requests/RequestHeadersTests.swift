import HTTPSession
import Testing

@Suite("The header fields of a request")
struct RequestHeadersTests {
    @Test("are written as a literal, in order, with nil for those of the session that are not wanted")
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

    @Test("are made of those of HTTPTypes, with their names as they are written")
    func types() throws {
        let name = try #require(HTTPField.Name("x-TRACE"))
        let headers = RequestHeaders([.accept: "*/*", name: "1"])
        #expect(headers.fields == [TaskHeader("Accept", "*/*"), TaskHeader("x-TRACE", "1")])
    }
}
