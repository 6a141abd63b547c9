import HTTPSession
import Testing

@Suite("The header fields of a request")
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
}
