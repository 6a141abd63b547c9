import ErrandAuthentication
import ErrandConfiguration
import ErrandHTTPServer
import ErrandSessionCore
import ErrandSupport
import ErrandTaskEvents
import ErrandTaskStore
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandGateway
@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("The events of a task", .timeLimit(.hang))
struct TaskEventsEndpointTests {
    private func head(_ status: Int = 200) -> ScriptedTransport.Step {
        .head(ResponseHead(status: status, headers: [.contentType: "application/json"]))
    }

    private func events(
        _ fixture: GatewayFixture, of id: String, after last: Int64? = nil
    ) async throws -> EventClient {
        let fields = last.map { ["Last-Event-ID: \($0)"] } ?? []
        return try EventClient(try await fixture.response(.get, "/v1/tasks/\(id)/events", fields: fields))
    }

    /// Runs an action while time passes in steps, as long as a client waits for an event.
    private func passing<Value>(
        _ clock: ManualClock, _ step: Duration, _ fixture: GatewayFixture, _ body: () async throws -> Value
    ) async throws -> Value {
        let hub = fixture.gateway.watch.hub
        let done = Signal<Void>()
        defer { done.send() }
        Task {
            while !done.isSent {
                if hub.isWatched { clock.advance(by: step) }
                await Task.yield()
            }
        }
        return try await body()
    }

    @Test("begin with its state, report each attempt and change, and end with the whole task")
    func live() async throws {
        let gate = ScriptedTransport.Gate()
        let fixture = try GatewayFixture(
            transport: ScriptedTransport([.wait(gate), head(), .bytes(Array("{\n \"a\": 1.10}".utf8))]))
        try await fixture.open {
            let task = try await fixture.create()
            var client = try await events(fixture, of: task.id)
            let first = try #require(try await client.next())
            #expect(first.name == "task.running" && first.data.event == "task.running")
            #expect(first.data.task == task.id && first.data.session == "up" && first.data.kind == "data")
            #expect(first.data.state == "running" && first.data.revision == task.revision)
            #expect(client.retry == 2000)
            let begun = try #require(first.id)
            gate.open()
            let attempt = try #require(try await client.next())
            #expect(attempt.name == "task.attempt" && attempt.data.attempt?.number == 1)
            #expect(attempt.data.attempt?.status == 200)
            let end = try #require(try await client.next())
            #expect(end.name == "task.succeeded" && end.data.state == "succeeded")
            #expect(end.data.taskDocument?.state == "succeeded" && end.data.taskDocument?.id == task.id)
            #expect(end.data.revision == end.data.taskDocument?.revision)
            let ids = [begun, try #require(attempt.id), try #require(end.id)]
            #expect(ids == ids.sorted() && Set(ids).count == 3)
            #expect(try await client.next() == nil)
        }
    }

    @Test("include the final progress of an attempt before its end")
    func lastProgress() async throws {
        let content = Array("{\n \"a\": 1.10}".utf8)
        let gate = ScriptedTransport.Gate()
        let length = ScriptedTransport.Step.head(
            ResponseHead(
                status: 200, headers: [.contentType: "application/json", .contentLength: "\(content.count)"]))
        let fixture = try GatewayFixture(transport: ScriptedTransport([.wait(gate), length, .bytes(content)]))
        try await fixture.open {
            let task = try await fixture.create()
            var client = try await events(fixture, of: task.id)
            client.skipsProgress = false
            #expect(try await client.next()?.name == "task.running")
            gate.open()
            var last: EventClient.Event.Data.Progress?
            while let event = try await client.next(), event.name != "task.attempt" {
                #expect(event.name == "task.progress")
                last = event.data.progress
            }
            #expect(last?.download.completed == Int64(content.count))
            #expect(last?.download.total == Int64(content.count))
            #expect(try await client.next()?.name == "task.succeeded")
        }
    }

    @Test("report the redirects of an attempt before its end")
    func redirects() async throws {
        let moved = ScriptedTransport.Step.head(ResponseHead(status: 302, headers: [.location: "/next"]))
        let fixture = try GatewayFixture(
            transport: ScriptedTransport { $0.url.string.hasSuffix("/next") ? DispatcherFixture.response : [moved] })
        try await fixture.open {
            let task = try await fixture.run()
            var client = try await events(fixture, of: task.id, after: 0)
            #expect(try await client.next()?.name == "task.running")
            let redirect = try #require(try await client.next())
            #expect(redirect.name == "task.redirect" && redirect.data.redirect?.status == 302)
            #expect(try await client.names() == ["task.attempt", "task.succeeded"])
        }
    }

    @Test("report the challenges that an attempt has answered before its end")
    func challenges() async throws {
        var session = try DispatcherFixture.configuration()
        session.credentials = .digest(username: "ada", password: "s3cret")
        let challenge = ScriptedTransport.Step.head(
            ResponseHead(status: 401, headers: [.wwwAuthenticate: #"Digest realm="r", nonce="n", qop="auth""#]))
        let fixture = try GatewayFixture(
            session: session,
            transport: ScriptedTransport {
                $0.headers[.authorization] == nil ? [challenge] : DispatcherFixture.response
            })
        try await fixture.open {
            let task = try await fixture.run()
            var client = try await events(fixture, of: task.id, after: 0)
            #expect(try await client.next()?.name == "task.running")
            let event = try #require(try await client.next())
            #expect(event.name == "task.challenge" && event.data.challenge?.schemes == ["digest"])
            #expect(try await client.names() == ["task.attempt", "task.succeeded"])
        }
    }

    @Test("are replayed after the last received event, and from the first after 0")
    func replay() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let other = try await fixture.run()
            let task = try await fixture.run()
            var client = try await events(fixture, of: task.id, after: 0)
            let all = [
                try #require(try await client.next()), try #require(try await client.next()),
                try #require(try await client.next()),
            ]
            #expect(all.map(\.name) == ["task.running", "task.attempt", "task.succeeded"])
            #expect(all.allSatisfy { $0.data.task == task.id && task.id != other.id })
            #expect(try await client.next() == nil)
            var second = try await events(fixture, of: task.id, after: all[0].id)
            #expect(try await second.names() == ["task.attempt", "task.succeeded"])
            // For clients that cannot set a field; the field takes precedence, since a reconnecting client sets it.
            let target = "/v1/tasks/\(task.id)/events?last_event_id=0"
            var queried = try EventClient(try await fixture.response(.get, target))
            #expect(try await queried.names().count == 3)
            let seen: Int64 = try #require(all[1].id)
            var both = try EventClient(
                try await fixture.response(.get, target, fields: ["Last-Event-ID: \(seen)"]))
            #expect(try await both.names() == ["task.succeeded"])
        }
    }

    @Test("of a finished task are only its state; a reconnection gets 204, which stops a client")
    func done() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await fixture.run()
            var client = try await events(fixture, of: task.id)
            let only = try #require(try await client.next())
            #expect(only.name == "task.succeeded" && only.data.taskDocument?.id == task.id)
            #expect(try await client.next() == nil)
            let last = try #require(client.lastEventID)
            for seen in [last, last + 1, Int64.max] {
                let again = try await fixture.response(
                    .get, "/v1/tasks/\(task.id)/events", fields: ["Last-Event-ID: \(seen)"])
                #expect(again.status == .noContent)
                #expect(again.headers[.cacheControl] == "no-store")
            }
        }
    }

    @Test("continue from replayed to new events without gap or repetition")
    func replayThenLive() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await fixture.create(#","start":"suspended""#)
            var client = try await events(fixture, of: task.id, after: 0)
            #expect(try await client.next()?.name == "task.suspended")
            _ = try await fixture.task(.post, "/v1/tasks/\(task.id)/resume")
            let names = try await client.names()
            #expect(names == ["task.queued", "task.running", "task.attempt", "task.succeeded"])
        }
    }

    @Test("end when the task is deleted, without an event for that")
    func deleted() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await fixture.create(#","start":"suspended""#)
            var client = try await events(fixture, of: task.id)
            #expect(try await client.next()?.name == "task.suspended")
            #expect(try await fixture.response(.delete, "/v1/tasks/\(task.id)").status == .noContent)
            #expect(try await client.names() == ["task.canceled"])
            #expect(try await fixture.response(.get, "/v1/tasks/\(task.id)/events").status == .notFound)
        }
    }

    @Test("end when the task was deleted before the client reads")
    func deletedBefore() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await fixture.create(#","start":"suspended""#)
            var client = try await events(fixture, of: task.id, after: 0)
            #expect(try await fixture.response(.delete, "/v1/tasks/\(task.id)").status == .noContent)
            #expect(try await client.names() == [])
        }
    }

    @Test("end when the gateway closes")
    func closing() async throws {
        let fixture = try GatewayFixture()
        try await fixture.gateway.open()
        let task = try await fixture.create(#","start":"suspended""#)
        var client = try await events(fixture, of: task.id)
        #expect(try await client.next()?.name == "task.suspended")
        async let end = client.next()
        await fixture.close()
        #expect(try await end == nil)
    }

    @Test("report its progress while it runs, without an id, and only when it has changed")
    func progress() async throws {
        let clock = ManualClock()
        let gate = ScriptedTransport.Gate()
        let more = ScriptedTransport.Gate()
        let fixture = try GatewayFixture(
            clock: clock,
            transport: ScriptedTransport([
                head(), .bytes(Array("[1,".utf8)), .wait(gate), .bytes(Array("22]".utf8)), .wait(more),
            ]))
        try await fixture.open {
            let task = try await fixture.create()
            let record = try #require(TaskID(task.id).flatMap { fixture.gateway.context.recent.record($0) })
            // Progress has no event, so it is read until the first three bytes have come.
            try await until { fixture.gateway.dispatcher.liveState(of: record).progress?.received == 3 }
            var client = try await events(fixture, of: task.id)
            client.skipsProgress = false
            let first = try #require(try await client.next())
            #expect(first.data.progress?.download.completed == 3)
            let progress = try #require(
                try await passing(clock, .milliseconds(500), fixture) { try await client.next() })
            #expect(progress.name == "task.progress" && progress.id == nil)
            #expect(progress.data.progress?.download.completed == 3 && progress.data.state == "running")
            gate.open()
            var next = try #require(try await passing(clock, .milliseconds(500), fixture) { try await client.next() })
            while next.data.progress?.download.completed == 3 {
                next = try #require(try await passing(clock, .milliseconds(500), fixture) { try await client.next() })
            }
            #expect(next.name == "task.progress" && next.data.progress?.download.completed == 6)
            #expect(client.lastEventID == first.id)
            more.open()
            client.skipsProgress = true
            #expect(try await client.names() == ["task.attempt", "task.succeeded"])
        }
    }

    @Test("include a comment line after fifteen idle seconds")
    func silence() async throws {
        let clock = ManualClock()
        let fixture = try GatewayFixture(clock: clock)
        try await fixture.open {
            let task = try await fixture.create(#","start":"suspended""#)
            var client = try await events(fixture, of: task.id)
            _ = try await client.next()
            for _ in 0..<2 {
                try await passing(clock, .seconds(15), fixture) { try await client.silence() }
            }
            #expect(client.comments == 2)
        }
    }

    @Test("are refused for a missing or hidden task, and for a malformed id")
    func refused() async throws {
        let fixture = try GatewayFixture { configuration in
            configuration.auth.tokens = [.sample("up", sessions: ["up"]), .sample("other", sessions: ["other"])]
            configuration.sessions.append(try SessionConfiguration.sample("other"))
        }
        try await fixture.open {
            let created = try await fixture.response(
                .post, "/v1/tasks", json: #"{"session":"up","start":"suspended"}"#,
                fields: [AuthConfiguration.Token.field("up")])
            let path = try #require(created.headers[.location]) + "/events"
            func response(_ path: String, _ token: String, _ fields: [String] = []) async throws -> ServerResponse {
                try await fixture.response(.get, path, fields: [AuthConfiguration.Token.field(token)] + fields)
            }
            let seen = try await response(path, "up")
            #expect(seen.status == .ok)
            #expect(seen.headers[.cacheControl] == "no-store")
            #expect(seen.headers[.accelBuffering] == "no")
            #expect(try await response(path, "other").status == .notFound)
            #expect(try await response("/v1/tasks/\(TaskID.sample(9))/events", "up").status == .notFound)
            #expect(try await response("/v1/tasks/nothing/events", "up").status == .notFound)
            for last in ["x", "-1", "1, 2", "9223372036854775808"] {
                #expect(try await response(path, "up", ["Last-Event-ID: \(last)"]).status == .badRequest)
            }
            #expect(try await response(path + "?last_event_id=one", "up").status == .badRequest)
            #expect(try await response(path + "?last_event_id=", "up").status == .ok)
        }
    }

    @Test("are a resync for the id of an event that the store has lost, and end if the task has")
    func lost() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let ended = try await fixture.run()
            var last = try await events(fixture, of: ended.id, after: 1)
            let resync = try #require(try await last.next())
            #expect(resync.name == "resync" && resync.data.task == ended.id)
            #expect(try await last.next() == nil)
            let task = try await fixture.create(#","start":"suspended""#)
            var client = try await events(fixture, of: task.id, after: 1)
            #expect(try await client.next()?.name == "resync")
            _ = try await fixture.task(.post, "/v1/tasks/\(task.id)/resume")
            #expect(
                try await client.names() == ["task.queued", "task.running", "task.attempt", "task.succeeded"])
        }
    }
}
