import ErrandAuthentication
import ErrandLocking
import ErrandSessionCore
import ErrandSupport
import ErrandTaskStore
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("Dispatcher", .timeLimit(.hang))
struct DispatcherTests {
    typealias Gate = ScriptedTransport.Gate

    @Test("With a free slot a task starts when it is created, and ends with the result of its attempt")
    func startsAtOnce() async throws {
        let fixture = try DispatcherFixture()
        try await fixture.open {
            let created = try await fixture.create("a")
            #expect(created.state == .running)
            #expect(created.attemptCount == 1)
            let finished = try #require(try await fixture.finished(created))
            #expect(finished.state == .succeeded)
            #expect(finished.revision == 2)
            #expect(finished.result.object == .slice(0..<2))
            #expect(try await fixture.stored(created) == finished)
        }
    }

    @Test("Tasks without a slot wait, ordered by priority, then by age")
    func order() async throws {
        let gate = Gate()
        let fixture = try DispatcherFixture(concurrent: 1) { request in
            request.url.string.hasSuffix("/first")
                ? [.wait(gate)] + DispatcherFixture.response : DispatcherFixture.response
        }
        try await fixture.open {
            var tasks = [try await fixture.create("first")]
            for (path, priority) in [("low", 1), ("middle", 5), ("second", 5), ("high", 9)] {
                tasks.append(try await fixture.create(path, priority: priority))
                #expect(tasks.last?.state == .queued)
            }
            gate.open()
            for task in tasks { try await fixture.expect(.succeeded, of: task) }
            #expect(fixture.paths == ["/first", "/high", "/middle", "/second", "/low"])
        }
    }

    @Test("A queue far longer than the window in memory is processed in order, from the store")
    func longQueue() async throws {
        let gate = Gate()
        let fixture = try DispatcherFixture(concurrent: 1, window: 16) { request in
            request.url.string.hasSuffix("/0") ? [.wait(gate)] + DispatcherFixture.response : DispatcherFixture.response
        }
        try await fixture.open {
            var tasks: [TaskRecord] = []
            for number in 0..<100 { tasks.append(try await fixture.create("\(number)")) }
            gate.open()
            for task in tasks { try await fixture.expect(.succeeded, of: task) }
            #expect(fixture.paths == (0..<100).map { "/\($0)" })
        }
    }

    @Test("A failed transfer ends its task with its error and its attempt")
    func failure() async throws {
        let fixture = try DispatcherFixture { _ in
            [.fail(TransferError(.connectionLost, "Lost", mayHaveArrived: true))]
        }
        try await fixture.open {
            let finished = try #require(try await fixture.finished(fixture.create(method: "POST")))
            #expect(finished.state == .failed)
            let error = String(decoding: finished.result.error ?? [], as: UTF8.self)
            #expect(error.contains(#""code":"connection_lost""#))
            #expect(error.contains(#""may_have_arrived":true"#))
            #expect(fixture.paths.count == 1)
        }
    }

    @Test("Accepted tasks start only after open()")
    func notOpen() async throws {
        let fixture = try DispatcherFixture()
        let early = try await fixture.create("early")
        #expect(early.state == .queued)
        try await fixture.open {
            try await fixture.expect(.succeeded, of: early)
        }
    }

    @Test("From the drain on no task is accepted, and those that are queued wait in the store for the next start")
    func acceptedLate() async throws {
        let gate = Gate()
        let fixture = try DispatcherFixture(concurrent: 1) { _ in [.wait(gate)] + DispatcherFixture.response }
        try await fixture.dispatcher.open()
        let running = try await fixture.create("running")
        let queued = try await fixture.create("queued")
        let draining = Task { await fixture.dispatcher.drain(patience: .seconds(3600)) }
        try await until {
            let late = try await fixture.creation("late")
            if case .refused(.stopping) = try await fixture.dispatcher.create(late) { return true }
            return false
        }
        gate.open()
        await draining.value
        #expect(try await fixture.stored(running)?.state == .succeeded)
        #expect(try await fixture.stored(queued)?.state == .queued)
        await fixture.dispatcher.close()
        await fixture.store.close()
        let next = try DispatcherFixture(folder: fixture.folder)
        try await next.open {
            try await next.expect(.succeeded, of: queued)
        }
    }

    @Test("Closing waits for attempts; those that take too long are cut off and left for the next start")
    func closing() async throws {
        let (ending, endless) = (Gate(), Gate())
        let fixture = try DispatcherFixture { request in
            [.wait(request.url.string.hasSuffix("/ending") ? ending : endless)] + DispatcherFixture.response
        }
        try await fixture.dispatcher.open()
        let first = try await fixture.create("ending")
        let second = try await fixture.create("endless")
        ending.open()
        try await fixture.expect(.succeeded, of: first)
        await fixture.dispatcher.close(patience: .milliseconds(10))
        #expect(try await fixture.stored(first)?.state == .succeeded)
        #expect(try await fixture.stored(second)?.state == .running)
        await fixture.store.close()

        let next = try DispatcherFixture(folder: fixture.folder)
        try await next.open {
            try await next.expect(.succeeded, of: second)
            #expect(try await next.stored(second)?.attemptCount == 2)
            #expect(next.paths == ["/endless"])
        }
    }

    @Test("An attempt that has received its response when it is cut off is stored, and is not made again")
    func receivedAtCut() async throws {
        let gate = Gate()
        let fixture = try DispatcherFixture { _ in DispatcherFixture.response + [.end(gate)] }
        try await fixture.dispatcher.open()
        let task = try await fixture.create(method: "POST")
        try await until { fixture.dispatcher.liveState(of: task).progress?.received == 2 }
        await fixture.dispatcher.drain(patience: .zero)
        gate.open()
        await fixture.dispatcher.close()
        #expect(try await fixture.stored(task)?.state == .succeeded)
        await fixture.store.close()
        let next = try DispatcherFixture(folder: fixture.folder)
        try await next.open {
            let kept = try await next.stored(task)
            #expect(kept?.state == .succeeded)
            #expect(next.paths.isEmpty)
        }
    }

    @Test("A start that is stored only after attempts were cut off begins no attempt and does not delay closing")
    func storedTooLate() async throws {
        let fixture = try DispatcherFixture { _ in [.wait(Gate())] + DispatcherFixture.response }
        try await fixture.dispatcher.open()
        let (storing, goesOn) = (Signal<Void>(), Signal<Void>())
        fixture.store.intervene { operation in
            guard case .insert = operation else { return }
            storing.send()
            await goesOn.wait()
        }
        let created = Task { try await fixture.create("late") }
        await storing.wait()
        let closing = Task { await fixture.dispatcher.close(patience: .zero) }
        // Nothing is told of it: attempts that do not exist yet cannot be cut off.
        try await until { fixture.context.isAbandoned }
        goesOn.send()
        await closing.value
        let task = try await created.value
        #expect(fixture.paths.isEmpty)
        #expect(try await fixture.stored(task)?.state == .running)
        await fixture.store.close()

        let next = try DispatcherFixture(folder: fixture.folder)
        try await next.open {
            try await next.expect(.succeeded, of: task)
        }
    }

    @Test("The challenges that an attempt answers are events of its task, with the first schemes and without secrets")
    func challenges() async throws {
        var configuration = try DispatcherFixture.configuration()
        configuration.credentials = .digest(username: "ada", password: "s3cret")
        let schemes = (1...20).map { "Scheme\($0)" } + [String(repeating: "x", count: 200)]
        let fixture = try DispatcherFixture(configuration: configuration) { request in
            guard request.headers[.authorization] == nil else { return DispatcherFixture.response }
            let challenges = [#"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#] + schemes
            return [.head(ResponseHead(status: 401, headers: [.wwwAuthenticate: challenges.joined(separator: ", ")]))]
        }
        try await fixture.open {
            let task = try await fixture.create("a")
            try await fixture.expect(.succeeded, of: task)
            let events = try await fixture.store.events(after: 0, task: task.id, limit: 10)
            #expect(events.map(\.kind.name) == ["task.running", "task.challenge", "task.attempt", "task.succeeded"])
            let detail = String(decoding: events[1].detail ?? [], as: UTF8.self)
            let first = (1...7).map { "\"scheme\($0)\"" }.joined(separator: ",")
            #expect(
                detail
                    == #"{"attempt":1,"status":401,"url":"http://upstream.example/a","#
                    + #""schemes":["digest",\#(first)]}"#)
        }
    }

    @Test("The redirects that an attempt follows are events of its task, before its end, without secrets")
    func redirects() async throws {
        let fixture = try DispatcherFixture { request in
            guard request.url.string.hasSuffix("/old") else { return DispatcherFixture.response }
            return [.head(ResponseHead(status: 307, headers: [.location: "/new"])), .bytes([])]
        }
        try await fixture.open {
            let task = try await fixture.create("old")
            try await fixture.expect(.succeeded, of: task)
            let events = try await fixture.store.events(after: 0, task: task.id, limit: 10)
            #expect(events.map(\.kind.name) == ["task.running", "task.redirect", "task.attempt", "task.succeeded"])
            let detail = String(decoding: events[1].detail ?? [], as: UTF8.self)
            #expect(
                detail
                    == #"{"attempt":1,"status":307,"from":"http://upstream.example/old","#
                    + #""to":"http://upstream.example/new"}"#)
        }
    }
}
