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
            let answer = try await client.ask(target)
            #expect(answer.status == 302)
            target = try #require(answer.headers[.location])
            visited.append(target)
        }
        #expect(visited == ["/redirect/2", "/redirect/1", "/anything"])
    }

    @Test("keeps the requested status from hop to hop", arguments: [301, 303, 307, 308])
    func keepsStatus(code: Int) async throws {
        let answer = try await EchoClient().ask(.post, "/redirect/2?status=\(code)")
        #expect(answer.status == code)
        #expect(answer.headers[.location] == "/redirect/1?status=\(code)")
    }
}
