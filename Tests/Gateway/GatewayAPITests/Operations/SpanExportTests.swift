import ErrandConfiguration
import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import Foundation
import HTTPTypes
import Logging
import Testing

@testable import ErrandGateway
@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

/// The spans that a collector gets.
@Suite("The spans of tasks", .timeLimit(.hang))
struct SpanExportTests {
    /// An `ExportTraceServiceRequest` as a collector reads it.
    private struct Export: Decodable {
        struct Resource: Decodable { var attributes: [Attribute] }
        struct ScopeSpans: Decodable { var spans: [Exported] }
        struct ResourceSpans: Decodable {
            var resource: Resource
            var scopeSpans: [ScopeSpans]
        }
        var resourceSpans: [ResourceSpans]
    }

    private struct Attribute: Decodable {
        struct Value: Decodable {
            var stringValue: String?
            var intValue: String?
        }
        var key: String
        var value: Value
    }

    private struct Exported: Decodable {
        struct Status: Decodable {
            var code: Int
            var message: String
        }
        var traceId: String
        var spanId: String
        var parentSpanId: String
        var traceState: String?
        var name: String
        var kind: Int
        var startTimeUnixNano: String
        var endTimeUnixNano: String
        var attributes: [Attribute]
        var status: Status?

        subscript(key: String) -> String? {
            attributes.first { $0.key == key }.flatMap { $0.value.stringValue ?? $0.value.intValue }
        }
    }

    private struct View: Decodable {
        struct Attempt: Decodable { var spanId: String? }
        var id: String
        var attempts: [Attempt]
    }

    private static let traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let parent = "traceparent: 00-\(traceID)-00f067aa0ba902b7-01"
    private static let unsampled = "traceparent: 00-\(traceID)-00f067aa0ba902b7-00"

    /// An upstream and a collector behind one transport.
    private final class Programs: Sendable {
        let exports = EventLog<TransferRequest>()
        private let statuses: EventLog<Int>
        private let gate: ScriptedTransport.Gate?
        private let content: String

        /// - Parameters:
        ///   - statuses: The statuses of the collector in turn, then 200.
        ///   - content: The content of the collector's responses.
        ///   - gate: The collector responds when it is open.
        init(statuses: [Int] = [], content: String = "", holding gate: ScriptedTransport.Gate? = nil) {
            self.content = content
            self.statuses = EventLog()
            for status in statuses { self.statuses.append(status) }
            self.gate = gate
        }

        func transport(upstreamStatus: Int) -> ScriptedTransport {
            ScriptedTransport { [self] request in
                guard request.url.description.hasSuffix("/v1/traces") else {
                    return [
                        .head(ResponseHead(status: upstreamStatus, headers: [.contentType: "application/json"])),
                        .bytes(Array("{}".utf8)),
                    ]
                }
                let number = exports.events.count
                exports.append(request)
                let status = number < statuses.events.count ? statuses.events[number] : 200
                let response: [ScriptedTransport.Step] = [
                    .head(ResponseHead(status: status, headers: [.contentType: "application/json"])),
                    .bytes(Array(content.utf8)),
                ]
                guard let gate else { return response }
                return [.wait(gate)] + response
            }
        }

        /// Returns the spans of all requests.
        func spans() throws -> [Exported] { try batches().flatMap(\.self) }

        /// Returns the spans of each request.
        func batches() throws -> [[Exported]] {
            try exports.events.map { request -> [Exported] in
                guard case .bytes(let bytes) = request.body else { return [] }
                let export = try JSONDecoder().decode(Export.self, from: Data(bytes))
                return export.resourceSpans.flatMap { $0.scopeSpans.flatMap(\.spans) }
            }
        }
    }

    private func fixture(
        _ programs: Programs, upstreamStatus: Int = 200, interval: Duration = .seconds(600), maxQueued: Int = 100,
        logger: Logger = DispatcherFixture.logger
    ) throws -> GatewayFixture {
        var up = try DispatcherFixture.configuration()
        up.retry.maxAttempts = 2
        up.retry.backoff.initial = .milliseconds(1)
        var collector = try DispatcherFixture.configuration()
        collector.name = "collector"
        return try GatewayFixture(
            session: up, transport: programs.transport(upstreamStatus: upstreamStatus), logger: logger
        ) { configuration in
            configuration.sessions.append(collector)
            var otlp = TracingConfiguration.OTLP()
            otlp.session = "collector"
            otlp.path = "/v1/traces"
            otlp.interval = interval
            otlp.maxQueued = maxQueued
            configuration.tracing.otlp = otlp
        }
    }

    private func run(_ fixture: GatewayFixture, _ members: String = "", field: String = parent) async throws -> View {
        let response = try await fixture.response(
            .post, "/v1/tasks?wait=1d", json: #"{"session":"up"\#(members)}"#, fields: [field])
        return try response.document(View.self)
    }

    @Test("A task has a span below that of its client, and each attempt has one below that of the task")
    func tree() async throws {
        let programs = Programs()
        let fixture = try fixture(programs, upstreamStatus: 503)
        try await fixture.gateway.open()
        let task = try await run(fixture, #","path":"/a?secret=1","labels":{"team":"red"}"#)
        await fixture.close()
        #expect(programs.exports.events.count == 1)
        #expect(programs.exports.events.first?.headers[.contentType] == "application/json")
        let spans = try programs.spans()
        #expect(spans.count == 3)
        let whole = try #require(spans.first { $0.kind == 1 })
        #expect(whole.traceId == Self.traceID)
        #expect(whole.parentSpanId == "00f067aa0ba902b7")
        #expect(whole.name == "task up")
        #expect(whole["errand.task.id"] == task.id)
        #expect(whole["errand.task.state"] == "failed")
        #expect(whole["errand.task.attempts"] == "2")
        #expect(whole["errand.label.team"] == "red")
        #expect(whole.status?.code == 2)
        let attempts = spans.filter { $0.kind == 3 }
        #expect(attempts.map(\.spanId) == task.attempts.map(\.spanId))
        for attempt in attempts {
            #expect(attempt.traceId == Self.traceID)
            #expect(attempt.parentSpanId == whole.spanId)
            #expect(attempt.name == "GET")
            #expect(attempt["url.full"]?.hasSuffix("/a") == true)
            #expect(attempt["http.response.status_code"] == "503")
            #expect(attempt["error.type"] == "unacceptable_status")
            #expect(try #require(UInt64(attempt.startTimeUnixNano)) <= #require(UInt64(attempt.endTimeUnixNano)))
        }
        #expect(attempts.map { $0["http.request.resend_count"] } == [nil, "1"])
    }

    @Test("A success has no status; a task without a sampled trace has no spans")
    func sampled() async throws {
        let programs = Programs()
        let fixture = try fixture(programs)
        try await fixture.gateway.open()
        _ = try await run(fixture, field: Self.unsampled)
        _ = try await fixture.run()
        let task = try await run(fixture)
        await fixture.close()
        let spans = try programs.spans()
        #expect(spans.allSatisfy { $0["errand.task.id"] == task.id && $0.status == nil })
        #expect(spans.count == 2)
    }

    @Test("A batch that the collector cannot take now is sent again", arguments: [429, 502, 503, 504])
    func again(status: Int) async throws {
        let programs = Programs(statuses: [status, status])
        let fixture = try fixture(programs, interval: .milliseconds(1))
        try await fixture.open {
            _ = try await run(fixture)
            _ = await programs.exports.first(3)
        }
        // The first batch may have gone before the task ended.
        let batches = try programs.batches().map { $0.map(\.spanId) }
        #expect(batches[0].isEmpty == false)
        #expect(batches[1].starts(with: batches[0]))
        #expect(batches[2].starts(with: batches[1]))
        #expect(Set(batches.joined()).count == 2)
    }

    @Test(
        "A batch that the collector refuses, and spans without room, are lost with a warning", arguments: [true, false])
    func lost(isRefused: Bool) async throws {
        let log = RecordedLog()
        // With room for one span, the batch that comes back or the next span has none.
        let programs = Programs(statuses: [isRefused ? 400 : 503])
        let fixture = try fixture(programs, maxQueued: isRefused ? 100 : 1, logger: log.logger)
        try await fixture.gateway.open()
        _ = try await run(fixture)
        await fixture.close()
        #expect(programs.exports.events.count == (isRefused ? 1 : 2))
        let counts = fixture.gateway.context.spans.counts
        #expect(counts.lost == (isRefused ? 2 : 1))
        #expect(counts.sent == (isRefused ? 0 : 1))
        let lines = log.lines.filter { $0.message == "Spans lost" }
        #expect(lines.map { $0["session"] } == ["collector"])
        #expect(lines.first?["spans"] == (isRefused ? "2" : "1"))
    }

    @Test(
        "Spans of a batch that the collector rejects are lost with its reason, and are not sent again",
        arguments: [#""1""#, "1"], [true, false])
    func rejected(number: String, isAtStop: Bool) async throws {
        let log = RecordedLog()
        let programs = Programs(
            content: #"{"partialSuccess":{"rejectedSpans":\#(number),"errorMessage":"too old"}}"#)
        // The two spans of a task are a batch, which is sent when both wait, or at the stop.
        let fixture = try fixture(programs, maxQueued: isAtStop ? 100 : 2, logger: log.logger)
        try await fixture.gateway.open()
        _ = try await run(fixture)
        if !isAtStop { _ = await programs.exports.first(1) }
        await fixture.close()
        #expect(try programs.batches().map(\.count) == [2])
        let counts = fixture.gateway.context.spans.counts
        #expect((counts.waiting, counts.sent, counts.lost) == (0, 1, 1))
        let lines = log.lines.filter { $0.message == "Spans lost" }
        #expect(lines.map { $0["spans"] } == ["1"])
        #expect(lines.first?["reason"] == "the collector rejected them: too old")
    }

    @Test(
        "A batch is taken as a whole unless the response has a number of rejected spans",
        arguments: [
            "", "{}", "[]", "no JSON", #"{"partialSuccess":null}"#, #"{"partialSuccess":{"errorMessage":"slow"}}"#,
            #"{"partialSuccess":{"rejectedSpans":"-1"}}"#, #"{"partialSuccess":{"rejectedSpans":"many"}}"#,
        ])
    func taken(content: String) async throws {
        let programs = Programs(content: content)
        let fixture = try fixture(programs)
        try await fixture.gateway.open()
        _ = try await run(fixture)
        await fixture.close()
        let counts = fixture.gateway.context.spans.counts
        #expect((counts.waiting, counts.sent, counts.lost) == (0, 2, 0))
    }

    /// A reload that gives spans another collector.
    enum Change: CaseIterable {
        case settings
        case session
    }

    @Test(
        "Another collector does not have to wait for the pause after failures of the former one",
        arguments: Change.allCases, [true, false])
    func otherCollector(change: Change, isUnderWay: Bool) async throws {
        let gate = ScriptedTransport.Gate()
        let programs = Programs(statuses: [503], holding: isUnderWay ? gate : nil)
        // The spans of one task are a batch, which is sent without a pause, unless the collector has failed.
        let fixture = try fixture(programs, maxQueued: 2)
        try await fixture.open {
            _ = try await run(fixture)
            _ = await programs.exports.first(1)
            let spans = fixture.gateway.context.spans
            if !isUnderWay { try await until { spans.counts.waiting >= 2 } }
            var otlp = try #require(fixture.gateway.configuration.tracing.otlp)
            switch change {
            case .settings: otlp.serviceName = "other"
            case .session: await fixture.gateway.sessions.reset(otlp.session)
            }
            spans.configure(otlp)
            gate.open()
            _ = await programs.exports.first(2)
        }
        #expect(try programs.batches().map(\.count) == [2, 2])
    }

    @Test("Spans that wait when the collector is removed are lost with a warning, and counted")
    func collectorIsRemoved() async throws {
        let log = RecordedLog()
        let programs = Programs()
        let fixture = try fixture(programs, logger: log.logger)
        try await fixture.open {
            _ = try await run(fixture)
            let spans = fixture.gateway.context.spans
            let before = spans.counts
            #expect((before.waiting, before.sent, before.lost) == (2, 0, 0))
            spans.configure(nil)
            let after = spans.counts
            #expect((after.waiting, after.sent, after.lost) == (0, 0, 2))
        }
        #expect(programs.exports.events.isEmpty)
        #expect(log.lines.filter { $0.message == "Spans lost" }.map { $0["spans"] } == ["2"])
    }
}
