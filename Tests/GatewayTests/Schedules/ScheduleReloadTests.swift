import Configuration
import HTTPServer
import HTTPTypes
import Logging
import SessionCore
import Support
import TaskStore
import Testing
import Transfer

@testable import Gateway

@Suite("Schedules of the configuration, in force", .timeLimit(.minutes(1)))
struct ScheduleReloadTests {
    private static let sessions = """
        sessions:
          up: {base_url: "http://upstream.example/"}
        default_session: up

        """
    private static let yaml =
        sessions + """
            schedules:
              noon:
                cron: 0 12 * * *
                time_zone: Europe/Berlin
                task: {path: noon, headers: {Authorization: Bearer abc}}
            """

    private struct Document: Decodable, Sendable {
        var origin: String
        var cron: String
        var session: String
        var suspended: Bool
        var nextRuns: [String]
        var revision: Int
    }

    private func schedule(_ fixture: ReloadFixture, _ name: String = "noon") async throws -> Document {
        try await fixture.document(Document.self, .get, "/v1/schedules/\(name)")
    }

    @Test("They are there from the start, and their secrets are not shown")
    func start() async throws {
        let fixture = try ReloadFixture(Self.yaml)
        try await fixture.open {
            let noon = try await schedule(fixture)
            #expect(noon.origin == "configuration" && noon.cron == "0 12 * * *" && noon.session == "up")
            #expect(noon.nextRuns.count == 5)
            let text = try await fixture.answer(.get, "/v1/schedules/noon").text
            #expect(text.contains(#""path":"noon""#) && !text.contains("abc"))
            _ = try await fixture.answer(.post, "/v1/schedules/noon/run")
            let begun = await fixture.begun.first(1)
            #expect(begun.map(\.path) == ["noon"])
            #expect(begun.first?.request.headers[.authorization] == "Bearer abc")
        }
    }

    @Test("They are changed where they are, but suspended, resumed and run by clients")
    func readOnly() async throws {
        let fixture = try ReloadFixture(Self.yaml)
        try await fixture.open {
            let put = try await fixture.answer(
                .put, "/v1/schedules/noon", json: #"{"cron":"@daily","task":{"session":"up"}}"#)
            #expect(put.status == .conflict && put.text.contains("configured-schedule"))
            let removed = try await fixture.answer(.delete, "/v1/schedules/noon")
            #expect(removed.status == .conflict && removed.text.contains("configured-schedule"))
            #expect(try await fixture.answer(.post, "/v1/schedules/noon/suspend").status == .ok)
            #expect(try await fixture.answer(.post, "/v1/schedules/noon/run").status == .accepted)
            #expect(try await schedule(fixture).suspended)
        }
    }

    @Test("A reload adds, changes and removes them; a suspended one stays suspended")
    func reload() async throws {
        let fixture = try ReloadFixture(Self.yaml)
        try await fixture.open {
            _ = try await fixture.answer(.post, "/v1/schedules/noon/suspend")
            fixture.replace("0 12", with: "30 12")
            try await fixture.reload()
            let changed = try await schedule(fixture)
            #expect(changed.cron == "30 12 * * *" && changed.suspended && changed.nextRuns.isEmpty)
            fixture.replace("  noon:", with: "  other:")
            try await fixture.reload()
            #expect(try await fixture.answer(.get, "/v1/schedules/noon").status == .notFound)
            #expect(try await schedule(fixture, "other").nextRuns.count == 5)
            #expect(try await fixture.store.schedules().map(\.name) == ["other"])
        }
    }

    @Test("What has not changed is not touched, by a reload nor by a start")
    func untouched() async throws {
        let folder = try GatewayFolder()
        let first = try ReloadFixture(Self.yaml, folder: folder)
        var record: ScheduleRecord?
        try await first.open {
            record = try await first.store.schedules().first
            first.write(Self.yaml + "\nlogging: {level: debug}\n")
            try await first.reload()
            #expect(try await first.store.schedules().first == record)
        }
        let second = try ReloadFixture(Self.yaml, folder: folder)
        try await second.open {
            let stored = try await second.store.schedules()
            #expect(stored.first == record)
        }
    }

    @Test("One that a client has made gives way to one of the configuration, and others stay")
    func collision() async throws {
        let fixture = try ReloadFixture(Self.sessions)
        try await fixture.open {
            for name in ["noon", "mine"] {
                let created = try await fixture.answer(
                    .post, "/v1/schedules", json: #"{"name":"\#(name)","cron":"@daily","task":{"session":"up"}}"#)
                #expect(created.status == .created)
            }
            fixture.write(Self.yaml)
            try await fixture.reload()
            #expect(try await schedule(fixture).origin == "configuration")
            #expect(try await schedule(fixture, "mine").origin == "api")
            #expect(fixture.log.lines.contains { $0.level == .warning && $0["schedule"] == "noon" })
        }
    }

    @Test("A task that would be refused is a fault of the configuration, with its place; nothing changes then")
    func refused() async throws {
        let fixture = try ReloadFixture(Self.yaml)
        try await fixture.open {
            fixture.replace("{path: noon,", with: "{pth: noon, session: nowhere, priority: 10,")
            guard case .refused(let error) = await fixture.gateway.reload() else {
                Issue.record("it was not refused")
                return
            }
            #expect(
                error.description.split(separator: "\n").map(String.init) == [
                    "config.yaml:8:17: schedules.noon.task.pth: unknown member; did you mean \"path\"?",
                    "config.yaml:8:32: schedules.noon.task.session: there is no session \"nowhere\"",
                    "config.yaml:8:51: schedules.noon.task.priority: expected an integer from 0 to 9, found 10",
                ])
            let noon = try await schedule(fixture)
            #expect(noon.session == "up")
        }
    }

    @Test("That a file which a task sends is not there yet, is no fault")
    func missingFile() async throws {
        let text = Self.yaml.replacing("{path: noon,", with: "{method: POST, body: {file: report.csv},")
        let configuration = try ConfigurationLoader(environment: [:], readFile: { _ in [] })
            .load(Array(text.utf8), file: "f").configuration
        #expect(await ScheduleCheck.problems(of: configuration).isEmpty)
    }
}
