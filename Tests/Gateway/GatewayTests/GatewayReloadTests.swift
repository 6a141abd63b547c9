import ErrandConfiguration
import ErrandHTTPServer
import ErrandLocking
import ErrandSessionCore
import ErrandSettings
import ErrandSupport
import ErrandTaskStore
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandGateway
@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("Reloads of the configuration", .timeLimit(.hang))
struct GatewayReloadTests {
    typealias Gate = ScriptedTransport.Gate

    // MARK: Limits

    @Test("A higher limit lets waiting tasks start at once, a lower one interrupts none")
    func concurrency() async throws {
        let gate = Gate()
        let fixture = try ReloadFixture(
            ReloadFixture.yaml.replacing("upstream.example/\"", with: "upstream.example/\", limits: {concurrent: 1}")
        ) { _ in [.wait(gate)] + DispatcherFixture.response }
        try await fixture.open {
            var tasks: [TaskDocument] = []
            for index in 0..<3 { tasks.append(try await fixture.create("\(index)")) }
            _ = await fixture.begun.first(1)
            for task in tasks[1...] { #expect(try await fixture.current(task).hold == "concurrency") }
            fixture.replace("concurrent: 1", with: "concurrent: 3")
            try await fixture.reload()
            _ = await fixture.begun.first(3)
            fixture.replace("concurrent: 3", with: "concurrent: 1")
            try await fixture.reload()
            gate.open()
            for task in tasks { #expect(try await fixture.finished(task).state == "succeeded") }
        }
    }

    @Test("Requests are subject to the limits in force when they arrive")
    func limits() async throws {
        let fixture = try ReloadFixture()
        try await fixture.open {
            let large = #"{"session":"up","headers":{"X-A":"\#(String(repeating: "x", count: 2000))"}}"#
            let head = try RequestHead.sample(
                .post, "/v1/tasks", lines: ["Host: 127.0.0.1", "Content-Type: application/json"])
            let admitted = fixture.gateway.handler.admit(head)
            fixture.replace("4KiB", with: "1KiB")
            #expect(try await fixture.reload().changed == ["server.max_json"])
            #expect(try await fixture.response(.post, "/v1/tasks", json: large).status == .contentTooLarge)
            guard case .buffered(let limitBytes, _, _) = admitted.unchanged else {
                Issue.record("not admitted: \(admitted)")
                return
            }
            #expect(limitBytes == 4096, "what was let in before ends as it began")
        }
    }

    @Test("A removed token is refused")
    func tokens() async throws {
        let yaml = ReloadFixture.yaml + "\nauth: {tokens: [{name: a, token: 0123456789abcdef, scopes: [admin]}]}"
        let fixture = try ReloadFixture(yaml)
        try await fixture.open {
            let before = try status(of: fixture, token: "0123456789abcdef")
            #expect(before == .ok)
            fixture.replace("0123456789abcdef", with: "fedcba9876543210")
            let reloaded = try await fixture.reload()
            #expect(reloaded.changed == ["auth.tokens"])
            let after = try ["0123456789abcdef", "fedcba9876543210"].map { try status(of: fixture, token: $0) }
            #expect(after == [.unauthorized, .ok])
        }
    }

    private func status(of fixture: ReloadFixture, token: String) throws -> HTTPResponse.Status {
        let head = try RequestHead.sample(
            .get, "/v1/sessions", lines: ["Host: 127.0.0.1", "Authorization: Bearer \(token)"])
        guard case .immediate(let response) = fixture.gateway.handler.admit(head) else { return .ok }
        return response.status
    }

    // MARK: All or nothing

    @Test("An invalid configuration changes nothing, and each problem is logged with its location")
    func problems() async throws {
        let fixture = try ReloadFixture()
        try await fixture.open {
            let up = fixture.gateway.sessions["up"]
            let faults = "timeouts: {idle: fast, total: slow}"
            fixture.write("sessions: {up: {base_url: 'http://elsewhere.example/', \(faults)}}")
            guard case .refused(let error) = await fixture.gateway.reload() else {
                Issue.record("applied")
                return
            }
            #expect(error.problems.count == 2)
            #expect(fixture.gateway.sessions["up"] === up)
            #expect(fixture.applied.events.isEmpty)
            let logged = fixture.log.lines.compactMap { $0["problem"] }
            #expect(logged.count == 2)
            #expect(logged.allSatisfy { $0.hasPrefix("config.yaml:1:") })
            let task = try await fixture.run()
            #expect(task.state == "succeeded")
        }
    }

    @Test("A schedule that cannot be stored is stored later, and delays neither the reload nor a stop")
    func scheduleFails() async throws {
        let fixture = try ReloadFixture()
        try await fixture.open {
            let tries = EventLog<String>()
            fixture.store.intervene { operation async throws(TaskStoreError) in
                guard case .put(let record) = operation else { return }
                tries.append(record.name)
                if tries.events.count < 3 { throw TaskStoreError(.diskFull, "Full") }
            }
            let schedule = "schedules: {nightly: {cron: '0 3 * * *', task: {session: up, path: a}}}"
            fixture.write(ReloadFixture.yaml + "\n" + schedule)
            #expect(try await fixture.reload().changed == ["schedules.nightly"])
            #expect(fixture.applied.events.count == 1)
            #expect(await tries.first(3) == ["nightly", "nightly", "nightly"])
            fixture.store.intervene { operation async throws(TaskStoreError) in
                if case .put = operation { throw TaskStoreError(.diskFull, "Full") }
            }
            fixture.replace("0 3", with: "0 4")
            try await fixture.reload()
        }
    }

    @Test("If the store cannot read the control state of a new session, nothing changes")
    func storeFails() async throws {
        let fixture = try ReloadFixture()
        try await fixture.open {
            fixture.replace("other:", with: "fresh:")
            fixture.store.intervene { operation async throws(TaskStoreError) in
                if case .sessionControlStates = operation { throw TaskStoreError(.inputOutput, "Broken") }
            }
            guard case .failed = await fixture.gateway.reload() else {
                Issue.record("applied")
                return
            }
            #expect(fixture.gateway.sessions.names == ["up", "other", "callbacks"])
            fixture.store.intervene(nil)
            let reloaded = try await fixture.reload()
            #expect(reloaded.changed == ["sessions.fresh", "sessions.other"])
        }
    }

    @Test("Settings that need a restart are reported by every reload, and not applied")
    func restart() async throws {
        let fixture = try ReloadFixture()
        try await fixture.open {
            fixture.replace("server: {", with: "server: {max_headers: 64KiB, max_depth: 8, ")
            let first = try await fixture.reload()
            #expect(first.restartRequired == ["server.max_headers"])
            #expect(first.changed == ["server.max_depth"])
            let inForce = fixture.gateway.configuration.server
            #expect(inForce.limits.maxHeaderBytes == 32 << 10)
            #expect(inForce.requests.maxDepth == 8)
            let second = try await fixture.reload()
            #expect(second.restartRequired == ["server.max_headers"])
            #expect(second.changed.isEmpty)
            #expect(fixture.log.lines.contains { $0.message == "Changed settings require a restart" })
        }
    }

    @Test("Reloads run serially, so that the last text is in force")
    func serialised() async throws {
        let fixture = try ReloadFixture()
        try await fixture.open {
            await withTaskGroup(of: Void.self) { group in
                for index in 1...20 {
                    fixture.write(
                        "sessions: {up: {base_url: 'http://upstream.example/', limits: {concurrent: \(index)}}}")
                    group.addTask { await fixture.gateway.reload() }
                }
            }
            #expect(fixture.gateway.sessions["up"]?.configuration.limits.concurrent == 20)
            let limits = fixture.applied.events.compactMap { $0.session(named: "up")?.limits.concurrent }
            #expect(limits == limits.sorted())
        }
    }

    @Test("A reset during a reload keeps the reloaded configuration")
    func resetDuringReload() async throws {
        let fixture = try ReloadFixture()
        try await fixture.open {
            for index in 1...20 {
                fixture.write("sessions: {up: {base_url: 'http://upstream.example/', limits: {concurrent: \(index)}}}")
                async let reset: Void = fixture.gateway.sessions.reset("up")
                try await fixture.reload()
                await reset
                #expect(fixture.gateway.sessions["up"]?.configuration.limits.concurrent == index)
            }
        }
    }

    @Test("Five hundred tasks all succeed, each once, while the configuration is reloaded twenty times")
    func underLoad() async throws {
        let fixture = try ReloadFixture()
        try await fixture.open {
            let tasks = try await withThrowingTaskGroup(of: [TaskDocument].self) { group in
                for client in 0..<20 {
                    group.addTask {
                        var tasks: [TaskDocument] = []
                        for index in 0..<25 { tasks.append(try await fixture.create("\(client)-\(index)")) }
                        return tasks
                    }
                }
                for index in 1...20 {
                    // Another limit each time, and another policy every other time.
                    let scope = index.isMultiple(of: 2) ? "base" : "origin"
                    let limit = "limits: {concurrent: \(index)}, url_scope: \(scope)"
                    fixture.write("sessions: {up: {base_url: 'http://upstream.example/', \(limit)}}")
                    try await fixture.reload()
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            for task in tasks { #expect(try await fixture.finished(task).state == "succeeded") }
            #expect(Set(fixture.begun.events.map(\.path)).count == 500)
            #expect(fixture.begun.events.count == 500)
        }
    }

    @Test("All tasks of a session that is repeatedly removed and added succeed, each once")
    func comingAndGoing() async throws {
        let yaml = "sessions: {up: {base_url: 'http://upstream.example/', limits: {concurrent: 3}}}"
        let fixture = try ReloadFixture(yaml)
        try await fixture.open {
            _ = try await fixture.document(SessionView.self, .post, "/v1/sessions/up/suspend")
            var tasks: [TaskDocument] = []
            for index in 0..<300 { tasks.append(try await fixture.create("\(index)")) }
            _ = try await fixture.document(SessionView.self, .post, "/v1/sessions/up/resume")
            for _ in 0..<10 {
                fixture.write("sessions: {}")
                try await fixture.reload()
                fixture.write(yaml)
                try await fixture.reload()
            }
            for task in tasks { #expect(try await fixture.finished(task).state == "succeeded") }
            #expect(Set(fixture.begun.events.map(\.path)).count == 300)
            #expect(fixture.begun.events.count == 300)
        }
    }

    @Test("Reloads are refused before the gateway is open and after it is closed")
    func notOpen() async throws {
        let fixture = try ReloadFixture()
        guard case .unavailable = await fixture.gateway.reload() else {
            Issue.record("reloaded before")
            return
        }
        try await fixture.open {}
        guard case .unavailable = await fixture.gateway.reload() else {
            Issue.record("reloaded after")
            return
        }
    }
}
