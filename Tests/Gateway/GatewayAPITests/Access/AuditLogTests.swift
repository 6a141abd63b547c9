import ErrandHTTPServer
import ErrandSupport
import ErrandTaskStore
import HTTPTypes
import Logging
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("AuditLog")
struct AuditLogTests {
    private let log = RecordedLog()
    private let time = ManualTime()

    private var audit: AuditLog {
        AuditLog(log.logger) { [time] in time.now }
    }

    private func entry(
        _ method: HTTPRequest.Method = .post, route: String? = "/v1/tasks/{id}"
    ) throws -> AuditLog.Entry {
        var head = try RequestHead.sample(method, "/v1/tasks/1?token=secret", "Authorization: Bearer secret")
        head.requestID = "r1"
        head.remoteAddress = "192.0.2.1"
        head.clientCertificate = "CN=backup,O=Example"
        return AuditLog.Entry(head: head, route: route, tokenName: "ci")
    }

    @Test("A modifying request is logged with caller, action and outcome, without secrets")
    func change() throws {
        var entry = try entry(.delete)
        entry.subject = AuditNotes.Subject(task: .sample(1), session: "up")
        audit.answered(entry, .noContent)
        #expect(
            log.lines == [
                RecordedLog.Line(
                    level: .info, message: "Audit: request for a change",
                    metadata: [
                        "token": "ci", "client": "192.0.2.1", "certificate": "CN=backup,O=Example", "method": "DELETE",
                        "route": "/v1/tasks/{id}",
                        "path": "/v1/tasks/1", "task": "\(entry.subject.task?.description ?? "")", "session": "up",
                        "status": "204", "request_id": "r1",
                    ])
            ])
    }

    @Test("Further values have their own keys: numbers, flags, texts and lists")
    func details() throws {
        var entry = try entry()
        entry.subject.details = [
            AuditNotes.Detail("matched", .number(2)), AuditNotes.Detail("dry_run", .flag(true)),
            AuditNotes.Detail("schedule", .text("s")), AuditNotes.Detail("states", .texts(["failed", "queued"])),
        ]
        audit.answered(entry, .ok)
        let line = try #require(log.lines.first)
        #expect(line["matched"] == "2")
        #expect(line["dry_run"] == "true")
        #expect(line["schedule"] == "s")
        #expect(line["states"] == #"["failed", "queued"]"#)
        #expect(log.numbers(of: line.message).isSuperset(of: ["matched", "dry_run"]))
    }

    @Test("Unknown values are omitted, and a Unix socket is named as such")
    func least() throws {
        audit.refused(AuditLog.Entry(head: try .sample(.get, "/x")), .unauthorized)
        #expect(
            log.lines.map(\.metadata) == [["client": "unix", "method": "GET", "path": "/x", "status": "401"]])
    }

    @Test("An accepted safe request is not logged")
    func safe() throws {
        for method in [HTTPRequest.Method.get, .head, .options, .trace] {
            audit.answered(try entry(method), .ok)
            audit.answered(try entry(method), .notFound)
        }
        #expect(log.lines.isEmpty)
    }

    @Test("Failed changes are always logged, without a limit")
    func failures() throws {
        let audit = audit
        for _ in 0..<50 { audit.answered(try entry(), .conflict) }
        #expect(log.lines.count == 50)
    }

    @Test("Refusals are logged up to a limit, and the next line has the number of skipped ones")
    func flood() throws {
        let audit = audit
        for _ in 0..<1000 { audit.refused(try entry(.get), .unauthorized) }
        // Refusals by endpoints count like others.
        audit.answered(try entry(), .forbidden)
        audit.answered(try entry(route: nil), .notFound)
        #expect(log.lines.count == AuditLog.refusalsPerSecond)
        #expect(log.lines.allSatisfy { $0["omitted_before"] == nil && $0.message == "Audit: request refused" })
        time.advance(by: .milliseconds(100))
        audit.refused(try entry(.get), .unauthorized)
        #expect(log.lines.count == AuditLog.refusalsPerSecond + 1)
        #expect(log.lines.last?["omitted_before"] == "992")
        time.advance(by: .milliseconds(100))
        audit.refused(try entry(.get), .unauthorized)
        #expect(log.lines.last?["omitted_before"] == nil)
        audit.answered(try entry(), .accepted)
        #expect(log.lines.last?.message == "Audit: request for a change", "changes are not among them")
    }

    @Test("Concurrent refusals are neither lost nor counted twice")
    func concurrent() async throws {
        let audit = audit
        let entry = try entry(.get)
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<100 { audit.refused(entry, .unauthorized) } }
            }
        }
        time.advance(by: .seconds(1))
        audit.refused(entry, .unauthorized)
        #expect(log.lines.count == AuditLog.refusalsPerSecond + 1)
        #expect(log.lines.last?["omitted_before"] == "790")
    }
}
