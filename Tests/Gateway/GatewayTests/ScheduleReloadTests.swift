import ErrandConfiguration
import ErrandHTTPServer
import ErrandLocking
import ErrandSessionCore
import ErrandSettings
import ErrandSupport
import ErrandTaskStore
import ErrandTime
import ErrandTransfer
import HTTPTypes
import Logging
import Testing

@testable import ErrandGateway
@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("Schedules: the configuration", .timeLimit(.hang))
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

    @Test("They exist from the start, and their secrets are not shown")
    func start() async throws {
        let fixture = try ReloadFixture(Self.yaml)
        try await fixture.open {
            let noon = try await schedule(fixture)
            #expect(noon.origin == "configuration" && noon.cron == "0 12 * * *" && noon.session == "up")
            #expect(noon.nextRuns.count == 5)
            let text = try await fixture.response(.get, "/v1/schedules/noon").text
            #expect(text.contains(#""path":"noon""#) && !text.contains("abc"))
            _ = try await fixture.response(.post, "/v1/schedules/noon/run")
            let begun = await fixture.begun.first(1)
            #expect(begun.map(\.path) == ["noon"])
            #expect(begun.first?.request.headers[.authorization] == "Bearer abc")
        }
    }

    @Test("A start with a full disk shows no interpolated secret")
    func fullDisk() async throws {
        let yaml =
            Self.sessions + """
                schedules:
                  early: {cron: 0 11 * * *, task: {path: early, method: POST, body: {text: "${SECRET:-hunter2}"}}}
                  noon: {cron: 0 12 * * *, task: {path: noon, method: POST, body: {text: "${SECRET:-hunter2}"}}}
                """
        let folder = try GatewayFolder()
        let first = try ReloadFixture(yaml, folder: folder)
        try await first.open {}
        let second = try ReloadFixture(yaml.replacing("0 11", with: "30 11"), folder: folder)
        second.store.intervene { operation async throws(TaskStoreError) in
            if case .put = operation { throw TaskStoreError(.diskFull, "Full") }
        }
        try await second.open {
            let early = try await second.response(.get, "/v1/schedules/early").text
            #expect(early.contains(#""cron":"0 11 * * *""#) && early.contains(#""task":{},"#))
            let noon = try await second.response(.get, "/v1/schedules/noon").text
            #expect(noon.contains(#""task":{"path":"noon","method":"POST","body":{"text":"[redacted]"}},"#))
            let list = try await second.response(.get, "/v1/schedules").text
            #expect(!list.contains("hunter2"))
        }
    }

    @Test("They are changed only in the configuration, but clients may suspend, resume and run them")
    func readOnly() async throws {
        let fixture = try ReloadFixture(Self.yaml)
        try await fixture.open {
            let put = try await fixture.response(
                .put, "/v1/schedules/noon", json: #"{"cron":"@daily","task":{"session":"up"}}"#)
            #expect(put.status == .conflict && put.text.contains("configured-schedule"))
            let removed = try await fixture.response(.delete, "/v1/schedules/noon")
            #expect(removed.status == .conflict && removed.text.contains("configured-schedule"))
            #expect(try await fixture.response(.post, "/v1/schedules/noon/suspend").status == .ok)
            #expect(try await fixture.response(.post, "/v1/schedules/noon/run").status == .accepted)
            #expect(try await schedule(fixture).suspended)
        }
    }

    @Test("A reload adds, changes and removes them; a suspended one stays suspended")
    func reload() async throws {
        let fixture = try ReloadFixture(Self.yaml)
        try await fixture.open {
            _ = try await fixture.response(.post, "/v1/schedules/noon/suspend")
            fixture.replace("0 12", with: "30 12")
            try await fixture.reload()
            let changed = try await schedule(fixture)
            #expect(changed.cron == "30 12 * * *" && changed.suspended && changed.nextRuns.isEmpty)
            fixture.replace("  noon:", with: "  other:")
            try await fixture.reload()
            #expect(try await fixture.response(.get, "/v1/schedules/noon").status == .notFound)
            #expect(try await schedule(fixture, "other").nextRuns.count == 5)
            #expect(try await fixture.store.schedules().map(\.name) == ["other"])
        }
    }

    @Test("A reload hides a value that is interpolated now, although the task is the same")
    func interpolatedNow() async throws {
        let fixture = try ReloadFixture(Self.yaml.replacing("path: noon", with: "path: hunter2"))
        try await fixture.open {
            let revision = try await schedule(fixture).revision
            #expect(try await fixture.response(.get, "/v1/schedules/noon").text.contains("hunter2"))
            fixture.replace("path: hunter2", with: #"path: "${SECRET:-hunter2}""#)
            #expect(try await fixture.reload().changed == ["schedules.noon"])
            #expect(try await fixture.response(.get, "/v1/schedules/noon").text.contains(#""path":"[redacted]""#))
            #expect(try await schedule(fixture).revision == revision)
        }
    }

    @Test("Unchanged schedules stay as they are, at a reload and at a start")
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

    @Test("A client's schedule is replaced by one of the configuration with its name; others stay")
    func collision() async throws {
        let fixture = try ReloadFixture(Self.sessions)
        try await fixture.open {
            for name in ["noon", "mine"] {
                let created = try await fixture.response(
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

    // MARK: A session that is renamed

    /// A session with two schedules: one that is due after ``untilDue``, and one that is due next year.
    private static let renamed = """
        sessions:
          first: {base_url: "http://first.example/"}
        schedules:
          later: {cron: "@yearly", task: {session: first, path: later}}
          soon: {cron: 7 * * * *, task: {session: first, path: soon}}
        """
    private static let untilDue = Duration.seconds(20)

    /// Waits until the scheduler sleeps for a time, and lets it pass until the next time of `soon` was handled.
    private func pass(_ rest: Duration, _ fixture: ReloadFixture, _ time: ManualClock) async throws {
        // That it sleeps for this time has no event: others sleep with the same clock.
        try await until { time.sleeps.events.contains(rest) }
        let former = fixture.gateway.scheduler["soon"]?.wakesAt
        time.advance(by: rest)
        try await until { fixture.gateway.scheduler["soon"]?.wakesAt != former }
    }

    /// Checks that the run which was due is made in the new session, once.
    private func expectRun(_ due: Timestamp, _ fixture: ReloadFixture) async throws {
        let begun = await fixture.begun.first(1)
        #expect(begun.map(\.session.name) == ["second"])
        #expect(fixture.gateway.scheduler["soon"]?.record.lastRunAt == due)
        #expect(try await fixture.store.tasks(TaskQuery()).tasks.map(\.session) == ["second"])
    }

    @Test("A run that is due while the store cannot replace the schedules of a renamed session is made afterwards")
    func renamedWithoutRoom() async throws {
        let time = ManualClock()
        let fixture = try ReloadFixture(Self.renamed, time: time)
        try await fixture.open {
            let due = try #require(fixture.gateway.scheduler["soon"]?.record.nextRunAt)
            let refused = Mutex<Set<String>>(["first", "second"])
            fixture.store.intervene { operation throws(TaskStoreError) in
                guard case .put(let schedule) = operation, refused.withLock({ $0.contains(schedule.session) }) else {
                    return
                }
                throw TaskStoreError(.diskFull, "Full")
            }
            fixture.replace("first", with: "second")
            try await fixture.reload()
            try await pass(Self.untilDue, fixture, time)
            // The scheduler tries again before the reload does.
            refused.withLock { $0 = ["second"] }
            try await pass(.seconds(1), fixture, time)
            try #require(fixture.gateway.scheduler["soon"]?.record.nextRunAt == due)
            refused.withLock { $0 = [] }
            try await expectRun(due, fixture)
        }
    }

    @Test("A run that is due while the schedules of a renamed session are being replaced is made afterwards")
    func renamedMeanwhile() async throws {
        let time = ManualClock()
        let fixture = try ReloadFixture(Self.renamed, time: time)
        let (reached, goOn) = (Signal<Void>(), Signal<Void>())
        try await fixture.open {
            let due = try #require(fixture.gateway.scheduler["soon"]?.record.nextRunAt)
            fixture.store.intervene { operation in
                guard case .put(let schedule) = operation, schedule.name == "later" else { return }
                reached.send()
                await goOn.wait()
            }
            fixture.replace("first", with: "second")
            async let reloaded = fixture.reload()
            defer { goOn.send() }
            await reached.wait()
            try await pass(Self.untilDue, fixture, time)
            try #require(fixture.gateway.scheduler["soon"]?.record.nextRunAt == due)
            goOn.send()
            _ = try await reloaded
            try await expectRun(due, fixture)
        }
    }

    @Test("A schedule whose task is rejected when no configuration is being applied misses its run, and tells why")
    func rejected() async throws {
        let time = ManualClock()
        let fixture = try ReloadFixture(Self.renamed, time: time)
        try await fixture.open {
            fixture.gateway.sessions.apply(SessionControlState(name: "first", isClosed: true))
            try await pass(Self.untilDue, fixture, time)
            let soon = try #require(fixture.gateway.scheduler["soon"])
            #expect(soon.failure?.message.contains("closed by an operator") == true)
            #expect(soon.record.lastRunAt == nil)
        }
    }

    @Test("An invalid task is an error of the configuration with its place, and nothing changes")
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
                    "config.yaml:8:32: schedules.noon.task.session: unknown session \"nowhere\"",
                    "config.yaml:8:51: schedules.noon.task.priority: expected an integer from 0 to 9, found 10",
                ])
            let noon = try await schedule(fixture)
            #expect(noon.session == "up")
        }
    }

    @Test(
        "An error of an interpolated value does not repeat it, neither in the response nor in the log",
        arguments: [
            #"session: "${SECRET:-hunter2}""#, #"kind: "${SECRET:-hunter2}""#, #"method: "${SECRET:-hunter2}""#,
            #"path: "ftp://${SECRET:-hunter2}/""#, #"callback: {url: "ftp://${SECRET:-hunter2}/"}"#,
            #"callback: {url: "https://a.example/", session: "${SECRET:-hunter2}"}"#,
        ])
    func interpolatedErrors(member: String) async throws {
        let fixture = try ReloadFixture(Self.yaml + "\ncallbacks: {unsigned: true}\n")
        try await fixture.open {
            fixture.replace("path: noon", with: member)
            let problem = try await fixture.document(
                ProblemDocument.self, .post, "/v1/config:reload", status: .unprocessableContent)
            let faults = try #require(problem.errors)
            #expect(!faults.isEmpty)
            for fault in faults {
                #expect(
                    fault.detail.hasSuffix(": invalid name or value (not described, as the value is interpolated)"))
            }
            #expect(!fixture.log.lines.contains { "\($0)".contains("hunter2") })
        }
    }

    @Test("Errors of values, references and tasks are reported at once, in the order of the file")
    func onePass() async throws {
        let text = """
            server: {max_jsn: 1MiB, listen: "0.0.0.0:80"}
            auth: {protect_operations: maybe}
            default_session: none
            sessions:
              up: {base_url: "http://upstream.example/", timeouts: {idle: fast}}
              bad: {base_url: "ftp://upstream.example/"}
            schedules:
              early: {cron: 0 12 * * *, task: {session: up, priority: 11}}
              late: {cron: 61 * * * *, task: {session: up, priority: 12}}
              other: {cron: 0 12 * * *, task: {session: bad, priority: 13}}
              nowhere: {cron: 0 12 * * *, task: {session: gone}}
              default: {cron: 0 12 * * *, task: {path: x}}
            """
        do throws(ConfigurationError) {
            _ = try ConfigurationLoader(environment: [:], readFile: { _ in [] }).load(Array(text.utf8), file: "f")
            Issue.record("it was read")
        } catch {
            let lines = await ScheduleCheck.completing(error).problems.map { $0.text(file: "f") }
            #expect(
                lines.map { $0.prefix { $0 != " " } } == [
                    "f:1:10:", "f:1:33:", "f:2:28:", "f:3:18:", "f:5:63:", "f:6:19:", "f:8:59:", "f:9:16:", "f:9:58:",
                    "f:11:47:",
                ], "\(lines.joined(separator: "\n"))")
            // A second completion adds nothing.
            #expect(await ScheduleCheck.completing(ScheduleCheck.completing(error)).problems.count == lines.count)
        }
    }

    @Test("A file of a task that does not exist yet is no error")
    func missingFile() async throws {
        let text = Self.yaml.replacing("{path: noon,", with: "{method: POST, body: {file: report.csv},")
        let configuration = try ConfigurationLoader(environment: [:], readFile: { _ in [] })
            .load(Array(text.utf8), file: "f").configuration
        #expect(await ScheduleCheck.problems(of: configuration).isEmpty)
    }
}
