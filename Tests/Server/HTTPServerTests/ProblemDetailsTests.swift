import ErrandHTTPServer
import HTTPTypes
import Testing

@Suite("ProblemDetails")
struct ProblemDetailsTests {
    private func text(_ problem: ProblemDetails) -> String {
        String(decoding: problem.json, as: UTF8.self)
    }

    @Test("a problem without details has its type, title and status")
    func short() {
        #expect(
            text(ProblemDetails(.notFound))
                == #"{"type":"/problems/not-found","title":"The resource does not exist","status":404}"#)
    }

    @Test("all members are written, in one order")
    func full() {
        let problem = ProblemDetails(
            .malformedRequest, status: .unprocessableContent, detail: "say \"please\"", instance: "/v1/tasks",
            requestID: "r1",
            errors: [.init(pointer: "/a~1b", detail: "is missing"), .init(pointer: "", detail: "is empty")],
            members: [.init("line", .integer(3)), .init("hint", .string("x"))])
        #expect(
            text(problem) == #"{"type":"/problems/malformed-request","title":"The request is malformed","status":422,"#
                + #""detail":"say \"please\"","instance":"/v1/tasks","request_id":"r1","line":3,"hint":"x","#
                + #""errors":[{"pointer":"/a~1b","detail":"is missing"},{"pointer":"","detail":"is empty"}]}"#)
    }

    @Test("the response has the status, the content type, and the additional fields")
    func response() {
        let response = ProblemDetails(.methodNotAllowed).response(headers: [.allow: "GET", .contentType: "text/plain"])
        #expect(response.status == .methodNotAllowed)
        #expect(response.headers[.contentType] == "application/problem+json")
        #expect(response.headers[.allow] == "GET")
        #expect(response.body.isInMemory)
    }

    @Test("the names of the server's types are unique")
    func registry() {
        let names = ProblemType.serverTypes.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(ProblemType.serverTypes.allSatisfy { $0.status.code >= 400 && !$0.title.isEmpty })
    }
}
