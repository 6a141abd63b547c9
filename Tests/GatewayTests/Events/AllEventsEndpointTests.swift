import Configuration
import HTTPServer
import HTTPTypes
import Support
import TaskEvents
import TaskStore
import Testing
import Transfer

@testable import Gateway

@Suite("The events of all tasks", .timeLimit(.minutes(1)))
struct AllEventsEndpointTests {
    private func events(
        _ fixture: GatewayFixture, _ query: String = "", after last: Int64? = nil, token: String? = nil
    ) async throws -> EventClient {
        let fields =
            (last.map { ["Last-Event-ID: \($0)"] } ?? []) + (token.map { [AuthConfiguration.Token.field($0)] } ?? [])
        return try EventClient(try await fixture.answer(.get, "/v1/events?\(query)", fields: fields))
    }

    /// The names and tasks of the next events.
    private func next(_ count: Int, of client: inout EventClient) async throws -> [String] {
        var names: [String] = []
        for _ in 0..<count { names.append(try #require(try await client.next()).name) }
        return names
    }

    private func finished(_ fixture: GatewayFixture, _ members: String = "") async throws -> TaskDocument {
        let task = try await fixture.create(members)
        return try await fixture.task(.get, "/v1/tasks/\(task.id)?wait=30s")
    }

    @Test("begin with how many tasks there are, and tell what happens, a deletion too")
    func live() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let old = try await finished(fixture)
            var client = try await events(fixture)
            let first = try #require(try await client.next())
            #expect(first.name == "tasks" && first.id != nil)
            #expect(first.data.counts?["succeeded"] == 1 && first.data.counts?["queued"] == 0)
            let task = try await finished(fixture)
            #expect(try await next(3, of: &client) == ["task.running", "task.attempt", "task.succeeded"])
            _ = try await fixture.answer(.delete, "/v1/tasks/\(old.id)")
            let deleted = try #require(try await client.next())
            #expect(deleted.name == "task.deleted" && deleted.data.task == old.id && deleted.id != nil)
            #expect(deleted.data.state == nil && deleted.data.taskDocument == nil && task.id != old.id)
        }
    }

    @Test("come again from the one that was seen last, without those of tasks that are gone")
    func replay() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let gone = try await finished(fixture)
            let task = try await finished(fixture)
            _ = try await fixture.answer(.delete, "/v1/tasks/\(gone.id)")
            var client = try await events(fixture, after: 0)
            var all: [EventClient.Event] = []
            for _ in 0..<4 { all.append(try #require(try await client.next())) }
            #expect(all.map(\.name) == ["task.running", "task.attempt", "task.succeeded", "task.deleted"])
            #expect(all.map(\.data.task) == [task.id, task.id, task.id, gone.id])
            var second = try await events(fixture, after: all[1].id)
            #expect(try await next(2, of: &second) == ["task.succeeded", "task.deleted"])
            // And then what happens.
            _ = try await fixture.create(#","start":"suspended""#)
            #expect(try await next(1, of: &second) == ["task.suspended"])
            #expect(try await next(1, of: &client) == ["task.suspended"])
        }
    }

    @Test("are those that pass the filters of the list; by state those that tell it")
    func filters() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            _ = try await finished(fixture, #","labels":{"team":"a"}"#)
            let task = try await finished(fixture, #","labels":{"team":"b"}"#)
            var byLabel = try await events(fixture, "label.team=b", after: 0)
            for _ in 0..<3 { #expect(try await byLabel.next()?.data.task == task.id) }
            var byState = try await events(fixture, "state=succeeded&state=failed", after: 0)
            #expect(try await next(2, of: &byState) == ["task.succeeded", "task.succeeded"])
            var counted = try await events(fixture, "state=succeeded&session=up")
            #expect(try await counted.next()?.data.counts == ["succeeded": 2])
            var uncounted = try await events(fixture, "label.team=b")
            #expect(try await uncounted.next()?.data.counts == nil)
            for query in ["page_size=5", "page_token=x", "state=over", "colour=red", "parent=x", "last_event_id=x"] {
                #expect(try await fixture.answer(.get, "/v1/events?\(query)").status == .badRequest, "\(query)")
            }
        }
    }

    @Test("are those of visible sessions alone, live or again, and so is what they begin with")
    func visibility() async throws {
        let fixture = try GatewayFixture { configuration in
            configuration.auth.tokens = [.sample("all"), .sample("up", sessions: ["up"])]
            configuration.sessions.append(try SessionVisibilityTests.session("hidden"))
        }
        try await fixture.open {
            func create(_ session: String) async throws {
                let created = try await fixture.answer(
                    .post, "/v1/tasks", json: #"{"session":"\#(session)","start":"suspended"}"#,
                    fields: [AuthConfiguration.Token.field("all")])
                #expect(created.status == .accepted)
            }
            try await create("hidden")
            try await create("up")
            var live = try await events(fixture, token: "up")
            #expect(try await live.next()?.data.counts?["suspended"] == 1)
            var again = try await events(fixture, after: 0, token: "up")
            var none = try await events(fixture, "session=hidden", token: "up")
            #expect(try await none.next()?.data.counts?["suspended"] == 0)
            try await create("hidden")
            try await create("up")
            for _ in 0..<2 { #expect(try await again.next()?.data.session == "up") }
            #expect(try await live.next()?.data.session == "up")
        }
    }

    @Test("are told of to whoever missed too many as a resync, once, and then go on from the newest")
    func slow() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            var client = try await events(fixture)
            _ = try await client.next()
            let hub = fixture.gateway.watch.hub
            let newest = hub.newest
            for number in 1...Int64(EventWatch.capacity + 10) {
                hub.publish([
                    StoredEvent(
                        id: newest + number, kind: .state(.queued), at: .now(), task: .sample(Int(number)),
                        session: "up", taskKind: .data, revision: 1)
                ])
            }
            let resync = try #require(try await client.next())
            #expect(resync.name == "resync" && resync.id == hub.newest)
            async let next = client.next()
            hub.publish([
                StoredEvent(
                    id: hub.newest + 1, kind: .state(.queued), at: .now(), task: .sample(1), session: "up",
                    taskKind: .data, revision: 2)
            ])
            #expect(try await next?.name == "task.queued")
        }
    }

    @Test("are a resync for who has seen none since some were forgotten, or one that never was")
    func forgotten() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let gone = try await finished(fixture)
            var first = try await events(fixture, after: 0)
            let seen = try #require(try await first.next()?.id)
            _ = try await fixture.answer(.delete, "/v1/tasks/\(gone.id)")
            let kept = try await finished(fixture)
            _ = try await fixture.store.forget(keysExpiredAt: .latest, deletionsBefore: .latest, limit: 100)
            var late = try await events(fixture, after: seen)
            let resync = try #require(try await late.next())
            #expect(resync.name == "resync" && resync.data.task == nil)
            let bounds = try await fixture.store.eventBounds()
            #expect(resync.id == bounds.newest)
            var ahead = try await events(fixture, after: bounds.newest + 1)
            #expect(try await ahead.next()?.name == "resync")
            // Whoever wants all that there is has missed nothing.
            var all = try await events(fixture, after: 0)
            #expect(try await all.next()?.data.task == kept.id)
            var current = try await events(fixture, after: bounds.forgotten)
            #expect(try await current.next()?.name == "task.running")
        }
    }
}
