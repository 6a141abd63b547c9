import ErrandHTTPServer
import ErrandSupport
import ErrandTaskStore
import HTTPTypes
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("FieldsQuery", .timeLimit(.hang))
struct FieldsQueryTests {
    private func read(_ query: String) throws -> TaskMembers {
        try FieldsQuery.read(RequestTarget("/v1/tasks?\(query)").queryItems)
    }

    @Test("The members are separated by commas or by parameters, and are all by default")
    func members() throws {
        #expect(try read("state=failed") == .all)
        #expect(try read("fields=state,finished_at") == TaskMembers([.id, .state, .finishedAt]))
        #expect(try read("fields=state&fields=error,id") == TaskMembers([.state, .error]))
    }

    @Test(
        "An unknown member is a problem that names the known ones",
        arguments: ["", "State", "state,", "response.status"])
    func unknown(value: String) throws {
        let refusal = #expect(throws: RequestRefusal.self) { try read("fields=\(value)") }
        #expect(refusal?.detail.hasPrefix("fields: ") == true)
        for member in TaskMember.allCases { #expect(refusal?.detail.contains("\(member.name)") == true) }
    }

    @Test("Lists and tasks have only the requested members; other endpoints refuse the parameter")
    func endpoints() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await fixture.run(#","labels":{"team":"a"}"#)
            let path = "/v1/tasks/\(task.id)"
            let state = #"{"id":"\#(task.id)","state":"succeeded","labels":{"team":"a"}}"#
            #expect(try await fixture.response(.get, "\(path)?fields=labels,state").text == state)
            #expect(try await fixture.response(.get, "\(path)?fields=labels,state&wait=1d").text == state)
            let list = try await fixture.response(.get, "/v1/tasks?fields=labels,state")
            #expect(list.text == #"{"tasks":[\#(state)],"next_page_token":null}"#)
            let documents = try await fixture.response(.get, "/v1/tasks?fields=response")
            #expect(documents.text.contains(#""response":{"status":200"#))
            let waiting = try await fixture.create(#","start":"suspended""#)
            let links = try await fixture.response(.get, "/v1/tasks/\(waiting.id)?fields=links")
            #expect(links.text.contains(#""links":{"self":"#))
            for target in [
                "\(path)?fields=x", "/v1/tasks?fields=x", "/v1/tasks/counts?fields=state", "/v1/events?fields=id",
            ] {
                #expect(try await fixture.response(.get, target).status == .badRequest, "\(target)")
            }
        }
    }
}
