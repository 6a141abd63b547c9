import ErrandConfiguration
import ErrandHTTPServer
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

@Suite("BatchEndpoint", .timeLimit(.hang))
struct BatchEndpointTests {
    private struct Batch: Decodable { var results: [Result] }

    private struct Result: Decodable {
        var status: Int
        var idempotentReplayed: Bool?
        var task: TaskDocument?
        var problem: ProblemDocument?
    }

    private func send(_ fixture: GatewayFixture, _ tasks: String, fields: [String] = []) async throws -> [Result] {
        let response = try await fixture.response(
            .post, "/v1/tasks:batch", json: #"{"tasks":[\#(tasks)]}"#, fields: fields)
        return try response.document(Batch.self).results
    }

    @Test("Each item succeeds or fails on its own, with results in order")
    func items() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let results = try await send(
                fixture,
                #"""
                {"session":"up","start":"suspended","labels":{"n":"0"}},{"session":"none"},7,
                {"session":"up","start":"suspended","priority":10},{"session":"up","start":"suspended","labels":{"n":"4"}}
                """#)
            #expect(results.map(\.status) == [202, 422, 422, 422, 202])
            #expect(results[1].problem?.errors?.map(\.pointer) == ["/session"])
            #expect(results[2].problem?.errors?.map(\.pointer) == [""])
            #expect(results[3].problem?.errors?.map(\.pointer) == ["/priority"])
            #expect(results[0].task?.state == "suspended")
            let ids = results.compactMap(\.task?.id)
            #expect(ids == ids.sorted(), "created in their order")
            #expect(try await fixture.store.counts().total == 2)
        }
    }

    @Test("Items have the transfer rate limits that they name")
    func transferRates() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let limits = ["4096", "null", "1"].map {
                #"{"session":"up","start":"suspended","bytes_per_second":\#($0)}"#
            }
            let response = try await fixture.response(
                .post, "/v1/tasks:batch", json: #"{"tasks":[\#(limits.joined(separator: ","))]}"#)
            #expect(response.text.contains(#""bytes_per_second":4096,"#))
            #expect(response.text.contains(#""bytes_per_second":null,"#))
            let results = try response.document(Batch.self).results
            #expect(results.map(\.status) == [202, 202, 422])
            #expect(results[2].problem?.errors?.map(\.pointer) == ["/bytes_per_second"])
        }
    }

    @Test("A large response has a short form with the status and the id of each task")
    func shortForm() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let item = #"{"session":"up","start":"suspended","labels":{"n":"\#(String(repeating: "n", count: 200))"}}"#
            let items = Array(repeating: item, count: 60) + [#"{"session":"none"}"#]
            let response = try await fixture.response(
                .post, "/v1/tasks:batch", json: #"{"tasks":[\#(items.joined(separator: ","))]}"#)
            guard case .shortenable(let full, let short) = response.body else {
                Issue.record("not shortenable: \(response.body)")
                return
            }
            let results = try response.document(Batch.self).results
            var shortened = response
            shortened.body = .bytes(short)
            let brief = try shortened.document([String: [ShortResult]].self)["results"]
            #expect(brief?.map(\.status) == results.map(\.status))
            #expect(brief?.map(\.task?.id) == results.map(\.task?.id))
            #expect(full.count > 65536)
            #expect(short.count < items.count * 80)
        }
    }

    private struct ShortResult: Decodable {
        struct Task: Decodable { var id: String }
        var status: Int
        var task: Task?
    }

    @Test("A decoded item keeps no request, whose content can be many times as large as the item")
    func decodedItem() async throws {
        let fixture = try DispatcherFixture()
        let services = TaskServices(
            context: fixture.context, dispatcher: fixture.dispatcher, keysInUse: IdempotencyKeysInUse(),
            bulkRequests: BulkRequests(), keyLifetime: .seconds(3600), maxDepth: 64)
        let tasks = services.service(for: .anonymous)
        let endpoint = BatchEndpoint(services: services, limits: RequestLimits())
        let item = #"{"session":"up","method":"POST","parameters":{"a":1}}"#
        let decoded = await endpoint.decode(Array(item.utf8), tasks.decoder, for: tasks, maxFaults: 1)
        let task = try decoded.get()
        #expect(task.session == "up")
        #expect(task.prepared == nil)
        await fixture.store.close()
    }

    @Test("An item that starts at once sends the content of its document")
    func content() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let results = try await send(
                fixture, #"{"session":"up","method":"POST","parameters":{"a b":[1,"é"]}}"#)
            #expect(results.map(\.status) == [202])
            let request = try #require(await fixture.transport.requests(1).first)
            guard case .bytes(let content) = request.body else {
                Issue.record("not in memory: \(request.body)")
                return
            }
            #expect(String(decoding: content, as: UTF8.self) == "a%20b%5B%5D=1&a%20b%5B%5D=%C3%A9")
        }
    }

    @Test("An item whose encoded parameters would be too large is refused at their place, and the others are accepted")
    func largeParameters() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            // 2 kB of spaces for each of 200 zeros, with three bytes for each space.
            let name = String(repeating: " ", count: 2000)
            let zeros = Array(repeating: "0", count: 200).joined(separator: ",")
            let results = try await send(
                fixture,
                #"{"session":"up","method":"POST","parameters":{"\#(name)":[\#(zeros)]}},"#
                    + #"{"session":"up","start":"suspended"}"#)
            #expect(results.map(\.status) == [422, 202])
            // The pointer is shortened, as its key is long.
            let error = results[0].problem?.errors?.first
            #expect(error?.pointer.hasPrefix("/parameters/  ") == true)
            #expect(error?.detail.contains("may have at most 1048576 bytes") == true)
        }
    }

    @Test("Items have idempotency keys, shared with single tasks")
    func keys() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let item = #"{"session":"up","start":"suspended","idempotency_key":"a"}"#
            let first = try await send(fixture, item)
            #expect(first.map(\.status) == [202])
            let results = try await send(
                fixture, item + #",{"session":"up","start":"suspended","idempotency_key":"a","priority":1},"# + item)
            #expect(results.map(\.status) == [200, 422, 200])
            #expect(results[0].idempotentReplayed == true)
            #expect(results[0].task?.id == first[0].task?.id)
            #expect(results[1].problem?.type == "/problems/idempotency-key-reused")
            let single = try await fixture.response(
                .post, "/v1/tasks", json: #"{"start":"suspended","session":"up"}"#, fields: ["Idempotency-Key: a"])
            #expect(single.status == .ok)
            #expect(try await fixture.store.counts().total == 1)
        }
    }

    @Test("A new key used twice in a batch creates one task")
    func keyTwice() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let item = #"{"session":"up","start":"suspended","idempotency_key":"a"}"#
            let results = try await send(fixture, "\(item),\(item)")
            #expect(results.map(\.status) == [202, 200])
            #expect(results[0].task?.id == results[1].task?.id)
        }
    }

    @Test("An item for a session without access is forbidden, the others are accepted")
    func foreign() async throws {
        let fixture = try GatewayFixture { configuration in
            configuration.auth.tokens = [.sample("limited", [.tasksWrite], sessions: ["up"])]
            configuration.sessions.append(try SessionConfiguration.sample("other"))
        }
        try await fixture.open {
            let results = try await send(
                fixture, #"{"session":"other"},{"session":"up","start":"suspended"}"#,
                fields: [AuthConfiguration.Token.field("limited")])
            #expect(results.map(\.status) == [403, 202])
        }
    }

    @Test("An item that can be sent again says after which time, as Retry-After of a single create does")
    func retryAfter() async throws {
        let fixture = try GatewayFixture { configuration in
            configuration.sessions[0].limits.maxQueued = 1
            configuration.sessions[0].limits.rate = StartRate(1, per: .seconds(60))
            configuration.sessions.append(try SessionConfiguration.sample("closed"))
        }
        try await fixture.open {
            for call in ["up/suspend", "closed/invalidate"] {
                #expect(try await fixture.response(.post, "/v1/sessions/\(call)").status == .ok)
            }
            let items = #"{"session":"up"},{"session":"up"},{"session":"closed"},{"session":"up","priority":10}"#
            let results = try await send(fixture, items)
            #expect(results.map(\.status) == [202, 429, 409, 422])
            let single = try await fixture.response(.post, "/v1/tasks", json: #"{"session":"up"}"#)
            #expect(single.status == .tooManyRequests)
            #expect(single.headers[.retryAfter] == "60")
            #expect(results[1].problem?.type == "/problems/queue-full")
            #expect(results[2].problem?.type == "/problems/session-closed")
            #expect(results.map(\.problem?.retryAfter) == [nil, 60, nil, nil])
        }
    }

    @Test("An item whose key is in use is a 409 that says when to send it again")
    func keyInUse() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let keyed = #"{"session":"up","start":"suspended","idempotency_key":"k"}"#
            let refusals = EventLog<String>()
            fixture.store.intervene { operation async throws(TaskStoreError) in
                guard case .insert = operation else { return }
                do {
                    for item in try await send(fixture, keyed) {
                        refusals.append("\(item.status) \(item.problem?.type ?? "") \(item.problem?.retryAfter ?? 0)")
                    }
                } catch {
                    throw TaskStoreError(.unexpected, "\(error)")
                }
            }
            let first = try await fixture.response(
                .post, "/v1/tasks", json: #"{"session":"up","start":"suspended"}"#, fields: ["Idempotency-Key: k"])
            fixture.store.intervene(nil)
            #expect(first.status == .accepted)
            #expect(refusals.events == ["409 /problems/idempotency-key-in-use 1"])
        }
    }

    @Test("Each item counts against the token's rate, even beyond the remaining budget")
    func rate() async throws {
        let fixture = try GatewayFixture { configuration in
            configuration.auth.tokens = [.sample("limited", [.tasksWrite], rate: "10/h")]
        }
        try await fixture.open {
            let field = AuthConfiguration.Token.field("limited")
            let items = Array(repeating: #"{"session":"up","start":"suspended"}"#, count: 12).joined(separator: ",")
            #expect(try await send(fixture, items, fields: [field]).map(\.status) == Array(repeating: 202, count: 12))
            let response = try await fixture.response(
                .post, "/v1/tasks", json: #"{"session":"up"}"#, fields: [field])
            #expect(response.status == .tooManyRequests)
            // The three overdrawn tokens have to be refilled first: more than the 720 s of two.
            #expect((721...1080).contains(response.headers[.retryAfter].flatMap { Int($0) } ?? 0))
        }
    }

    /// Returns an item of about `bytes` bytes full of faults, with long names that need escaping.
    private static func nonsense(bytes: Int) -> String {
        let members = (0..<110).map { "\"\($0)\(String(repeating: "~", count: bytes / 110))\":1" }
        return "{\(members.joined(separator: ","))}"
    }

    @Test("An invalid batch gets a response of bounded size, and each item still reports a fault")
    func boundedResponse() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let items = Array(repeating: Self.nonsense(bytes: 20_000), count: 100)
            let response = try await fixture.response(
                .post, "/v1/tasks:batch", json: #"{"tasks":[\#(items.joined(separator: ","))]}"#)
            #expect(response.text.utf8.count < 1 << 20)
            let results = try response.document(Batch.self).results
            #expect(results.map(\.status) == Array(repeating: 422, count: 100))
            #expect(results.allSatisfy { $0.problem?.errors?.isEmpty == false })
            #expect(results[0].problem?.errors?.count == 100)
            #expect(results[99].problem?.errors?.count == 1)
        }
    }

    @Test("Batches that take long to validate block no other requests")
    func others() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let items = Array(repeating: Self.nonsense(bytes: 5_000), count: 10).joined(separator: ",")
            let ended = EventLog<Void>()
            // The thread that validates batches is held: no batch ends, nor would a request that needs the thread.
            let (held, gate) = (Signal<Void>(), Gate())
            defer { gate.open() }
            let holding = Task(executorPreference: BatchExecutor.shared) {
                held.send()
                gate.wait()
            }
            await held.wait()
            let batches = Task {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    // More than there are threads in the cooperative pool.
                    for _ in 0..<16 {
                        group.addTask {
                            _ = try await fixture.response(
                                .post, "/v1/tasks:batch", json: #"{"tasks":[\#(items)]}"#)
                            ended.append()
                        }
                    }
                    try await group.waitForAll()
                }
            }
            for _ in 0..<20 { _ = try await fixture.create(#","start":"suspended""#) }
            #expect(ended.events.isEmpty)
            gate.open()
            await holding.value
            try await batches.value
            #expect(ended.events.count == 16)
        }
    }

    @Test("A batch whose client disconnects before validation creates nothing")
    func leaving() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let items = Self.nonsense(bytes: 1000) + #",{"session":"up","start":"suspended"}"#
            let batch = Task { () async throws -> ServerResponse in
                withUnsafeCurrentTask { $0?.cancel() }
                return try await fixture.response(.post, "/v1/tasks:batch", json: #"{"tasks":[\#(items)]}"#)
            }
            let response = try await batch.value
            #expect(response.headers[.retryAfter] == nil)
            let problem = try response.document(ProblemDocument.self, status: .badRequest)
            #expect(problem.type == "/problems/client-left")
            #expect(problem.detail == "the client closed its sending side before the response; no task was created")
            let counts = try await fixture.store.counts()
            #expect(counts.total == 0)
        }
    }

    @Test("A batch, or a list of schedules, whose client leaves while the gateway stops names the time to come back")
    func leavingAtStop() async throws {
        let fixture = try GatewayFixture()
        try await fixture.gateway.open()
        let schedule = try await fixture.response(
            .put, "/v1/schedules/daily", json: #"{"cron":"@daily","task":{"session":"up"}}"#)
        #expect(schedule.status == .created)
        await fixture.gateway.drain(patience: .seconds(3600), polls: .zero)
        for (method, target, json) in [
            (.post, "/v1/tasks:batch", #"{"tasks":[{"session":"up"}]}"#), (.get, "/v1/schedules", nil),
        ] as [(HTTPRequest.Method, String, String?)] {
            let request = Task { () async throws -> ServerResponse in
                withUnsafeCurrentTask { $0?.cancel() }
                return try await fixture.response(method, target, json: json)
            }
            let response = try await request.value
            #expect(response.headers[.retryAfter] == "5")
            let problem = try response.document(ProblemDocument.self, status: .serviceUnavailable)
            #expect(problem.type == "/problems/stopping")
        }
        await fixture.gateway.close()
        await fixture.store.close()
    }

    @Test("A batch whose client disconnects while an item is validated creates nothing, and validates no other item")
    func leavingBetweenItems() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            // An item with faults is looked up by its key.
            let item = #"{"session":"up","priority":11,"idempotency_key":"a"}"#
            let lookups = EventLog<Void>()
            fixture.store.intervene { operation in
                guard case .replay = operation else { return }
                lookups.append()
                withUnsafeCurrentTask { $0?.cancel() }
            }
            let items = [#"{"session":"up","start":"suspended"}"#, item, item, item].joined(separator: ",")
            let batch = Task { try await fixture.response(.post, "/v1/tasks:batch", json: #"{"tasks":[\#(items)]}"#) }
            let response = try await batch.value
            #expect(response.status == .badRequest)
            #expect(lookups.events.count == 1)
            let counts = try await fixture.store.counts()
            #expect(counts.total == 0)
        }
    }

    /// Checks that a response tells that the store has failed, and returns its problem.
    private static func storeProblem(of response: ServerResponse) throws -> ProblemDocument {
        #expect(response.headers[.retryAfter] == "1")
        let problem = try response.document(ProblemDocument.self, status: .serviceUnavailable)
        #expect(problem.type == "/problems/store-unavailable")
        return problem
    }

    @Test("A batch that the store refuses as a whole is a 503, unless an item has an earlier task")
    func storeFails() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let keyed = #"{"session":"up","start":"suspended","idempotency_key":"a"}"#
            let first = try await send(fixture, keyed)
            fixture.store.intervene { operation async throws(TaskStoreError) in
                guard case .insert(let record) = operation, record.labels["n"] != nil else { return }
                throw TaskStoreError(.diskFull, "The disk is full")
            }
            let new = #"{"session":"up","start":"suspended","labels":{"n":"1"}}"#
            for items in ["\(new),\(new)", #"\#(new),{"session":"none"}"#] {
                let response = try await fixture.response(.post, "/v1/tasks:batch", json: #"{"tasks":[\#(items)]}"#)
                #expect(try Self.storeProblem(of: response).detail == "The disk is full")
            }
            let mixed = try await send(fixture, "\(keyed),\(new)")
            #expect(mixed.map(\.status) == [200, 503])
            #expect(mixed.map(\.problem?.retryAfter) == [nil, 1])
            #expect(mixed[0].task?.id == first[0].task?.id)
            fixture.store.intervene(nil)
            let counts = try await fixture.store.counts()
            #expect(counts.total == 1)
        }
    }

    @Test("A batch of which the store cannot tell the earlier tasks is a 503")
    func lookupFails() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            fixture.store.intervene { operation async throws(TaskStoreError) in
                if case .replay = operation { throw TaskStoreError(.inputOutput, "The disk has failed") }
            }
            let response = try await fixture.response(
                .post, "/v1/tasks:batch", json: #"{"tasks":[{"session":"up","priority":11,"idempotency_key":"a"}]}"#)
            fixture.store.intervene(nil)
            _ = try Self.storeProblem(of: response)
        }
    }

    @Test("An empty or too large batch is refused, and a too large item is refused on its own")
    func limits() async throws {
        let fixture = try GatewayFixture { configuration in
            configuration.server.requests.maxBatch = 2
            configuration.server.requests.maxJSONBytes = 1024
        }
        try await fixture.open {
            for tasks in ["", "{},{},{}"] {
                let problem = try await fixture.document(
                    ProblemDocument.self, .post, "/v1/tasks:batch", json: #"{"tasks":[\#(tasks)]}"#,
                    status: .unprocessableContent)
                #expect(problem.type == "/problems/invalid-batch")
                #expect(problem.errors?.map(\.pointer) == ["/tasks"])
            }
            let long = String(repeating: "x", count: 1024)
            let results = try await send(
                fixture, #"{"session":"up","path":"\#(long)"},{"session":"up","start":"suspended"}"#)
            #expect(results.map(\.status) == [413, 202])
        }
    }
}
