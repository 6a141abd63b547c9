import ErrandHTTPServer
import ErrandSupport
import HTTPTypes
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport

@Suite("Common mistakes of clients", .timeLimit(.hang))
struct CommonMistakesTests {
    /// A member of a task that does not exist or has the wrong type, and the remedy in the problem.
    struct Mistake: Sendable, CustomTestStringConvertible {
        var members: String
        var pointer: String
        var detail: String

        init(_ members: String, _ pointer: String, _ detail: String) {
            (self.members, self.pointer, self.detail) = (members, pointer, detail)
        }

        var testDescription: String { members }
    }

    private static let mistakes = [
        Mistake(#""json":{"a":1}"#, "/json", #"content belongs in body: write {"body": {"json": …}}"#),
        Mistake(#""text":"a""#, "/text", #"content belongs in body: write {"body": {"text": …}}"#),
        Mistake(
            #""url":"http://upstream.example/a""#, "/url",
            "use path, which may be an absolute URL if the session allows it (url_scope)"),
        Mistake(
            #""method":"POST","body":"{}""#, "/body",
            #"expected an object, found a string; write {"text": …} for text and {"json": …} for JSON"#),
        Mistake(#""method":"POST","data":{}"#, "/data", #"use body, as in {"body": {"json": …}}, or parameters"#),
        Mistake(
            #""query":{"a":"b"}"#, "/query",
            "use parameters, which the request serializer puts into the query or the body"),
        Mistake(
            #""content_type":"text/plain""#, "/content_type",
            #"use headers: write {"headers": {"Content-Type": …}}"#),
        Mistake(#""header":{}"#, "/header", #"unknown member; did you mean "headers"?"#),
    ]

    @Test("The problem of a task names the remedy of a common mistake", arguments: mistakes)
    func tasks(mistake: Mistake) async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let problem = try await fixture.document(
                ProblemDocument.self, .post, "/v1/tasks", json: #"{"session":"up",\#(mistake.members)}"#,
                status: .unprocessableContent)
            #expect(problem.type == "/problems/invalid-task")
            #expect(problem.errors?.map(\.pointer) == [mistake.pointer])
            #expect(problem.errors?.map(\.detail) == [mistake.detail])
        }
    }

    @Test("Content with another media type is refused with the expected one")
    func mediaTypes() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await fixture.create(#","start":"suspended""#)
            for (method, target, type, expected) in [
                (.patch, "/v1/tasks/\(task.id)", "application/json", "application/merge-patch+json"),
                (.post, "/v1/tasks", "application/x-www-form-urlencoded", "application/json"),
            ] as [(HTTPRequest.Method, String, String, String)] {
                let problem = try await fixture.response(method, target, json: "{}", type: type)
                    .document(ProblemDocument.self, status: .unsupportedMediaType)
                #expect(problem.detail == "the content must be declared as Content-Type: \(expected)")
            }
        }
    }
}
