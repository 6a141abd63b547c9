import ErrandResponseSerialization
import ErrandSessionCore
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("A request builder")
struct RequestBuilderTests {
    let configuration: SessionConfiguration

    init() throws {
        configuration = SessionConfiguration(name: "example", baseURL: try HTTPURL("http://e.com/v1"))
    }

    @Test(
        "writes the method in upper case, by default GET, or POST with a body",
        arguments: [
            (nil, nil, "GET"), (nil, TaskBody.text("x"), "POST"), ("get", nil, "GET"), ("Patch", nil, "PATCH"),
            ("PUT", TaskBody.text("x"), "PUT"),
        ] as [(String?, TaskBody?, String)])
    func method(named: String?, body: TaskBody?, expected: String) throws {
        #expect(try prepare(TaskRequest(method: named, body: body), in: configuration).method.rawValue == expected)
    }

    @Test(
        "rejects methods that the session does not allow, and lists those it does",
        arguments: ["PROPFIND", "report", "FOO"])
    func methodNotAllowed(method: String) {
        let found = problems(TaskRequest(method: method), in: configuration)
        #expect(found.map(\.pointer) == [["method"]])
        #expect(found.map(\.code) == [.methodNotAllowed])
        #expect(found.first?.detail.hasSuffix("only GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS") == true)
    }

    @Test("rejects methods that are not tokens", arguments: ["", "GET ", "G\nT", "ß", "a/b", "GET\0"])
    func methodIsNoToken(method: String) {
        let found = problems(TaskRequest(method: method), in: configuration)
        #expect(found.map(\.pointer) == [["method"]])
        #expect(found.map(\.code) == [.methodNotAllowed])
    }

    @Test("lets the transport resend only idempotent methods (RFC 9110 §9.2.2)")
    func resends() throws {
        for method in configuration.allowedMethods {
            let request = try prepare(TaskRequest(method: method.rawValue), in: configuration)
            #expect(
                request.transfer.mayResend
                    == ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"].contains(method.rawValue), "\(method)")
        }
    }

    @Test("takes each timeout from the task, else from the session")
    func timeouts() throws {
        let request = TaskRequest(timeouts: TaskTimeouts(idle: .seconds(1)))
        let timeouts = try prepare(request, in: configuration).transfer.timeouts
        #expect(timeouts == TransferTimeouts(connect: .seconds(10), idle: .seconds(1), total: .seconds(3600)))
    }

    @Test("rejects timeouts that are not positive")
    func noTime() {
        let request = TaskRequest(timeouts: TaskTimeouts(connect: .zero, idle: .seconds(-1), total: .seconds(1)))
        #expect(
            problems(request, in: configuration).map(\.pointer) == [["timeouts", "connect"], ["timeouts", "idle"]])
    }

    @Test("rejects timeouts of the session that are not positive, with each request")
    func sessionWithoutTime() {
        var configuration = configuration
        configuration.timeouts = TransferTimeouts(connect: .seconds(1), idle: .zero, total: .seconds(-1))
        let hasty = TaskRequest(timeouts: TaskTimeouts(connect: .zero, idle: .seconds(1), total: .seconds(1)))
        for (request, own) in [(TaskRequest(), []), (hasty, [["timeouts", "connect"]])] as [(TaskRequest, [[String]])] {
            let found = problems(request, in: configuration)
            #expect(found.map(\.pointer) == [["timeouts", "idle"], ["timeouts", "total"]] + own)
            #expect(found.allSatisfy { $0.code == .unserializableParameters })
        }
        configuration.timeouts = TransferTimeouts()
        #expect(problems(TaskRequest(), in: configuration).isEmpty)
    }

    @Test("prefers the task's response serializer to the session's")
    func serializer() throws {
        #expect(try prepare(TaskRequest(), in: configuration).responseSerializer == .json)
        #expect(try prepare(TaskRequest(responseSerializer: .raw), in: configuration).responseSerializer == .raw)
    }

    @Test("finds all problems at once, each with its location")
    func allProblems() {
        let request = TaskRequest(
            method: "FOO", path: "http://other.com/", parameters: Array("{".utf8),
            headers: [TaskHeader("Host", "x"), TaskHeader("A B", "x"), TaskHeader("X-A", "a\nb")],
            body: .json(Array("nope".utf8)), timeouts: TaskTimeouts(total: .zero))
        let found = problems(request, in: configuration)
        #expect(
            found.map(\.pointer) == [
                ["method"], ["path"], ["body"], ["body", "json"], ["headers", "Host"], ["headers", "A B"],
                ["headers", "X-A"], ["timeouts", "total"],
            ])
    }

    @Test("counts the content's bytes")
    func bodySize() throws {
        #expect(try prepare(TaskRequest(body: .text("é")), in: configuration).bodySize == 2)
        #expect(try prepare(TaskRequest(), in: configuration).bodySize == 0)
    }
}
