import ErrandConfiguration
import ErrandLocking
import ErrandSessionCore
import ErrandSupport
import ErrandTaskAdmission
import ErrandTaskStore
import ErrandTime
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("Dispatcher: creation of tasks", .timeLimit(.hang))
struct DispatcherCreationTests {
    private struct Unexpected: Error {}

    private func claim(_ key: String, payload: UInt8 = 1) -> IdempotencyClaim {
        IdempotencyClaim(
            owner: "", key: key, payload: Array(repeating: payload, count: 32),
            expiresAt: Timestamp.now().adding(.seconds(3600)))
    }

    @Test("The tasks of a batch are stored in one write, each independently, and answered in order")
    func batch() async throws {
        let fixture = try DispatcherFixture(concurrent: 2)
        try await fixture.open {
            var tasks: [Dispatcher.Creation] = []
            for number in 0..<5 { tasks.append(try await fixture.creation("\(number)")) }
            let first = tasks[0].task.record.id
            tasks[1].task.record.change { $0.id = first }
            let answers = await fixture.dispatcher.create(tasks)
            #expect(answers.count == 5)
            for (index, answer) in answers.enumerated() {
                switch (index, answer) {
                case (1, .failure(let error)): #expect(error.code == .exists)
                case (_, .success(.created(let record))): #expect(record.id == tasks[index].task.record.id)
                default: Issue.record("\(index): \(answer)")
                }
            }
            for index in [0, 2, 3, 4] { try await fixture.expect(.succeeded, of: tasks[index].task.record) }
            #expect(fixture.dispatcher.running(session: "up") == 0)
        }
    }

    @Test("Created callbacks take the slots of their destination, and no others of their session")
    func destinations() async throws {
        var configuration = SessionConfiguration(name: "hooks")
        configuration.limits.concurrent = 8
        let gate = ScriptedTransport.Gate()
        let fixture = try DispatcherFixture(configuration: configuration) { _ in
            [.wait(gate)] + DispatcherFixture.response
        }
        var signing = CallbackConfiguration()
        signing.allowsUnsigned = true
        fixture.sessions.callbacks.apply(signing)
        try await fixture.open {
            var tasks: [Dispatcher.Creation] = []
            for number in 1...5 {
                var record = TaskRecord.sample(number, session: "hooks", kind: .callback)
                record.change {
                    $0.specification.task =
                        CallbackMessage(id: "\(number)", url: "http://receiver.example/", body: Array("{}".utf8))
                        .document
                }
                tasks.append((NewTask(record), nil))
            }
            for answer in await fixture.dispatcher.create(tasks) {
                guard case .created(let record) = try answer.get() else { throw Unexpected() }
                #expect(record.state == .queued)
            }
            // A quarter of the session's slots.
            #expect(await fixture.transport.requests(2).count == 2)
            let isDestined = fixture.dispatcher.state.withLock { state in
                tasks.map { state.admission.isDestined($0.task.record.id) }
            }
            #expect(isDestined.count { $0 } == 2)
            gate.open()
            for creation in tasks { try await fixture.expect(.succeeded, of: creation.task.record) }
            #expect(fixture.dispatcher.running(session: "hooks") == 0)
        }
    }

    @Test("A callback through a session with a base URL pauses it for the Retry-After of the response")
    func upstreamOfCallbacks() async throws {
        let configuration = SessionConfiguration(name: "hooks", baseURL: try HTTPURL("http://receiver.example/"))
        let fixture = try DispatcherFixture(configuration: configuration) { _ in
            [.head(ResponseHead(status: 503, headers: [.retryAfter: "60"]))]
        }
        var signing = CallbackConfiguration()
        signing.allowsUnsigned = true
        fixture.sessions.callbacks.apply(signing)
        try await fixture.open {
            var record = TaskRecord.sample(1, session: "hooks", kind: .callback)
            record.change {
                $0.specification.task =
                    CallbackMessage(id: "1", url: "http://receiver.example/", body: Array("{}".utf8)).document
            }
            for answer in await fixture.dispatcher.create([(NewTask(record), nil)]) { _ = try answer.get() }
            try await until { fixture.dispatcher.conditions(of: "hooks")?.waitReason == .retryAfter }
            #expect(fixture.dispatcher.conditions(of: "hooks")?.quietUntil != nil)
        }
    }

    @Test("A repeated key creates no second task and takes no slot")
    func replay() async throws {
        let fixture = try DispatcherFixture(concurrent: 1)
        try await fixture.open {
            var first = try await fixture.creation("a")
            first.task.idempotency = claim("key")
            guard case .created(let record) = try await fixture.dispatcher.create(first)
            else { throw Unexpected() }
            try await fixture.expect(.succeeded, of: record)
            var second = try await fixture.creation("a")
            second.task.idempotency = claim("key")
            guard case .replayed(let replayed) = try await fixture.dispatcher.create(second)
            else { throw Unexpected() }
            #expect(replayed.id == record.id)
            second.task.idempotency = claim("key", payload: 2)
            guard case .refused(.keyReused) = try await fixture.dispatcher.create(second)
            else { throw Unexpected() }
            #expect(fixture.paths.count == 1)
            #expect(fixture.dispatcher.running(session: "up") == 0)
            try await fixture.expect(.succeeded, of: fixture.create("b"))
        }
    }

    @Test("A full queue accepts no tasks, a batch only as far as it fits, and accepts again when there is room")
    func fullQueue() async throws {
        let gate = ScriptedTransport.Gate()
        var configuration = try DispatcherFixture.configuration(concurrent: 1)
        configuration.limits.maxQueued = 2
        let fixture = try DispatcherFixture(configuration: configuration) { _ in
            [.wait(gate)] + DispatcherFixture.response
        }
        try await fixture.open {
            var tasks: [Dispatcher.Creation] = []
            for number in 0..<5 { tasks.append(try await fixture.creation("\(number)")) }
            let answers = await fixture.dispatcher.create(tasks)
            let isCreated = try answers.map { answer in
                switch try answer.get() {
                case .created: return true
                case .refused(.queueFull(_, let pause)):
                    #expect(pause >= .seconds(1))
                    return false
                case .replayed, .replayedRemoved, .refused: throw Unexpected()
                }
            }
            #expect(isCreated == [true, true, true, false, false], "one runs, two wait")
            // Suspended and scheduled tasks are not in the queue.
            _ = try await fixture.create(suspended: true)
            _ = try await fixture.create("later", #","delay":"1h""#)
            gate.open()
            for creation in tasks.prefix(3) { try await fixture.expect(.succeeded, of: creation.task.record) }
            try await fixture.expect(.succeeded, of: fixture.create("again"))
        }
    }

    @Test("A full queue refuses tasks, but not the retry of a delivery, also in a batch with refused tasks")
    func fullQueueOfDeliveries() async throws {
        let gate = ScriptedTransport.Gate()
        var configuration = try DispatcherFixture.configuration(concurrent: 1)
        configuration.limits.maxQueued = 1
        let fixture = try DispatcherFixture(configuration: configuration) { request in
            request.url.string.hasSuffix("/hook")
                ? DispatcherFixture.response : [.wait(gate)] + DispatcherFixture.response
        }
        var signing = CallbackConfiguration()
        signing.allowsUnsigned = true
        fixture.sessions.callbacks.apply(signing)
        func delivery(_ number: Int) -> TaskRecord {
            var record = TaskRecord.sample(number, session: "up", kind: .callback)
            record.change {
                $0.specification.task =
                    CallbackMessage(id: "\(number)", url: "http://upstream.example/hook", body: Array("{}".utf8))
                    .document
            }
            return record
        }
        let services = TaskServices(
            context: fixture.context, dispatcher: fixture.dispatcher, keysInUse: IdempotencyKeysInUse(),
            bulkRequests: BulkRequests(), keyLifetime: .seconds(3600), maxDepth: 64)
        try await fixture.open {
            guard case .created(let first) = try await fixture.dispatcher.create((NewTask(delivery(1)), nil))
            else { throw Unexpected() }
            let delivered = try #require(try await fixture.finished(first))
            #expect(delivered.state == .succeeded)
            try await until { fixture.dispatcher.running(session: "up") == 0 }
            let running = try await fixture.create("running")
            let queued = try await fixture.create("queued")
            #expect((running.state, queued.state) == (.running, .queued))
            guard case .created(let retry) = try await services.service(for: .anonymous).retry(delivered)
            else { throw Unexpected() }
            #expect(retry.state == .queued)
            #expect(retry.retryOf == delivered.id)
            let more = try await fixture.creation("more")
            let answers = await fixture.dispatcher.create([more, (NewTask(delivery(2)), nil)])
            guard case .refused(.queueFull) = try answers[0].get(), case .created(let last) = try answers[1].get()
            else { throw Unexpected() }
            gate.open()
            for task in [running, queued, retry, last] { try await fixture.expect(.succeeded, of: task) }
        }
    }

    @Test("Concurrent requests never queue more tasks than the limit")
    func fullQueueAtOnce() async throws {
        var configuration = try DispatcherFixture.configuration(concurrent: 1)
        configuration.limits.maxQueued = 5
        let gate = ScriptedTransport.Gate()
        let fixture = try DispatcherFixture(configuration: configuration) { _ in
            [.wait(gate)] + DispatcherFixture.response
        }
        try await fixture.open {
            var tasks: [Dispatcher.Creation] = []
            for number in 0..<40 { tasks.append(try await fixture.creation("\(number)")) }
            let created = await withTaskGroup(of: Bool.self) { group in
                for task in tasks {
                    group.addTask {
                        if case .success(.created) = await fixture.dispatcher.create([task])[0] { true } else { false }
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(created <= 6)
            #expect(created >= 1)
            #expect(try await fixture.store.counts()["up", .queued] <= 5)
            gate.open()
        }
    }

    @Test("A task stored with another change is enqueued, or waits for its time")
    func storedElsewhere() async throws {
        let time = ManualClock()
        let fixture = try DispatcherFixture(time: time)
        try await fixture.open {
            let queued = try await fixture.creation("queued").task.record
            let scheduled = try await fixture.creation("scheduled", #","delay":"10s""#).task.record
            let keyed = try await fixture.creation("keyed", #","ordering_key":"k""#).task.record
            for record in [queued, scheduled, keyed] {
                _ = try await fixture.store.insert(NewTask(record))
                fixture.dispatcher.taskWasStored(record)
            }
            try await fixture.expect(.succeeded, of: queued)
            try await fixture.expect(.succeeded, of: keyed)
            await time.sleepers(2)
            time.advance(by: .seconds(10))
            try await fixture.expect(.succeeded, of: scheduled)
        }
    }

    @Test("The steps of a task wait until it is stored with another change, and are refused if it is not stored")
    func stepsWhileStoring() async throws {
        let fixture = try DispatcherFixture()
        try await fixture.open {
            for isStored in [true, false] {
                let creation = try await fixture.creation("", #","start":"suspended""#)
                let record = creation.task.record
                let (reached, goOn) = (Signal<Void>(), Signal<Void>())
                let storing = Task {
                    try await fixture.dispatcher.storing(record) { () async throws(TaskStoreError) -> Bool in
                        reached.send()
                        await goOn.wait()
                        if isStored { _ = await fixture.store.insert([NewTask(record)]) }
                        return isStored
                    }
                }
                await reached.wait()
                let canceling = Task { try await fixture.dispatcher.cancel(record) }
                try await until { fixture.dispatcher.waitingSteps(of: record.id) == 1 }
                goOn.send()
                if try await storing.value { fixture.dispatcher.finishStoring(record) }
                switch try await canceling.value {
                case .done(let canceled, changed: true): #expect(isStored && canceled.state == .canceled)
                case .notFound: #expect(!isStored)
                case let other: Issue.record("\(other)")
                }
            }
        }
    }

    // MARK: Ordering keys

    @Test(
        "Tasks of one key run one at a time and in order, those of different keys concurrently",
        arguments: Soak.seeds(4, long: 100))
    func ordering(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let running = Mutex<[String: Int]>([:])
        let fixture = try DispatcherFixture(concurrent: 8) { request in
            let key = request.url.string.split(separator: "/").dropFirst(2).first.map(String.init) ?? ""
            running.withLock { $0[key, default: 0] += 1 }
            return DispatcherFixture.response
        }
        try await fixture.open {
            var tasks: [TaskRecord] = []
            for number in 0..<120 {
                let key = Int.random(in: 0..<6, using: &random)
                tasks.append(try await fixture.create("\(key)/\(number)", #","ordering_key":"\#(key)""#))
                if number.isMultiple(of: 17), let task = tasks.randomElement(using: &random) {
                    _ = try await fixture.dispatcher.cancel(task.id)
                }
            }
            for task in tasks { #expect(try await fixture.finished(task)?.state.isTerminal == true) }
            for key in 0..<6 {
                let numbers = fixture.paths.filter { $0.hasPrefix("/\(key)/") }.compactMap { Int($0.dropFirst(3)) }
                #expect(numbers == numbers.sorted(), "key \(key)")
            }
        }
    }

    @Test("A task that waits for its key says so, also when it is resumed, and runs when its turn comes")
    func blocked() async throws {
        let gate = ScriptedTransport.Gate()
        let fixture = try DispatcherFixture { request in
            request.url.string.hasSuffix("/first")
                ? [.wait(gate)] + DispatcherFixture.response : DispatcherFixture.response
        }
        try await fixture.open {
            let first = try await fixture.create("first", #","ordering_key":"k""#)
            let second = try await fixture.create("second", #","ordering_key":"k""#)
            let third = try await fixture.create("third", #","ordering_key":"k""#)
            #expect(second.isBlocked)
            #expect(fixture.dispatcher.liveState(of: second).waitReason == .ordering)
            try await fixture.suspend(third)
            try await fixture.resume(third)
            #expect(try await fixture.context.task(third.id)?.isBlocked == true)
            gate.open()
            for task in [first, second, third] { try await fixture.expect(.succeeded, of: task) }
            #expect(fixture.paths == ["/first", "/second", "/third"])
        }
    }

    @Test("A key's next task starts when the previous one is canceled, deleted or past its deadline")
    func releases() async throws {
        let fixture = try DispatcherFixture { _ in DispatcherFixture.response }
        try await fixture.open {
            var tasks: [TaskRecord] = []
            for number in 0..<3 {
                tasks.append(
                    try await fixture.create("\(number)", suspended: number < 2, #","ordering_key":"k""#))
            }
            _ = try await fixture.dispatcher.cancel(tasks[0].id)
            #expect(try await fixture.stored(tasks[2])?.state == .queued)
            _ = try await fixture.dispatcher.delete(tasks[1].id)
            try await fixture.expect(.succeeded, of: tasks[2])
        }
    }
}
