import ErrandHTTPServer
import ErrandSupport
import HTTPTypes
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport

@Suite("TaskEndpoints: preconditions of reading", .timeLimit(.hang))
struct TaskEndpointsTests {
    @Test("A task is read only at a revision of If-Match, and not if the client has it", arguments: ["", "?wait=0"])
    func preconditions(query: String) async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await fixture.create(#","start":"suspended""#)
            let target = "/v1/tasks/\(task.id)\(query)"
            for (fields, status) in [
                ([#"If-Match: "r1""#], .ok), (["If-Match: *"], .ok), ([#"If-Match: "r9""#], .preconditionFailed),
                ([#"If-Match: "r9""#, #"If-None-Match: "r1""#], .preconditionFailed),
                ([#"If-Match: "r1""#, #"If-None-Match: "r1""#], .notModified),
                ([#"If-None-Match: "r1""#], .notModified), ([#"If-None-Match: "r9""#], .ok),
                (["If-Match: r1"], .badRequest), (["If-None-Match: r1"], .ok),
            ] as [([String], HTTPResponse.Status)] {
                for method in [HTTPRequest.Method.get, .head] {
                    let response = try await fixture.response(method, target, fields: fields)
                    #expect(response.status == status, "\(fields)")
                    #expect(response.headers[.eTag] == (status == .badRequest ? nil : "\"r1\""), "\(fields)")
                }
            }
        }
    }
}
