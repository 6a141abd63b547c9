import ErrandConfiguration
import ErrandHTTPServer
import ErrandLocking
import ErrandSessionCore
import ErrandSupport
import ErrandTaskEvents
import ErrandTaskStore
import ErrandTime
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandGateway
@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("The events of all tasks", .timeLimit(.hang))
struct AllEventsEndpointTests {
    private func events(
        _ fixture: GatewayFixture, _ query: String = "", after last: Int64? = nil, token: String? = nil
    ) async throws -> EventClient {
        let fields =
            (last.map { ["Last-Event-ID: \($0)"] } ?? []) + (token.map { [AuthConfiguration.Token.field($0)] } ?? [])
        return try EventClient(try await fixture.response(.get, "/v1/events?\(query)", fields: fields))
    }

    /// Returns the names and tasks of the next events.
    private func next(_ count: Int, of client: inout EventClient) async throws -> [String] {
        var names: [String] = []
        for _ in 0..<count { names.append(try #require(try await client.next()).name) }
        return names
    }

    /// Returns the next event of a session.
    private func nextOfSession(_ client: inout EventClient) async throws -> EventClient.Event {
        while true {
            let event = try #require(try await client.next())
            if event.name.hasPrefix("session.") { return event }
        }
    }

    @Test("begin with the task counts, and then report changes, including deletions")
    func live() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let old = try await fixture.run()
            var client = try await events(fixture)
            let first = try #require(try await client.next())
            #expect(first.name == "tasks" && first.id != nil)
            #expect(first.data.counts?["succeeded"] == 1 && first.data.counts?["queued"] == 0)
            let task = try await fixture.run()
            #expect(try await next(3, of: &client) == ["task.running", "task.attempt", "task.succeeded"])
            _ = try await fixture.response(.delete, "/v1/tasks/\(old.id)")
            let deleted = try #require(try await client.next())
            #expect(deleted.name == "task.deleted" && deleted.data.task == old.id && deleted.id != nil)
            #expect(deleted.data.state == nil && deleted.data.taskDocument == nil && task.id != old.id)
        }
    }

    @Test("report when the upstream of a session becomes unreachable and reachable")
    func reachability() async throws {
        let isDown = Mutex(true)
        let transport = ScriptedTransport { _ in
            let down = TransferError(.cannotConnect, "Connection refused")
            return isDown.withLock { $0 } ? [.fail(down)] : DispatcherFixture.response
        }
        var session = try DispatcherFixture.configuration()
        session.retry.maxAttempts = 1
        let fixture = try GatewayFixture(session: session, transport: transport)
        try await fixture.open {
            var (client, labelled) = (try await events(fixture), try await events(fixture, "label.team=a"))
            _ = try await next(1, of: &client)
            _ = try await next(1, of: &labelled)
            #expect(try await fixture.run().state == "failed")
            isDown.withLock { $0 = false }
            #expect(try await fixture.run(#","labels":{"team":"a"}"#).state == "succeeded")
            for expected in ["not_reachable", "reachable"] {
                let event = try await nextOfSession(&client)
                #expect(event.name == "session.reachability" && event.data.reachability == expected)
                #expect(event.id == nil && event.data.session == "up")
            }
            #expect(try await next(1, of: &labelled) == ["task.running"])
        }
    }

    @Test("report when the circuit of a session opens and closes")
    func circuit() async throws {
        let isDown = Mutex(true)
        let transport = ScriptedTransport { _ in
            let unavailable: [ScriptedTransport.Step] = [.head(ResponseHead(status: 503)), .bytes([])]
            return isDown.withLock { $0 } ? unavailable : DispatcherFixture.response
        }
        var session = try DispatcherFixture.configuration()
        session.retry.maxAttempts = 1
        session.circuitBreaker = CircuitBreakerConfiguration(failures: 1, open: .milliseconds(1))
        let fixture = try GatewayFixture(session: session, transport: transport)
        try await fixture.open {
            var client = try await events(fixture)
            #expect(try await fixture.run().state == "failed")
            let opened = try await nextOfSession(&client)
            #expect(opened.name == "session.circuit" && opened.data.circuit == "open" && opened.id == nil)
            isDown.withLock { $0 = false }
            #expect(try await fixture.run().state == "succeeded")
            let closed = try await nextOfSession(&client)
            #expect(closed.name == "session.circuit" && closed.data.circuit == "closed")
        }
    }

    @Test("report what operators do to a session, once for each change")
    func operators() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            var client = try await events(fixture)
            _ = try await next(1, of: &client)
            for call in ["suspend", "suspend", "resume", "resume"] {
                #expect(try await fixture.response(.post, "/v1/sessions/up/\(call)").status == .ok)
            }
            for options in [#"{"reset":true}"#, #"{"cancel_pending":true}"#] {
                #expect(try await fixture.response(.post, "/v1/sessions/up/invalidate", json: options).status == .ok)
            }
            var told: [EventClient.Event] = []
            for _ in 0..<4 { told.append(try #require(try await client.next())) }
            #expect(
                told.map(\.name) == [
                    "session.suspended", "session.resumed", "session.invalidated", "session.invalidated",
                ])
            #expect(told.allSatisfy { $0.id == nil && $0.data.session == "up" })
            #expect(told.map(\.data.reset) == [nil, nil, true, false])
            #expect(told.map(\.data.cancelPending) == [nil, nil, false, true])
        }
    }

    @Test("are replayed after the last received event, without those of deleted tasks")
    func replay() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let gone = try await fixture.run()
            let task = try await fixture.run()
            _ = try await fixture.response(.delete, "/v1/tasks/\(gone.id)")
            var client = try await events(fixture, after: 0)
            var all: [EventClient.Event] = []
            for _ in 0..<4 { all.append(try #require(try await client.next())) }
            #expect(all.map(\.name) == ["task.running", "task.attempt", "task.succeeded", "task.deleted"])
            #expect(all.map(\.data.task) == [task.id, task.id, task.id, gone.id])
            var second = try await events(fixture, after: all[1].id)
            #expect(try await next(2, of: &second) == ["task.succeeded", "task.deleted"])
            // Then new events follow.
            _ = try await fixture.create(#","start":"suspended""#)
            #expect(try await next(1, of: &second) == ["task.suspended"])
            #expect(try await next(1, of: &client) == ["task.suspended"])
        }
    }

    @Test("are filtered like the list; the state filter compares the state in the event")
    func filters() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            _ = try await fixture.run(#","labels":{"team":"a"}"#)
            let task = try await fixture.run(#","labels":{"team":"b"}"#)
            var byLabel = try await events(fixture, "label.team=b", after: 0)
            for _ in 0..<3 { #expect(try await byLabel.next()?.data.task == task.id) }
            var byState = try await events(fixture, "state=succeeded&state=failed", after: 0)
            #expect(try await next(2, of: &byState) == ["task.succeeded", "task.succeeded"])
            var counted = try await events(fixture, "state=succeeded&session=up")
            #expect(try await counted.next()?.data.counts == ["succeeded": 2])
            var uncounted = try await events(fixture, "label.team=b")
            #expect(try await uncounted.next()?.data.counts == nil)
            for query in [
                "page_size=5", "page_token=x", "state=over", "colour=red", "parent=x", "last_event_id=x",
                "finished_after=-1h", "finished_before=-1h", "schedule=nightly", "retried=false",
                "error=timed_out", "status=5xx", "method=GET",
            ] {
                #expect(try await fixture.response(.get, "/v1/events?\(query)").status == .badRequest, "\(query)")
            }
        }
    }

    @Test("are limited to visible sessions, live or replayed, and so are the initial counts")
    func visibility() async throws {
        let fixture = try GatewayFixture { configuration in
            configuration.auth.tokens = [.sample("all"), .sample("up", sessions: ["up"])]
            configuration.sessions.append(try SessionConfiguration.sample("hidden"))
        }
        try await fixture.open {
            func create(_ session: String) async throws {
                let created = try await fixture.response(
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

    @Test("are replaced by one resync for a client that missed too many, and then continue with new ones")
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

    @Test("are a resync for an evicted or unknown last event id")
    func forgotten() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let gone = try await fixture.run()
            var first = try await events(fixture, after: 0)
            let seen = try #require(try await first.next()?.id)
            _ = try await fixture.response(.delete, "/v1/tasks/\(gone.id)")
            let kept = try await fixture.run()
            _ = try await fixture.store.forget(keysExpiredAt: .latest, deletionsBefore: .latest, limit: 100)
            var late = try await events(fixture, after: seen)
            let resync = try #require(try await late.next())
            #expect(resync.name == "resync" && resync.data.task == nil)
            let bounds = try await fixture.store.eventBounds()
            #expect(resync.id == bounds.newest)
            var ahead = try await events(fixture, after: bounds.newest + 1)
            #expect(try await ahead.next()?.name == "resync")
            // A client that requests all events from the beginning has missed none.
            var all = try await events(fixture, after: 0)
            #expect(try await all.next()?.data.task == kept.id)
            var current = try await events(fixture, after: bounds.forgotten)
            #expect(try await current.next()?.name == "task.running")
        }
    }

    @Test("are replaced by a resync when a deletion is forgotten that a replay has not reached")
    func forgottenMeanwhile() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let gone = try await fixture.run()
            let others = (1...600).map { NewTask(.sample($0, state: .suspended)) }
            for result in await fixture.store.insert(others) { _ = try result.get() }
            var client = try await events(fixture, after: 0)
            #expect(try await client.next()?.data.task == gone.id)
            _ = try await fixture.response(.delete, "/v1/tasks/\(gone.id)")
            _ = try await fixture.store.forget(keysExpiredAt: .latest, deletionsBefore: .latest, limit: 100)
            let last = try await fixture.create(#","start":"suspended""#)
            var event = try #require(try await client.next())
            while event.name != "resync", event.data.task != last.id {
                event = try #require(try await client.next())
            }
            #expect(event.name == "resync" && event.data.task == nil)
            let bounds = try await fixture.store.eventBounds()
            #expect(event.id == bounds.newest)
            // Then new events follow.
            let new = try await fixture.create(#","start":"suspended""#)
            #expect(try await client.next()?.data.task == new.id)
        }
    }

    @Test("are replaced by the position when a replay finds no match for ten seconds, and a reconnection goes on there")
    func quietReplay() async throws {
        let clock = ManualClock()
        let fixture = try GatewayFixture(clock: clock)
        try await fixture.open {
            let others = (1...600).map { NewTask(.sample($0, state: .suspended)) }
            for result in await fixture.store.insert(others) { _ = try result.get() }
            let task = try await fixture.create(#","start":"suspended","labels":{"team":"b"}"#)
            let ids = try await fixture.store.events(after: 0, task: nil, limit: 1000).map(\.id)
            try #require(ids.count == 601)
            // Each page takes ten seconds.
            fixture.store.intervene { operation in
                if case .events = operation { clock.advance(by: .seconds(10)) }
            }
            var client = try await events(fixture, "label.team=b", after: 0)
            #expect(try await client.piece() == "retry: 2000\n:\n")
            #expect(try await client.piece() == "id: \(ids[255])\n\n:\n")
            #expect(try await client.piece() == "id: \(ids[511])\n\n:\n")
            #expect(try await client.next()?.data.task == task.id)
            var again = try await events(fixture, "label.team=b", after: ids[511])
            #expect(try await again.next()?.id == ids[600])
        }
    }

    @Test("are a resync for the id of an event that the store has lost, also after new events")
    func lost() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            _ = try await fixture.run()
            // The ids of a new store follow the time: a client with a low one knows an earlier store.
            var client = try await events(fixture, after: 1)
            let resync = try #require(try await client.next())
            #expect(resync.name == "resync" && resync.id == fixture.gateway.watch.hub.newest)
            _ = try await fixture.create(#","start":"suspended""#)
            #expect(try await next(1, of: &client) == ["task.suspended"])
        }
    }
}
