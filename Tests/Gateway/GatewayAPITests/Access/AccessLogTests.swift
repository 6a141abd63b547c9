import ErrandConfiguration
import ErrandHTTPServer
import ErrandSupport
import HTTPTypes
import Logging
import Testing

@testable import ErrandGateway
@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport

@Suite("The access log", .timeLimit(.hang))
struct AccessLogTests {
    private func ended(
        _ route: String?, method: HTTPRequest.Method? = .get, bytes: Int64? = 7, isComplete: Bool = true,
        address: String = "10.0.0.1", tag: AccessTag = AccessTag()
    ) -> EndedResponse {
        EndedResponse(
            method: method, route: route, status: .ok, duration: .microseconds(1500), contentBytes: bytes,
            isComplete: isComplete, remoteAddress: address, tag: tag)
    }

    private func lines(_ response: EndedResponse) -> [RecordedLog.Line] {
        let log = RecordedLog()
        AccessLog(log.logger).note(response)
        return log.lines
    }

    @Test("A line has the route and what is known of the request")
    func line() {
        let tag = AccessTag(requestID: "r", tokenName: "ci", traceID: "t")
        let metadata = [
            "method": "GET", "route": "/v1/tasks/{id}", "status": "200", "duration_ms": "1.5", "bytes": "7",
            "client": "10.0.0.1", "token": "ci", "request_id": "r", "trace_id": "t",
        ]
        #expect(
            lines(ended("/v1/tasks/{id}", tag: tag)) == [
                RecordedLog.Line(level: .info, message: "Request", metadata: metadata)
            ])
    }

    @Test("What is unknown is left out, and no text of a client becomes a method or a route")
    func unknown() throws {
        let refused = try #require(lines(ended(nil, method: nil, bytes: nil, isComplete: false, address: "")).first)
        #expect(
            refused.metadata == [
                "route": "other", "status": "200", "duration_ms": "1.5", "client": "unix", "complete": "false",
            ])
        let odd = try #require(HTTPRequest.Method(rawValue: "ODD"))
        #expect(lines(ended(nil, method: odd)).first?["method"] == "other")
    }

    @Test("Routes that monitoring calls have the level debug", arguments: ["/healthz", "/readyz", "/metrics"])
    func monitored(route: String) {
        #expect(lines(ended(route)).map(\.level) == [.debug])
    }

    @Test("Nothing is done for a line whose level is off")
    func off() {
        let log = RecordedLog()
        var logger = log.logger
        logger.logLevel = .notice
        AccessLog(logger).note(ended("/v1/tasks"))
        #expect(log.lines.isEmpty)
    }

    // MARK: Tags

    private func tag(
        _ fixture: GatewayFixture, _ target: String = "/v1/tasks", _ fields: String...,
        method: HTTPRequest.Method = .get, json: String? = nil
    ) async throws -> AccessTag? {
        let response = try await fixture.response(method, target, json: json, fields: ["X-Request-Id: r"] + fields)
        return response.tag as? AccessTag
    }

    @Test("Responses have a tag only if the log is on")
    func setting() async throws {
        for isOn in [false, true] {
            let fixture = try GatewayFixture { $0.logging.access = isOn }
            try await fixture.open {
                for target in ["/v1/tasks", "/healthz", "/nowhere"] {
                    #expect(try await tag(fixture, target)?.requestID == (isOn ? "r" : nil))
                }
                let created = try await tag(
                    fixture, "/v1/tasks", "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                    method: .post, json: #"{"session":"up"}"#)
                #expect(created?.requestID == (isOn ? "r" : nil))
                #expect(created?.traceID == (isOn ? "4bf92f3577b34da6a3ce929d0e0e4736" : nil))
                let problem = fixture.gateway.handler.response(to: ProblemDetails(.requestTimeout))
                #expect((problem.tag != nil) == isOn)
                #expect((problem.tag as? AccessTag)?.requestID == (isOn ? problem.headers[.requestID] : nil))
            }
        }
    }

    @Test("A tag has the name of the token, also of one that is refused")
    func tokens() async throws {
        let fixture = try GatewayFixture { configuration in
            configuration.logging.access = true
            configuration.auth.tokens = [.sample("reader", [.tasksRead])]
        }
        try await fixture.open {
            let reader = AuthConfiguration.Token.field("reader")
            #expect(try await tag(fixture, "/v1/tasks", reader)?.tokenName == "reader")
            #expect(try await tag(fixture, "/v1/tasks", reader, method: .post, json: "{}")?.tokenName == "reader")
            let unknown = try await tag(fixture, "/v1/tasks", AuthConfiguration.Token.field("unknown"))
            #expect(unknown?.requestID == "r")
            #expect(unknown?.tokenName == nil)
        }
    }

    @Test("A reload switches the log")
    func reload() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            var configuration = fixture.gateway.configuration
            configuration.logging.access = true
            try await fixture.gateway.apply(configuration)
            #expect(try await tag(fixture) != nil)
            configuration.logging.access = false
            try await fixture.gateway.apply(configuration)
            #expect(try await tag(fixture) == nil)
        }
    }
}
