import HTTPTypes
import Testing

@testable import ErrandEcho

@Suite("/gzip")
struct GzipEndpointTests {
    @Test("returns the request in gzip coding")
    func coded() async throws {
        let response = try await EchoClient().ask(.get, "/gzip?a=1", headers: [.acceptEncoding: "identity"])
        #expect(response.headers[.contentEncoding] == "gzip")
        #expect(response.headers[.contentType] == "application/json")
        let plain =
            #"{"method":"GET","url":"/gzip?a=1","args":[["a","1"]],"headers":[["Accept-Encoding","identity"]],"#
            + #""body":null,"json":null}"#
        #expect(response.content == StoredGzip.encode(Array(plain.utf8)))
    }
}
