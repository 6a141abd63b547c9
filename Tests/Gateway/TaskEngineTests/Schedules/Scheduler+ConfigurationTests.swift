import ErrandLocking
import ErrandSupport
import ErrandTaskStore
import ErrandTime
import Testing

@testable import ErrandConfiguration
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("Scheduler: the configuration", .timeLimit(.hang))
struct SchedulerConfigurationTests {
    @Test("Schedules of an older configuration that are stored late change none of a newer one")
    func outdatedConfiguration() async throws {
        let fixture = try SchedulerFixture(at: "2026-01-01T00:00:00Z")
        let (reached, goOn) = (Signal<Void>(), Signal<Void>())
        try await fixture.open {
            fixture.store.intervene { operation in
                guard case .put(let schedule) = operation, schedule.name == "a" else { return }
                reached.send()
                await goOn.wait()
            }
            fixture.scheduler.applyLater(
                .scheduling(["a": "@daily", "b": "@daily"]), after: TaskStoreError(.busy, "x"))
            await reached.wait()
            async let newer: Void = fixture.scheduler.apply(.scheduling(["b": "@hourly"]))
            defer { goOn.send() }
            // The newer one is applied at once, or waits for the older one.
            try await until { !fixture.scheduler.isCurrent(configuration: 1) }
            goOn.send()
            try await newer
            #expect(fixture.scheduler.all.map(\.record.name) == ["b"])
            #expect(fixture.scheduler["b"]?.record.nextRunAt == Timestamp("2026-01-01T01:00:00Z"))
            #expect(try await fixture.store.schedules() == fixture.scheduler.all.map(\.record))
        }
    }

    // MARK: Secrets

    /// Returns a configuration with the schedules `a` and `b`, whose tasks contain a secret.
    ///
    /// - Parameter cron: The times of `a`.
    private func withSecrets(_ cron: String = "@daily") throws -> GatewayConfiguration {
        let text = """
            sessions: {up: {base_url: "http://upstream.example/"}}
            default_session: up
            schedules:
              a: {cron: "\(cron)", task: {path: a, method: POST, body: {text: "${SECRET}"}}}
              b: {cron: "@daily", task: {path: b, method: POST, body: {text: "${SECRET}"}}}
            """
        return try ConfigurationLoader(environment: ["SECRET": "hunter2"], readFile: { _ in [] })
            .load(Array(text.utf8), file: "f").configuration
    }

    /// Returns the task of a schedule as clients see it.
    private func shown(_ name: String, _ fixture: SchedulerFixture) -> String? {
        fixture.scheduler[name].map { String(decoding: $0.shownTask, as: UTF8.self) }
    }

    private static let redacted = #"{"path":"b","method":"POST","body":{"text":"[redacted]"}}"#

    @Test("While the store cannot write, an unchanged schedule is shown redacted, and a changed one without its task")
    func shownWithoutRoom() async throws {
        let first = try SchedulerFixture(at: "2026-01-01T00:00:30Z")
        try await first.open {
            try await first.scheduler.apply(withSecrets())
            #expect(shown("b", first) == Self.redacted)
        }
        let second = try SchedulerFixture(folder: first.folder, at: "2026-01-01T00:00:40Z")
        try await second.open {
            #expect(shown("b", second) == "{}", "no configuration was read")
            second.store.intervene { operation throws(TaskStoreError) in
                if case .put = operation { throw TaskStoreError(.diskFull, "no space") }
            }
            let changed = try withSecrets("@hourly")
            await #expect(throws: TaskStoreError.self) { try await second.scheduler.apply(changed) }
            #expect(shown("a", second) == "{}")
            #expect(shown("b", second) == Self.redacted)
            second.store.intervene(nil)
            try await second.scheduler.apply(changed)
            #expect(shown("a", second) == Self.redacted.replacing(#""b""#, with: #""a""#))
            #expect(shown("b", second) == Self.redacted)
        }
    }

    @Test("After a change by another process, only a task that the configuration knows is shown")
    func shownAfterChangeElsewhere() async throws {
        let fixture = try SchedulerFixture(at: "2026-01-01T00:00:30Z")
        try await fixture.open {
            try await fixture.scheduler.apply(withSecrets())
            var other = try #require(fixture.scheduler["b"]?.record)
            for (secret, shownTask) in [("hunter2", Self.redacted), ("swordfish", "{}")] {
                let document = String(decoding: other.definition, as: UTF8.self).replacing("hunter2", with: secret)
                other.definition = Array(document.utf8)
                other.revision += 1
                #expect(try await fixture.store.put(other, expecting: other.revision - 1, inserting: nil))
                let answer = try await fixture.scheduler.setSuspended(true, "b", by: .anonymous) { _ in true }
                guard case .preconditionFailed = answer else {
                    Issue.record("\(answer)")
                    return
                }
                #expect(fixture.scheduler["b"]?.record == other)
                #expect(shown("b", fixture) == shownTask)
            }
        }
    }

    @Test("A schedule that another process stores first is shown redacted")
    func shownIfStoredElsewhere() async throws {
        let fixture = try SchedulerFixture(at: "2026-01-01T00:00:30Z")
        try await fixture.open {
            let isFirst = Mutex(true)
            fixture.store.intervene { operation async throws(TaskStoreError) in
                guard case .put(let record) = operation, record.name == "b" else { return }
                let stores = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                if stores { _ = try await fixture.store.put(record, expecting: nil, inserting: nil) }
            }
            try await fixture.scheduler.apply(withSecrets())
            fixture.store.intervene(nil)
            #expect(try await fixture.store.schedules().map(\.name) == ["a", "b"])
            #expect(shown("b", fixture) == Self.redacted)
        }
    }
}

extension GatewayConfiguration {
    /// Returns a configuration with schedules of empty tasks.
    ///
    /// - Parameter crons: The times by the names of the schedules.
    static func scheduling(_ crons: [String: String]) -> GatewayConfiguration {
        var configuration = GatewayConfiguration()
        configuration.defaultSession = "up"
        configuration.schedules = crons.sorted { $0.key < $1.key }.map { name, cron in
            var schedule = ScheduleConfiguration()
            (schedule.name, schedule.cron) = (name, cron)
            return schedule
        }
        return configuration
    }
}
