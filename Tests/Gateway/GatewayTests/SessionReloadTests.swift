import ErrandConfiguration
import ErrandHTTPServer
import ErrandLocking
import ErrandSessionCore
import ErrandSupport
import ErrandTaskStore
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandGateway
@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("Reloads of sessions", .timeLimit(.hang))
struct SessionReloadTests {
    typealias Gate = ScriptedTransport.Gate

    private static func redirect(to target: String) -> [ScriptedTransport.Step] {
        [.head(ResponseHead(status: 307, headers: [.location: target]))]
    }

    @Test("A reconfigured session gets a new session object, the others keep theirs")
    func generations() async throws {
        let fixture = try ReloadFixture()
        try await fixture.open {
            let (up, other) = (fixture.gateway.sessions["up"], fixture.gateway.sessions["other"])
            fixture.replace("upstream.example/\"", with: "upstream.example/\", timeouts: {idle: 7s}")
            let reloaded = try await fixture.reload()
            #expect(reloaded.changed == ["sessions.up.timeouts.idle"])
            #expect(fixture.gateway.sessions["up"] !== up)
            #expect(fixture.gateway.sessions["other"] === other)
            #expect(try await fixture.run().state == "succeeded")
            #expect(fixture.begun.events.map(\.session.timeouts.idle) == [.seconds(7)])
        }
    }

    @Test("A header whose value is moved out of the file is no longer shown")
    func hiddenHeader() async throws {
        let fixture = try ReloadFixture(
            ReloadFixture.yaml.replacing("upstream.example/\"", with: "upstream.example/\", headers: {X-Team: same}"))
        try await fixture.open {
            let shown = try await fixture.response(.get, "/v1/sessions/up").text
            #expect(shown.contains(#""X-Team":"same""#))
            fixture.replace("X-Team: same", with: #"X-Team: "${TEAM:-same}""#)
            let reloaded = try await fixture.reload()
            #expect(reloaded.changed == ["sessions.up.headers"])
            let hidden = try await fixture.response(.get, "/v1/sessions/up").text
            #expect(hidden.contains(#""X-Team":"[redacted]""#))
        }
    }

    @Test("Running attempts keep their session object, which ends with them")
    func underWay() async throws {
        let gate = Gate()
        let fixture = try ReloadFixture {
            $0.path == "held" ? [.wait(gate)] + DispatcherFixture.response : DispatcherFixture.response
        }
        try await fixture.open {
            let events = try #require(fixture.gateway.sessions["up"]).events
            let task = try await fixture.create("held")
            _ = await fixture.begun.first(1)
            fixture.replace("http://upstream.example/", with: "http://upstream.example/v2/")
            try await fixture.reload()
            #expect(try await fixture.run("new").state == "succeeded")
            #expect(try await fixture.current(task).state == "running")
            gate.open()
            #expect(try await fixture.finished(task).state == "succeeded")
            for await _ in events {}
            #expect(
                fixture.begun.events.map(\.request.url.string) == [
                    "http://upstream.example/held", "http://upstream.example/v2/new",
                ])
        }
    }

    @Test("A waiting task is sent with the configuration in force when it starts")
    func queued() async throws {
        let gate = Gate()
        let fixture = try ReloadFixture(
            ReloadFixture.yaml.replacing("upstream.example/\"", with: "upstream.example/\", limits: {concurrent: 1}")
        ) { $0.path == "held" ? [.wait(gate)] + DispatcherFixture.response : DispatcherFixture.response }
        try await fixture.open {
            let running = try await fixture.create("held")
            let waiting = try await fixture.create("next")
            fixture.replace("http://upstream.example/", with: "http://elsewhere.example/")
            try await fixture.reload()
            gate.open()
            for task in [running, waiting] { #expect(try await fixture.finished(task).state == "succeeded") }
            #expect(fixture.begun.events.last?.request.url.string == "http://elsewhere.example/next")
        }
    }

    @Test("A task prepared with replaced rules is prepared again before it is sent")
    func preparedBefore() async throws {
        let fixture = try ReloadFixture()
        try await fixture.open {
            let (reached, opened) = (Signal<Void>(), Signal<Void>())
            fixture.store.intervene { operation async throws(TaskStoreError) in
                guard case .insert = operation else { return }
                reached.send()
                await opened.wait()
            }
            async let created = fixture.create("late")
            await reached.wait()
            fixture.replace("http://upstream.example/", with: "http://elsewhere.example/")
            try await fixture.reload()
            opened.send()
            #expect(try await fixture.finished(created).state == "succeeded")
            #expect(fixture.begun.events.map(\.request.url.string) == ["http://elsewhere.example/late"])
        }
    }

    @Test("After a redirect no transfer starts with replaced rules: the task is repeated with those in force")
    func redirectChain() async throws {
        let gate = Gate()
        let fixture = try ReloadFixture { transfer in
            let steps = transfer.path == "first" ? Self.redirect(to: "/second") : DispatcherFixture.response
            return transfer.path == "first" && transfer.session.urlScope == .origin ? [.wait(gate)] + steps : steps
        }
        try await fixture.open {
            let task = try await fixture.create("first")
            _ = await fixture.begun.first(1)
            fixture.replace("upstream.example/\"", with: "upstream.example/\", url_scope: base")
            try await fixture.reload()
            gate.open()
            let finished = try await fixture.finished(task)
            #expect(finished.state == "succeeded")
            #expect(finished.attempts.map { $0.error?.code } == ["session_closed", nil])
            #expect(fixture.begun.events.map(\.path) == ["first", "first", "second"])
            #expect(fixture.begun.events.map(\.session.urlScope) == [.origin, .base, .base])
        }
    }

    @Test("After a redirect no transfer starts with replaced rules, however many reloads ago the task began")
    func redirectChainOverTwoReloads() async throws {
        let gate = Gate()
        let fixture = try ReloadFixture { _ in [.wait(gate)] + Self.redirect(to: "/second") }
        try await fixture.open {
            let task = try await fixture.create("first", method: "POST")
            _ = await fixture.begun.first(1)
            fixture.replace("upstream.example/\"", with: "upstream.example/\", timeouts: {idle: 7s}")
            try await fixture.reload()
            fixture.replace("timeouts: {idle: 7s}", with: "timeouts: {idle: 7s}, url_scope: base")
            try await fixture.reload()
            gate.open()
            let finished = try await fixture.finished(task)
            #expect(finished.error?.code == "session_closed")
            #expect(fixture.begun.events.map(\.path) == ["first"])
        }
    }

    @Test("After a redirect a task that must not be repeated fails instead of continuing with replaced rules")
    func redirectChainOfPost() async throws {
        let gate = Gate()
        let fixture = try ReloadFixture { _ in [.wait(gate)] + Self.redirect(to: "/second") }
        try await fixture.open {
            let task = try await fixture.create("first", method: "POST")
            _ = await fixture.begun.first(1)
            fixture.replace("upstream.example/\"", with: "upstream.example/\", url_scope: base")
            try await fixture.reload()
            gate.open()
            let finished = try await fixture.finished(task)
            #expect(finished.state == "failed")
            #expect(finished.error?.code == "session_closed")
            #expect(fixture.begun.events.map(\.path) == ["first"])
        }
    }

    @Test("After a redirect a task continues with its own rules if the new ones allow the same")
    func redirectChainWithSamePolicy() async throws {
        let gate = Gate()
        let fixture = try ReloadFixture { transfer in
            transfer.path == "first" ? [.wait(gate)] + Self.redirect(to: "/second") : DispatcherFixture.response
        }
        try await fixture.open {
            let task = try await fixture.create("first", method: "POST")
            _ = await fixture.begun.first(1)
            fixture.replace("upstream.example/\"", with: "upstream.example/\", timeouts: {idle: 7s}")
            try await fixture.reload()
            gate.open()
            #expect(try await fixture.finished(task).state == "succeeded")
            #expect(fixture.begun.events.map(\.path) == ["first", "second"])
        }
    }

    @Test("Cookies are kept, unless the cookie settings change", arguments: ["ephemeral", "persistent"])
    func cookies(policy: String) async throws {
        let fixture = try ReloadFixture(
            ReloadFixture.yaml.replacing("upstream.example/\"", with: "upstream.example/\", cookies: \(policy)")
        ) { transfer in
            guard transfer.path == "set" else { return DispatcherFixture.response }
            let head = ResponseHead(status: 200, headers: [.contentType: "application/json", .setCookie: "seen=1"])
            return [.head(head), .bytes(Array("{}".utf8))]
        }
        try await fixture.open {
            _ = try await fixture.run("set")
            fixture.replace("cookies:", with: "timeouts: {idle: 7s}, cookies:")
            try await fixture.reload()
            _ = try await fixture.run("look")
            fixture.replace("cookies: \(policy)", with: "cookies: off")
            try await fixture.reload()
            _ = try await fixture.run("look")
            #expect(fixture.begun.events.map { $0.request.headers[.cookie] } == [nil, "seen=1", nil])
        }
    }

    // MARK: The upstream

    private static let down = TransferError(.cannotConnect, "Connection refused")

    @Test("Tasks wait for an unreachable upstream also after a reload, unless it gives their session another one")
    func unreachable() async throws {
        let fixture = try ReloadFixture(
            ReloadFixture.yaml.replacing(
                "upstream.example/\"",
                with: "upstream.example/\", retry: {max_attempts: 1}, reachability: {hold_when_unreachable: true}"),
            connectError: Self.down
        ) { $0.request.url.host == "upstream.example" ? [.fail(Self.down)] : DispatcherFixture.response }
        try await fixture.open {
            #expect(try await fixture.run().state == "failed")
            let waiting = try await fixture.create("next")
            #expect(try await fixture.current(waiting).hold == "unreachable")
            fixture.replace("upstream.example/\"", with: "upstream.example/\", timeouts: {idle: 7s}")
            try await fixture.reload()
            #expect(try await fixture.current(waiting).hold == "unreachable")
            #expect(fixture.begun.events.count == 1)
            #expect(!fixture.log.lines.contains { $0.message == "Tasks no longer wait for their upstream" })
            fixture.replace("http://upstream.example/", with: "http://elsewhere.example/")
            try await fixture.reload()
            #expect(try await fixture.finished(waiting).state == "succeeded")
        }
    }

    /// Returns a gateway whose session `up` makes one attempt at each task; its upstream asks for a pause of an hour.
    private func busy(gate: Gate? = nil) throws -> ReloadFixture {
        let refusal = ResponseHead(status: 503, headers: [.retryAfter: "3600"])
        let retry = "retry: {max_attempts: 1, backoff: {initial: 1ms, max: 2h}}"
        return try ReloadFixture(
            ReloadFixture.yaml.replacing("upstream.example/\"", with: "upstream.example/\", \(retry)")
        ) { transfer in
            guard transfer.request.url.host == "upstream.example" else { return DispatcherFixture.response }
            guard let gate else { return [.head(refusal)] }
            return [.wait(gate), .head(refusal)]
        }
    }

    @Test("The pause that an upstream has asked for is over when its session gets another one")
    func pause() async throws {
        let fixture = try busy()
        try await fixture.open {
            #expect(try await fixture.run().state == "failed")
            let waiting = try await fixture.create("next")
            #expect(try await fixture.current(waiting).hold == "retry_after")
            fixture.replace("http://upstream.example/", with: "http://elsewhere.example/")
            try await fixture.reload()
            #expect(try await fixture.finished(waiting).state == "succeeded")
        }
    }

    @Test("The pause that an upstream has asked for is as long as the configuration in force allows")
    func shorterPause() async throws {
        let fixture = try busy()
        try await fixture.open {
            #expect(try await fixture.run().state == "failed")
            let waiting = try await fixture.create("next")
            #expect(try await fixture.current(waiting).hold == "retry_after")
            fixture.replace("max: 2h", with: "max: 1ms")
            try await fixture.reload()
            #expect(try await fixture.finished(waiting).state == "failed", "it was sent")
        }
    }

    @Test("A former upstream that asks for a pause at the end of an attempt delays no task of the next one")
    func lateRefusal() async throws {
        let gate = Gate()
        let fixture = try busy(gate: gate)
        try await fixture.open {
            let held = try await fixture.create("held")
            _ = await fixture.begun.first(1)
            fixture.replace("http://upstream.example/", with: "http://elsewhere.example/")
            try await fixture.reload()
            gate.open()
            #expect(try await fixture.finished(held).state == "failed")
            let conditions = try #require(fixture.gateway.dispatcher.conditions(of: "up"))
            #expect(conditions.quietUntil == nil)
            #expect(try await fixture.run().state == "succeeded")
        }
    }

    // MARK: The set of sessions

    @Test("A new session accepts tasks, and one closed before its removal is closed when added again")
    func sessionsComeAndGo() async throws {
        let fixture = try ReloadFixture()
        try await fixture.open {
            _ = try await fixture.document(
                CanceledView.self, .post, "/v1/sessions/other/invalidate", json: "{}")
            fixture.replace(
                "other: {base_url: \"http://other.example/\"}", with: "fresh: {base_url: \"http://fresh.example/\"}")
            #expect(try await fixture.reload().changed == ["sessions.fresh", "sessions.other"])
            #expect(fixture.gateway.sessions.names == ["up", "fresh", "callbacks"])
            #expect(try await fixture.run(session: "fresh").state == "succeeded")
            #expect(try await fixture.response(.get, "/v1/sessions/other").status == .notFound)
            #expect(
                try await fixture.response(.post, "/v1/tasks", json: #"{"session":"other"}"#).status
                    == .unprocessableContent)
            fixture.replace(
                "fresh: {base_url: \"http://fresh.example/\"}", with: "other: {base_url: \"http://other.example/\"}")
            try await fixture.reload()
            let problem = try await fixture.document(
                ProblemDocument.self, .post, "/v1/tasks", json: #"{"session":"other"}"#, status: .conflict)
            #expect(problem.type == "/problems/session-closed")
        }
    }

    @Test("Queued tasks of a removed session wait until it is added again, and running tasks finish")
    func queuedOfGone() async throws {
        let gate = Gate()
        let fixture = try ReloadFixture(
            ReloadFixture.yaml.replacing("upstream.example/\"", with: "upstream.example/\", limits: {concurrent: 1}")
        ) { $0.path == "held" ? [.wait(gate)] + DispatcherFixture.response : DispatcherFixture.response }
        try await fixture.open {
            let running = try await fixture.create("held")
            let waiting = try await fixture.create("next")
            let former = fixture.text
            fixture.write("sessions: {other: {base_url: 'http://other.example/'}}")
            try await fixture.reload()
            gate.open()
            #expect(try await fixture.finished(running).state == "succeeded")
            let held = try await fixture.current(waiting)
            #expect(held.state == "queued")
            #expect(held.hold == "session_not_configured")
            #expect(fixture.log.lines.contains { $0["session"] == "up" && $0["tasks"] == "1" })
            fixture.write(former)
            try await fixture.reload()
            #expect(try await fixture.finished(waiting).state == "succeeded")
        }
    }

    @Test("Tasks of a session missing at the start begin when it is configured")
    func queuedBeforeConfigured() async throws {
        let folder = try GatewayFolder()
        let before = try ReloadFixture(folder: folder)
        try await before.gateway.open()
        _ = try await before.document(
            SessionView.self, .post, "/v1/sessions/other/suspend")
        let task = try await before.create("late", session: "other")
        await before.gateway.close(drain: .seconds(30))
        await before.store.close()
        let fixture = try ReloadFixture("sessions: {up: {base_url: 'http://upstream.example/'}}", folder: folder)
        try await fixture.open {
            #expect(try await fixture.current(task).hold == "session_not_configured")
            fixture.write(ReloadFixture.yaml)
            try await fixture.reload()
            #expect(try await fixture.current(task).hold == "session_suspended", "as an operator has left it")
            _ = try await fixture.document(SessionView.self, .post, "/v1/sessions/other/resume")
            #expect(try await fixture.finished(task).state == "succeeded")
        }
    }
}
