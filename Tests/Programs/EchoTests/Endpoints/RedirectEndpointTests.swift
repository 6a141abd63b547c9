import HTTPTypes
import Testing

@testable import ErrandEcho

@Suite("/redirect")
struct RedirectEndpointTests {
    @Test("counts down to /anything")
    func countsDown() async throws {
        let client = try EchoClient()
        var target = "/redirect/3"
        var visited: [String] = []
        while target != "/anything" {
            let response = try await client.ask(target)
            #expect(response.status == 302)
            target = try #require(response.headers[.location])
            visited.append(target)
        }
        #expect(visited == ["/redirect/2", "/redirect/1", "/anything"])
    }

    @Test("keeps the requested status from hop to hop", arguments: [301, 303, 307, 308])
    func keepsStatus(code: Int) async throws {
        let response = try await EchoClient().ask(.post, "/redirect/2?status=\(code)")
        #expect(response.status == code)
        #expect(response.headers[.location] == "/redirect/1?status=\(code)")
    }
}
