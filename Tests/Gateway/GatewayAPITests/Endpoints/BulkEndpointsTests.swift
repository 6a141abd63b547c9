import ErrandConfiguration
import ErrandHTTPServer
import ErrandLocking
import ErrandSessionCore
import ErrandSupport
import ErrandTaskStore
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("BulkEndpoints", .timeLimit(.hang))
struct BulkEndpointsTests {
    private struct Counts: Decodable, Equatable {
        var matched: Int
        var changed: Int
    }

    private func call(
        _ fixture: GatewayFixture, _ action: String, _ filter: String, token: String? = nil
    ) async throws -> Counts {
        let response = try await fixture.response(
            .post, "/v1/tasks:\(action)", json: filter, fields: token.map { [AuthConfiguration.Token.field($0)] } ?? [])
        return try response.document(Counts.self)
    }

    private func create(_ fixture: GatewayFixture, count: Int, _ members: String = "") async throws -> [TaskDocument] {
        var tasks: [TaskDocument] = []
        for _ in 0..<count { tasks.append(try await fixture.create(#","start":"suspended""# + members)) }
        return tasks
    }

    @Test("All tasks matching a filter are changed once, and no others")
    func cancel() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            _ = try await create(fixture, count: 3, #","labels":{"team":"a"}"#)
            let other = try await create(fixture, count: 1, #","labels":{"team":"b"}"#)
            let filter = #"{"labels":{"team":"a"}}"#
            #expect(try await call(fixture, "cancel", filter) == Counts(matched: 3, changed: 3))
            #expect(try await call(fixture, "cancel", filter) == Counts(matched: 3, changed: 0))
            #expect(try await fixture.task(.get, "/v1/tasks/\(other[0].id)").state == "suspended")
            #expect(try await fixture.store.counts()[.canceled] == 3)
        }
    }

    @Test("run-now starts tasks that wait for their start time or next attempt, and no others")
    func runNow() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let labels = #","labels":{"team":"a"}"#
            var later: [TaskDocument] = []
            for _ in 0..<3 { later.append(try await fixture.create(#","delay":"10h""# + labels)) }
            _ = try await create(fixture, count: 1, labels)
            #expect(try await call(fixture, "run-now", #"{"labels":{"team":"a"}}"#) == Counts(matched: 4, changed: 3))
            for task in later {
                #expect(try await fixture.task(.get, "/v1/tasks/\(task.id)?wait=1d").state == "succeeded")
            }
        }
    }

    @Test("Each task is retried once unless requested again, and the original names its retry")
    func retryOnce() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await fixture.create(#","method":"POST","labels":{"team":"a"}"#)
            _ = try await fixture.task(.get, "/v1/tasks/\(task.id)?wait=1d")
            let filter = #"{"ids":["\#(task.id)"]}"#
            #expect(try await call(fixture, "retry", filter) == Counts(matched: 1, changed: 1))
            for _ in 0..<2 { #expect(try await call(fixture, "retry", filter) == Counts(matched: 1, changed: 0)) }
            let original = try await fixture.response(.get, "/v1/tasks/\(task.id)").text
            let retries = try await fixture.store.tasks(TaskQuery()).tasks.filter { $0.retryOf?.description == task.id }
            #expect(retries.count == 1)
            #expect(original.contains(#""retried_by":"\#(retries[0].id)""#))
            let again = #"{"ids":["\#(task.id)"],"again":true}"#
            #expect(try await call(fixture, "retry", again) == Counts(matched: 1, changed: 1))
            let refused = try await fixture.response(.post, "/v1/tasks:cancel", json: again)
            #expect(refused.status == .unprocessableContent)
        }
    }

    @Test("Tasks of one ordering key are retried in the order of their creation, or of the given identifiers")
    func retryInOrder() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            var ids: [String] = []
            for number in 0..<12 {
                ids.append(try await fixture.run(#","path":"a\#(number)","ordering_key":"a","labels":{"team":"a"}"#).id)
                _ = try await fixture.run(#","path":"b\#(number)","labels":{"team":"a"}"#)
            }
            func sent() -> [String] {
                fixture.transport.requests.suffix(24).map(\.url.path).filter { $0.hasPrefix("/a") }
            }
            _ = try await call(fixture, "retry", #"{"labels":{"team":"a"}}"#)
            try await until { fixture.transport.requests.count == 48 }
            #expect(sent() == (0..<12).map { "/a\($0)" })
            let listed = ids.reversed().map { #""\#($0)""# }.joined(separator: ",")
            _ = try await call(fixture, "retry", #"{"ids":[\#(listed)],"again":true}"#)
            try await until { fixture.transport.requests.count == 60 }
            #expect(fixture.transport.requests.suffix(12).map(\.url.path) == (0..<12).reversed().map { "/a\($0)" })
        }
    }

    @Test(
        "A retry that finds a full queue says so, goes on with other sessions, and can be repeated with its key",
        arguments: ["", #","ordering_key":"k""#])
    func fullQueue(members: String) async throws {
        let fixture = try GatewayFixture { configuration in
            configuration.sessions[0].limits.maxQueued = 2
            configuration.sessions.append(try SessionConfiguration.sample("other"))
        }
        try await fixture.open {
            var ids: [String] = []
            for _ in 0..<5 { ids.append(try await fixture.run(members).id) }
            let other = try await fixture.response(.post, "/v1/tasks?wait=1d", json: #"{"session":"other"}"#)
            ids.append(try other.document(TaskDocument.self).id)
            let listed = ids.map { #""\#($0)""# }.joined(separator: ",")
            /// Retries while the session starts nothing, and returns the number of new tasks.
            func retry() async throws -> Int {
                _ = try await fixture.response(.post, "/v1/sessions/up/suspend")
                let refused = try await fixture.response(
                    .post, "/v1/tasks:retry", json: #"{"ids":[\#(listed)]}"#, fields: ["Idempotency-Key: again"])
                let problem = try refused.document(ProblemDocument.self, status: .tooManyRequests)
                #expect(problem.type == "/problems/queue-full")
                #expect(problem.detail?.hasSuffix("repeat the call for the tasks that are not changed") == true)
                #expect(refused.headers[.retryAfter] != nil)
                #expect(refused.headers[.idempotentReplayed] == nil)
                let counts = try refused.document(Counts.self, status: .tooManyRequests)
                #expect(counts.matched == 6)
                _ = try await fixture.response(.post, "/v1/sessions/up/resume")
                return counts.changed
            }
            func total() async throws -> Int {
                let tasks = try await fixture.store.tasks(TaskQuery()).tasks
                return tasks.allSatisfy { $0.state == .succeeded } ? tasks.count : 0
            }
            // Tasks that arrive at the same time may be counted twice, so that a queue is full a little early.
            let first = try await retry()
            #expect((2...3).contains(first))
            try await until { try await total() == 6 + first }
            let second = try await retry()
            #expect((1...2).contains(second))
            try await until { try await total() == 6 + first + second }
        }
    }

    @Test("A task that takes too long to cancel is not deleted, and does not keep the call from the others")
    func deleteBesideSlow() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let slow = try await create(fixture, count: 100)[50]
            fixture.store.intervene { operation throws(TaskStoreError) in
                guard case .delete(let id) = operation, id.description == slow.id else { return }
                throw TaskStoreError(.stillCanceling, "slow")
            }
            #expect(try await call(fixture, "delete", #"{"session":"up"}"#) == Counts(matched: 100, changed: 99))
        }
    }

    @Test("run-now starts the tasks of one ordering key in the order of their creation")
    func runInOrder() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            for number in 0..<12 {
                _ = try await fixture.create(#","path":"\#(number)","delay":"1h","ordering_key":"a""#)
            }
            #expect(try await call(fixture, "run-now", #"{"session":"up"}"#) == Counts(matched: 12, changed: 12))
            try await until { fixture.transport.requests.count == 12 }
            #expect(fixture.transport.requests.map(\.url.path) == (0..<12).map { "/\($0)" })
        }
    }

    @Test("Concurrent retries of a task create one")
    func retryAtOnce() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await fixture.create()
            _ = try await fixture.task(.get, "/v1/tasks/\(task.id)?wait=1d")
            let filter = #"{"ids":["\#(task.id)"]}"#
            let changed = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 { group.addTask { try await call(fixture, "retry", filter).changed } }
                return try await group.reduce(0, +)
            }
            #expect(changed == 1)
        }
    }

    @Test("A repeated request with the same key gets the first response; a different request is refused")
    func key() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await fixture.create()
            _ = try await fixture.task(.get, "/v1/tasks/\(task.id)?wait=1d")
            let filter = #"{"ids":["\#(task.id)"],"again":true}"#
            let key = [#"Idempotency-Key: "k1""#]
            let first = try await fixture.response(.post, "/v1/tasks:retry", json: filter, fields: key)
            #expect(try first.document(Counts.self) == Counts(matched: 1, changed: 1))
            let second = try await fixture.response(.post, "/v1/tasks:retry", json: filter, fields: key)
            #expect(second.text == first.text)
            #expect(second.headers[.idempotentReplayed] == "true")
            let other = try await fixture.response(
                .post, "/v1/tasks:retry", json: #"{"state":"failed"}"#, fields: key)
            #expect(other.status == .unprocessableContent)
            #expect(try await fixture.store.tasks(TaskQuery()).tasks.count == 2)
        }
    }

    @Test("A dry run counts the tasks that match and changes none")
    func dryRun() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let tasks = try await create(fixture, count: 3)
            let ids = tasks.map { #""\#($0.id)""# }.joined(separator: ",")
            for filter in [#""state":"suspended""#, #""ids":[\#(ids),"\#(TaskID.sample(1))"]"#] {
                let response = try await fixture.response(
                    .post, "/v1/tasks:delete", json: #"{"dry_run":true,\#(filter)}"#)
                #expect(response.text == #"{"matched":3,"changed":0,"would_change":3,"dry_run":true}"#)
            }
            #expect(try await call(fixture, "delete", #"{"state":"suspended"}"#) == Counts(matched: 3, changed: 3))
        }
    }

    @Test(
        "A dry run tells how many tasks the request would change",
        arguments: ["cancel", "suspend", "resume", "run-now", "retry", "retry again", "delete"])
    func prediction(action: String) async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let label = #","labels":{"team":"a"}"#
            let suspended = try await create(fixture, count: 2, label)
            _ = try await fixture.response(.post, "/v1/tasks/\(suspended[0].id)/cancel")
            _ = try await fixture.create(#","delay":"1d""# + label)
            for _ in 0..<2 {
                let done = try await fixture.create(label)
                _ = try await fixture.task(.get, "/v1/tasks/\(done.id)?wait=1d")
            }
            let done = try await fixture.store.tasks(TaskQuery()).tasks.filter { $0.state == .succeeded }
            let retry = try await fixture.response(
                .post, "/v1/tasks/\(try #require(done.first).id)/retry", json: #"{"labels":{"team":"b"},"delay":"1d"}"#)
            #expect(retry.status == .accepted)
            let again = action == "retry again" ? #","again":true"# : ""
            let name = action == "retry again" ? "retry" : action
            let ids = try await fixture.store.tasks(TaskQuery()).tasks
                .filter { $0.labels["team"] == "a" }.map { #""\#($0.id)""# }.joined(separator: ",")
            var predictions: [Int] = []
            for filter in [#""labels":{"team":"a"}"#, #""ids":[\#(ids)]"#] {
                let response = try await fixture.response(
                    .post, "/v1/tasks:\(name)", json: #"{"dry_run":true,\#(filter)\#(again)}"#)
                let prediction = try response.document(Prediction.self)
                #expect(prediction.matched == 5)
                #expect(prediction.changed == 0)
                predictions.append(prediction.wouldChange)
            }
            let real = try await call(fixture, name, #"{"labels":{"team":"a"}\#(again)}"#)
            #expect(real.matched == 5)
            #expect(predictions == [real.changed, real.changed])
            #expect(real.changed > 0)
        }
    }

    private struct Prediction: Decodable {
        var matched: Int
        var changed: Int
        var wouldChange: Int
    }

    @Test("A limit selects the newest tasks of a filter and the first identifiers, within a page and beyond")
    func limit() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let tasks = try await create(fixture, count: 5)
            let canceled = try await call(fixture, "cancel", #"{"state":"suspended","limit":2}"#)
            #expect(canceled == Counts(matched: 2, changed: 2))
            for (index, task) in tasks.enumerated() {
                let state = try await fixture.task(.get, "/v1/tasks/\(task.id)").state
                #expect(state == (index < 3 ? "suspended" : "canceled"))
            }
            let ids = #"{"ids":["\#(tasks[1].id)","\#(tasks[0].id)"],"limit":1}"#
            #expect(try await call(fixture, "cancel", ids) == Counts(matched: 1, changed: 1))
            #expect(try await fixture.task(.get, "/v1/tasks/\(tasks[1].id)").state == "canceled")
            let more = #"{"state":"suspended","limit":1001,"dry_run":true}"#
            #expect(try await call(fixture, "cancel", more) == Counts(matched: 2, changed: 0))
            for limit in ["0", "-1", "1.5", #""1""#, "1e30"] {
                let response = try await fixture.response(
                    .post, "/v1/tasks:cancel", json: #"{"state":"suspended","limit":\#(limit)}"#)
                #expect(response.status == .unprocessableContent, "\(limit)")
            }
        }
    }

    @Test("A request with a relative time is the same one when it is repeated with its key")
    func keyWithRelativeTime() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await fixture.create()
            _ = try await fixture.task(.get, "/v1/tasks/\(task.id)?wait=1d")
            let filter = #"{"finished_after":"-1h","retried":false}"#
            let key = [#"Idempotency-Key: "k1""#]
            let first = try await fixture.response(.post, "/v1/tasks:retry", json: filter, fields: key)
            #expect(try first.document(Counts.self) == Counts(matched: 1, changed: 1))
            let second = try await fixture.response(.post, "/v1/tasks:retry", json: filter, fields: key)
            #expect(second.text == first.text)
            let other = try await fixture.response(
                .post, "/v1/tasks:retry", json: #"{"finished_after":"-2h","retried":false}"#, fields: key)
            #expect(other.status == .unprocessableContent)
        }
    }

    @Test("A retry repeated with its key after a restart creates no second task")
    func keyAfterRestart() async throws {
        let before = try GatewayFixture()
        let key = [#"Idempotency-Key: "k1""#]
        var filter = ""
        try await before.open {
            let task = try await before.create()
            _ = try await before.task(.get, "/v1/tasks/\(task.id)?wait=1d")
            filter = #"{"ids":["\#(task.id)"],"again":true}"#
            _ = try await before.response(.post, "/v1/tasks:retry", json: filter, fields: key)
        }
        let fixture = try GatewayFixture(folder: before.folder)
        try await fixture.open {
            let response = try await fixture.response(.post, "/v1/tasks:retry", json: filter, fields: key)
            #expect(response.status == .ok)
            #expect(try await fixture.store.tasks(TaskQuery()).tasks.count == 2)
        }
    }

    @Test("More tasks than fit on a page are all reached")
    func pages() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let item = #"{"session":"up","start":"suspended"}"#
            for _ in 0..<3 {
                let batch = Array(repeating: item, count: 500).joined(separator: ",")
                let response = try await fixture.response(.post, "/v1/tasks:batch", json: #"{"tasks":[\#(batch)]}"#)
                #expect(response.status == .ok)
            }
            let canceled = try await call(fixture, "cancel", #"{"state":"suspended"}"#)
            #expect(canceled == Counts(matched: 1500, changed: 1500))
            let deleted = try await call(fixture, "delete", #"{"session":"up"}"#)
            #expect(deleted == Counts(matched: 1500, changed: 1500))
            #expect(try await fixture.store.counts().total == 0)
        }
    }

    @Test("Tasks are suspended, resumed and deleted, also by identifiers")
    func actions() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let tasks = try await create(fixture, count: 2, #","delay":"1d""#)
            let ids = #"{"ids":["\#(tasks[0].id)","\#(tasks[1].id)","\#(TaskID.sample(1))"]}"#
            #expect(try await call(fixture, "suspend", ids) == Counts(matched: 2, changed: 0))
            #expect(try await call(fixture, "resume", ids) == Counts(matched: 2, changed: 2))
            #expect(try await fixture.task(.get, "/v1/tasks/\(tasks[0].id)").state == "scheduled")
            #expect(try await call(fixture, "suspend", #"{"state":["scheduled"]}"#) == Counts(matched: 2, changed: 2))
            #expect(try await call(fixture, "delete", ids) == Counts(matched: 2, changed: 2))
        }
    }

    @Test("Finished tasks are retried once each, without the tasks created by this")
    func retry() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let tasks = try await create(fixture, count: 2)
            _ = try await create(fixture, count: 1)
            for task in tasks { _ = try await fixture.response(.post, "/v1/tasks/\(task.id)/cancel") }
            #expect(try await call(fixture, "retry", #"{"session":"up"}"#) == Counts(matched: 3, changed: 2))
            #expect(try await fixture.store.counts().total == 5)
        }
    }

    @Test("A token reaches only the tasks of its sessions, whatever ids it sends")
    func visibility() async throws {
        let fixture = try GatewayFixture { configuration in
            configuration.auth.tokens = [
                .sample("limited", [.tasksWrite], sessions: ["other"]), .sample("all", [.tasksWrite, .tasksRead]),
            ]
            configuration.sessions.append(try SessionConfiguration.sample("other"))
        }
        try await fixture.open {
            let created = try await fixture.response(
                .post, "/v1/tasks", json: #"{"session":"up","start":"suspended"}"#,
                fields: [AuthConfiguration.Token.field("all")])
            let id = try #require(created.headers[.location]?.split(separator: "/").last)
            for filter in [#"{"session":"up"}"#, #"{"state":"suspended"}"#, #"{"ids":["\#(id)"]}"#] {
                #expect(try await call(fixture, "cancel", filter, token: "limited") == Counts(matched: 0, changed: 0))
            }
            #expect(
                try await call(fixture, "cancel", #"{"session":"up"}"#, token: "all") == Counts(matched: 1, changed: 1))
        }
    }

    @Test("Every action without a filter is refused")
    func noFilter() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            for action in ["cancel", "suspend", "resume", "retry", "delete"] {
                for json in [nil, "{}"] {
                    let problem = try await fixture.document(
                        ProblemDocument.self, .post, "/v1/tasks:\(action)", json: json, status: .unprocessableContent)
                    #expect(problem.type == "/problems/invalid-options")
                }
            }
        }
    }

    @Test("A task that no longer matches the filter when its turn comes stays as it is")
    func leavesFilter() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            // The tasks are deleted newest first, and one more than that at the same time.
            let oldest = try await create(fixture, count: 1)[0].id
            _ = try await create(fixture, count: BulkWork.width)
            let (allHeld, goOn) = (Signal<Void>(), Signal<Void>())
            let held = Mutex(0)
            fixture.store.intervene { operation async throws(TaskStoreError) in
                guard case .update(let record) = operation, record.id.description != oldest else { return }
                let count = held.withLock { held in
                    held += 1
                    return held
                }
                if count == BulkWork.width { allHeld.send() }
                await goOn.wait()
            }
            async let counts = call(fixture, "delete", #"{"state":"suspended"}"#)
            await allHeld.wait()
            #expect(try await fixture.response(.post, "/v1/tasks/\(oldest)/resume").status == .ok)
            goOn.send()
            #expect(try await counts == Counts(matched: BulkWork.width + 1, changed: BulkWork.width))
            #expect(try await fixture.task(.get, "/v1/tasks/\(oldest)?wait=1d").state == "succeeded")
        }
    }

    @Test("The reads of a call wait for their turn while too many lists are read: a part of its work may be done")
    func busyStore() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            _ = try await create(fixture, count: 3)
            let readers = EventLog<StoreReader>()
            fixture.store.intervene { operation async throws(TaskStoreError) in
                switch operation {
                case .identifiers(let reader), .tasks(let reader): readers.append(reader)
                default: break
                }
            }
            let selection = #""state":"suspended""#
            #expect(
                try await call(fixture, "delete", "{\(selection),\"dry_run\":true}") == Counts(matched: 3, changed: 0))
            #expect(try await call(fixture, "delete", "{\(selection)}") == Counts(matched: 3, changed: 3))
            #expect(readers.events.count >= 2)
            #expect(readers.events.allSatisfy { $0 == .begunRequests })
        }
    }

    @Test("A store failure midway is reported, with the counts so far")
    func storeFails() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            _ = try await create(fixture, count: 3)
            let updates = Mutex(0)
            fixture.store.intervene { operation async throws(TaskStoreError) in
                guard case .update = operation else { return }
                let number = updates.withLock { updates in
                    updates += 1
                    return updates
                }
                if number > 1 { throw TaskStoreError(.diskFull, "Full") }
            }
            let response = try await fixture.response(.post, "/v1/tasks:cancel", json: #"{"session":"up"}"#)
            #expect(response.status == .serviceUnavailable)
            #expect(response.text.contains(#""changed":1"#))
            fixture.store.intervene(nil)
        }
    }
}
