import ErrandHTTPServer
import ErrandSupport
import ErrandTaskStore
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport

@Suite("AuditNotes", .timeLimit(.hang))
struct AuditNotesTests {
    private static let message = "Audit: request for a change"

    private let log = RecordedLog()

    /// The audit lines of a route.
    private func lines(of route: String) -> [RecordedLog.Line] {
        log.lines.filter { $0.message == Self.message && $0["route"] == route }
    }

    @Test("A line is written once, with the subject that is known then")
    func once() throws {
        let entry = AuditLog.Entry(head: try .sample(.post, "/v1/tasks"), route: "/v1/tasks")
        let notes = AuditNotes(entry, in: AuditLog(log.logger))
        notes.note(task: .sample(1), session: "up")
        notes.write(.accepted)
        notes.note(session: "other")
        notes.write(.ok)
        #expect(log.lines.map { $0["status"] } == ["202"])
        #expect(log.lines.map { $0["session"] } == ["up"])
    }

    @Test("A create that waits for the end of its task has its line when the task is stored")
    func beforeWait() async throws {
        let gate = ScriptedTransport.Gate()
        let fixture = try GatewayFixture(
            transport: ScriptedTransport([.wait(gate)] + DispatcherFixture.response), logger: log.logger)
        try await fixture.open {
            async let response = fixture.response(.post, "/v1/tasks?wait=1d", json: #"{"session":"up"}"#)
            let line = await log.line(Self.message)
            #expect(line["status"] == "202")
            #expect(line["task"] != nil)
            #expect(line["session"] == "up")
            gate.open()
            let status = try await response.status
            #expect(status == .ok)
        }
        #expect(lines(of: "/v1/tasks").count == 1)
    }

    @Test("The line of a bulk call has its selection without the values of labels, and the numbers of its tasks")
    func bulk() async throws {
        let fixture = try GatewayFixture(logger: log.logger)
        try await fixture.open {
            let task = try await fixture.create(#","start":"suspended","labels":{"team":"s3cret"}"#)
            let filter = #""session":["up","b"],"state":"suspended","labels":{"team":"s3cret"},"created_after":"-1d""#
            for (content, key) in [
                (#"{\#(filter),"limit":5,"dry_run":true}"#, "a"), (#"{"schedule":"nightly"}"#, "b"),
                (#"{"ids":["\#(task.id)"]}"#, "c"), (#"{"schedule":"nightly"}"#, "b"),
            ] {
                let response = try await fixture.response(
                    .post, "/v1/tasks:cancel", json: content, fields: ["Idempotency-Key: \(key)"])
                #expect(response.status == .ok, "\(response.text)")
            }
        }
        let lines = lines(of: "/v1/tasks:cancel")
        try #require(lines.count == 4)
        #expect(lines[0]["filters"] == #"["created_after", "labels", "session", "state"]"#)
        #expect(lines[0]["sessions"] == #"["b", "up"]"#)
        #expect(lines[0]["states"] == #"["suspended"]"#)
        #expect(lines.map { $0["limit"] } == ["5", nil, nil, nil])
        #expect(lines.map { $0["dry_run"] } == ["true", nil, nil, nil])
        #expect(lines.map { $0["would_change"] } == ["1", nil, nil, nil])
        #expect(lines.map { $0["matched"] } == ["1", "0", "1", "0"])
        #expect(lines.map { $0["changed"] } == ["0", "0", "1", "0"])
        #expect(lines.map { $0["schedule"] } == [nil, "nightly", nil, "nightly"])
        #expect(lines.map { $0["ids"] } == [nil, nil, "1", nil])
        #expect(lines.map { $0["replayed"] } == [nil, nil, nil, "true"])
        #expect(lines[2]["first_task"] != nil && lines[2]["first_task"] == lines[2]["last_task"])
        #expect(!lines.contains { $0.metadata.values.contains { $0.contains("s3cret") } })
        #expect(log.numbers(of: Self.message).isSuperset(of: ["matched", "changed", "would_change", "limit", "ids"]))
    }

    @Test("The line of a batch has the number of the created tasks, and the first and the last of them")
    func batch() async throws {
        let fixture = try GatewayFixture(logger: log.logger)
        var ids: [String] = []
        try await fixture.open {
            let item = #"{"session":"up","start":"suspended"}"#
            for items in ["\(item),7,\(item),\(item)", "7"] {
                let response = try await fixture.response(.post, "/v1/tasks:batch", json: #"{"tasks":[\#(items)]}"#)
                #expect(response.status == .ok, "\(response.text)")
            }
            ids = try await fixture.store.identifiers(TaskQuery()).map(\.description)
        }
        let lines = lines(of: "/v1/tasks:batch")
        #expect(lines.map { $0["created"] } == ["3", "0"])
        // The newest comes first.
        #expect(lines.map { $0["first_task"] } == [ids.last, nil])
        #expect(lines.map { $0["last_task"] } == [ids.first, nil])
        #expect(ids.count == 3)
    }
}
