import ErrandConfiguration
import ErrandHTTPServer
import ErrandSessionCore
import ErrandSupport
import ErrandTaskStore
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("The trace of a task", .timeLimit(.hang))
struct TraceTests {
    private struct View: Decodable {
        struct Trace: Decodable, Equatable {
            var traceId: String
            var parentId: String
            var sampled: Bool
            var state: String?
        }
        struct Attempt: Decodable { var spanId: String? }
        var id: String
        var state: String?
        var trace: Trace?
        var attempts: [Attempt]?
    }

    private struct List: Decodable { var tasks: [View] }

    private static let traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let parent = "traceparent: 00-\(traceID)-00f067aa0ba902b7-01"
    private static let fields = [parent, "tracestate: a=1", "tracestate: b=2"]
    private static let other = "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
    private static let shown = View.Trace(
        traceId: traceID, parentId: "00f067aa0ba902b7", sampled: true, state: "a=1,b=2")

    /// Creates a task and returns it when it has ended.
    private func run(
        _ fixture: GatewayFixture, _ members: String = "", fields: [String] = fields
    ) async throws -> View {
        let created = try await fixture.response(
            .post, "/v1/tasks?wait=1d", json: #"{"session":"up"\#(members)}"#, fields: fields)
        return try created.document(View.self)
    }

    /// Returns the trace of a request, and the identifier of its parent.
    private func trace(_ request: TransferRequest?) throws -> (id: Substring, parent: String) {
        let parts = try #require(request?.headers[.traceParent]).split(separator: "-")
        #expect(parts.count == 4 && parts[0] == "00" && parts[3] == "01")
        return (parts[1], String(parts[2]))
    }

    @Test("is passed to the upstream, with an identifier of each attempt as its parent")
    func attempts() async throws {
        var session = try DispatcherFixture.configuration()
        session.retry.backoff.initial = .milliseconds(1)
        let transport = ScriptedTransport { _ in [.head(ResponseHead(status: 503)), .bytes([])] }
        let fixture = try GatewayFixture(session: session, transport: transport)
        try await fixture.open {
            let task = try await run(fixture)
            #expect(task.trace == Self.shown)
            let requests = transport.requests
            #expect(requests.count == 3)
            let traces = try requests.map { try trace($0) }
            #expect(traces.allSatisfy { $0.id == Self.traceID })
            #expect(Set(traces.map(\.parent)).union(["00f067aa0ba902b7"]).count == 4)
            #expect(task.attempts?.map(\.spanId) == traces.map(\.parent))
            #expect(requests.allSatisfy { $0.headers[.traceState] == "a=1,b=2" })
            for target in ["/v1/tasks/\(task.id)", "/v1/tasks/\(task.id)?fields=trace"] {
                #expect(try await fixture.document(View.self, .get, target).trace == Self.shown)
            }
            let list = try await fixture.document(List.self, .get, "/v1/tasks?fields=trace")
            #expect(list.tasks.map(\.trace) == [Self.shown])
        }
    }

    @Test(
        "does not exist without a valid field: nothing is sent",
        arguments: [[], ["traceparent: 00-x"], ["tracestate: a=1"], [parent, parent]])
    func none(fields: [String]) async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await run(fixture, fields: fields)
            #expect(task.trace == nil)
            #expect(task.attempts?.map(\.spanId) == [nil])
            let request = try #require(fixture.transport.requests.first)
            #expect(request.headers[.traceParent] == nil && request.headers[.traceState] == nil)
        }
    }

    @Test("gives way to the header fields of the task or its session")
    func own() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await run(fixture, #","headers":{"traceparent":"mine"}"#)
            #expect(task.trace == Self.shown)
            #expect(fixture.transport.requests.first?.headers[.traceParent] == "mine")
            #expect(fixture.transport.requests.first?.headers[.traceState] == nil)
            _ = try await run(fixture, #","headers":{"traceparent":null}"#)
            #expect(fixture.transport.requests.last?.headers[.traceParent] == nil)
            #expect(fixture.transport.requests.last?.headers[.traceState] == nil)
            _ = try await run(fixture, #","headers":{"tracestate":"mine"}"#)
            #expect(try trace(fixture.transport.requests.last).id == Self.traceID)
            #expect(fixture.transport.requests.last?.headers[.traceState] == "mine")
        }
    }

    @Test("is not sent to the other origin of a redirect")
    func redirect() async throws {
        let transport = ScriptedTransport { request in
            switch request.url.path {
            case "/a": [.head(ResponseHead(status: 307, headers: [.location: "/b"]))]
            case "/b": [.head(ResponseHead(status: 307, headers: [.location: "http://other.example/c"]))]
            default: DispatcherFixture.response
            }
        }
        let fixture = try GatewayFixture(transport: transport)
        try await fixture.open {
            let task = try await run(fixture, #","path":"a""#)
            #expect(task.state == "succeeded")
            let requests = transport.requests
            #expect(requests.map(\.url.path) == ["/a", "/b", "/c"])
            #expect(requests[1].headers[.traceParent] == requests[0].headers[.traceParent])
            #expect(try trace(requests[1]).id == Self.traceID)
            #expect(requests[2].headers[.traceParent] == nil && requests[2].headers[.traceState] == nil)
        }
    }

    @Test("is the same for all items of a batch, and for the first request of an idempotency key")
    func creation() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let item = #"{"session":"up"}"#
            let batch = try await fixture.response(
                .post, "/v1/tasks:batch", json: #"{"tasks":[\#(item),\#(item)]}"#, fields: Self.fields)
            #expect(batch.status == .ok)
            let list = try await fixture.document(List.self, .get, "/v1/tasks")
            #expect(list.tasks.map(\.trace) == [Self.shown, Self.shown])
            let key = "Idempotency-Key: k"
            let first = try await run(fixture, fields: Self.fields + [key])
            let again = try await run(fixture, fields: [Self.other, key])
            #expect(again.id == first.id)
            #expect(again.trace == Self.shown)
        }
    }

    @Test("continues with a retry; a task without a trace gets that of the retry")
    func retry() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await run(fixture)
            let retried = try await fixture.response(.post, "/v1/tasks/\(task.id)/retry", fields: [Self.other])
            #expect(try retried.document(View.self, status: .accepted).trace == Self.shown)
            let plain = try await run(fixture, fields: [])
            let traced = try await fixture.response(.post, "/v1/tasks/\(plain.id)/retry", fields: Self.fields)
            #expect(try traced.document(View.self, status: .accepted).trace == Self.shown)
            let untraced = try await fixture.response(.post, "/v1/tasks/\(plain.id)/retry")
            #expect(try untraced.document(View.self, status: .accepted).trace == nil)
        }
    }

    @Test("continues with the callback, and with its repetition")
    func callback() async throws {
        let fixture = try GatewayFixture { $0.callbacks.allowsUnsigned = true }
        try await fixture.open {
            let task = try await run(fixture, #","callback":{"url":"hook","session":"up"}"#)
            let list = try await fixture.document(List.self, .get, "/v1/tasks?parent=\(task.id)")
            let delivery = try #require(list.tasks.first)
            #expect(delivery.trace == Self.shown)
            let ended = try await fixture.document(View.self, .get, "/v1/tasks/\(delivery.id)?wait=1d")
            #expect(ended.state == "succeeded")
            let requests = await fixture.transport.requests(2)
            let (first, hook) = (try trace(requests[0]), try trace(requests[1]))
            #expect(hook.id == Self.traceID)
            #expect(hook.parent != first.parent)
            let again = try await fixture.response(.post, "/v1/tasks/\(delivery.id)/retry")
            #expect(try again.document(View.self, status: .accepted).trace == Self.shown)
        }
    }

    @Test("belongs to the task of a schedule that a client runs, and not to the schedule")
    func schedule() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let schedule = #"{"name":"s","cron":"@yearly","task":{"session":"up"}}"#
            let made = try await fixture.response(.post, "/v1/schedules", json: schedule, fields: [Self.other])
            #expect(made.status == .created)
            for fields in [[], Self.fields] {
                let ran = try await fixture.response(.post, "/v1/schedules/s/run", fields: fields)
                let trace = try ran.document(View.self, status: .accepted).trace
                #expect(trace == (fields.isEmpty ? nil : Self.shown))
            }
        }
    }

    @Test("is in the lines of the log about the task")
    func log() async throws {
        let log = RecordedLog()
        let transport = ScriptedTransport { _ in [.head(ResponseHead(status: 404)), .bytes([])] }
        let fixture = try GatewayFixture(transport: transport, logger: log.logger)
        try await fixture.open {
            let task = try await run(fixture)
            let failed = await log.line("Task failed")
            #expect(failed["trace_id"] == Self.traceID)
            let audit = await log.line("Audit: request for a change")
            #expect(audit["trace_id"] == Self.traceID)
            #expect(audit["task"] == task.id)
        }
    }

    @Test("is not a member of a task, and the message names the header field")
    func member() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let problem = try await fixture.document(
                ProblemDocument.self, .post, "/v1/tasks", json: #"{"session":"up","traceparent":"x"}"#,
                status: .unprocessableContent)
            #expect(problem.errors?.map(\.pointer) == ["/traceparent"])
            #expect(problem.errors?.first?.detail.contains("header field") == true)
        }
    }
}
