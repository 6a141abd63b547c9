import HTTPTypes
import Testing

@testable import ErrandEcho

@Suite("/status")
struct StatusEndpointTests {
    @Test("answers any method with the status", arguments: [200, 201, 404, 418, 503, 599])
    func statuses(code: Int) async throws {
        for method: HTTPRequest.Method in [.get, .post, .delete] {
            let response = try await EchoClient().ask(method, "/status/\(code)")
            #expect(response.status == code)
            #expect(response.text == #"{"status":\#(code)}"#)
        }
    }

    @Test("sends no content with statuses without content", arguments: [204, 205, 304])
    func withoutContent(code: Int) async throws {
        let response = try await EchoClient().ask("/status/\(code)")
        #expect(response.status == code)
        #expect(response.content.isEmpty)
        #expect(response.headers[.contentType] == nil)
    }

    @Test("sends the fields that a status requires")
    func requiredFields() async throws {
        let client = try EchoClient()
        #expect(try await client.ask("/status/302").headers[.location] == "/anything")
        #expect(try await client.ask("/status/401").headers[.wwwAuthenticate] == "Basic realm=\"echo\"")
        #expect(try await client.ask("/status/405").headers[.allow] == "GET")
        #expect(try await client.ask("/status/407").headers[.proxyAuthenticate] == "Basic realm=\"echo\"")
    }
}
