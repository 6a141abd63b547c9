import ErrandLocking
import ErrandSupport
import Foundation

/// The requests of clients to gateways that are killed repeatedly, and the acknowledgements they received.
final class CrashLoad: Sendable {
    /// The acknowledgements for a task.
    struct Promise: Sendable {
        /// True if the task was acknowledged as canceled.
        var isCanceled = false
        /// True if the task has a callback for its end.
        var hasCallback = false
    }

    /// The acknowledgements by identifier, the keys of unanswered creates, and the tasks whose cancel was not answered.
    private struct State {
        var random: SplitMix64
        var number = 0
        var promises: [String: Promise] = [:]
        var unanswered: [String: String] = [:]
        var keys: [String: String] = [:]
        var uncanceled: Set<String> = []
        var acknowledged = 0
        var killAfter = Int.max
        var kill: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>
    /// The number of acknowledgements.
    let acknowledgements = EventCounter()
    /// The number of refused or interrupted requests.
    let failures = EventCounter()

    init(seed: UInt64) {
        state = Mutex(State(random: SplitMix64(seed: seed)))
    }

    /// The acknowledgements so far, by identifier.
    var promises: [String: Promise] { state.withLock { $0.promises } }

    /// The tasks by the idempotency keys of their creation.
    var keys: [String: String] { state.withLock { $0.keys } }

    /// Runs eight clients with all kinds of requests, until the gateway is killed in between.
    func run(_ gateway: GatewayProcess) async {
        state.withLock { state in
            state.acknowledged = 0
            state.killAfter = Int.random(in: 5...120, using: &state.random)
            state.kill = { gateway.process.kill(SIGKILL) }
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { [self] in
                    while !Task.isCancelled {
                        do {
                            let client = try gateway.client()
                            while true { try await act(client) }
                        } catch is UnexpectedResponse {
                            // A refusal, such as of a key that another client uses at this moment.
                            continue
                        } catch {
                            // The gateway was killed: only the acknowledgements so far count.
                            return
                        }
                    }
                }
            }
        }
    }

    /// Runs eight clients with all kinds of requests until `end`, whatever the gateway answers.
    ///
    /// - Parameter connect: Opens a connection; called again after each failed request.
    func run(until end: Signal<Void>, connect: @escaping @Sendable () async throws -> APIClient) async {
        state.withLock { $0.killAfter = .max }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { [self] in
                    while !end.isSent {
                        do {
                            let client = try await connect()
                            while !end.isSent { try await act(client) }
                        } catch {
                            // A repeated request uses the same key.
                            failures.increment()
                        }
                    }
                }
            }
        }
    }

    /// Counts a response; the last one of a round kills the gateway.
    private func acknowledge() {
        let kill = state.withLock { state in
            state.acknowledged += 1
            return state.acknowledged == state.killAfter ? state.kill : nil
        }
        acknowledgements.increment()
        kill?()
    }

    // MARK: What clients do

    private enum Act: CaseIterable {
        case get, post, flaky, cancel, suspended, suspendRunning, retry, schedule, again
    }

    private func act(_ client: APIClient) async throws {
        let (act, number) = state.withLock { state in
            state.number += 1
            return (Act.allCases.randomElement(using: &state.random) ?? .get, state.number)
        }
        switch act {
        case .get:
            _ = try await create(client, #"{"session":"up","path":"ok/\#(number)",\#(callback)}"#)
        case .post:
            _ = try await create(client, #"{"session":"once","method":"POST","path":"once/\#(number)",\#(callback)}"#)
        case .flaky:
            _ = try await create(client, #"{"session":"up","path":"flaky/\#(number)",\#(callback)}"#)
        case .cancel:
            let id = try await create(client, #"{"session":"up","path":"stuck/\#(number)",\#(callback)}"#)
            try await cancel(client, id)
        case .suspended:
            let id = try await create(client, #"{"session":"up","path":"ok/\#(number)","start":"suspended"}"#)
            _ = try await client.post("/v1/tasks/\(id)/resume")
            acknowledge()
        case .suspendRunning:
            let id = try await create(client, #"{"session":"up","path":"ok/\#(number)"}"#)
            _ = try await client.post("/v1/tasks/\(id)/suspend")
            _ = try await client.post("/v1/tasks/\(id)/resume")
            acknowledge()
        case .retry:
            let task = try await client.create(#"{"session":"up","path":"ok/\#(number)"}"#, "?wait=5s")
            promise(task.id, Promise())
            if task.done {
                let copy = try TaskView(await client.post("/v1/tasks/\(task.id)/retry"), expecting: [202])
                promise(copy.id, Promise())
            }
        case .schedule:
            let task = try TaskView(await client.post("/v1/schedules/tick/run"), expecting: [202])
            promise(task.id, Promise())
        case .again:
            try await repeatUnanswered(client)
        }
    }

    private var callback: String { #""callback":{"url":"done","session":"hooks"}"# }

    /// Creates a task with a key, so that the request can be repeated if the response is lost.
    private func create(_ client: APIClient, _ json: String) async throws -> String {
        let key = state.withLock { "key-\($0.number)-\($0.random.next())" }
        return try await create(client, json, key: key)
    }

    private func create(_ client: APIClient, _ json: String, key: String) async throws -> String {
        let task: TaskView
        do {
            let response = try await client.post("/v1/tasks", json: json, "Idempotency-Key: \"\(key)\"")
            task = try TaskView(response, expecting: [200, 202])
        } catch {
            state.withLock { $0.unanswered[key] = json }
            throw error
        }
        state.withLock { state in
            state.keys[key] = task.id
            if json.contains("stuck/") { state.uncanceled.insert(task.id) }
        }
        promise(task.id, Promise(hasCallback: json.contains("callback")))
        return task.id
    }

    /// Cancels a task whose upstream never responds: it would keep a connection of the session busy.
    private func cancel(_ client: APIClient, _ id: String) async throws {
        let response = try await client.post("/v1/tasks/\(id)/cancel")
        state.withLock { state in
            if response.status < 500 { state.uncanceled.remove(id) }
            if response.status == 200 { state.promises[id]?.isCanceled = true }
        }
        acknowledge()
    }

    /// Repeats an unanswered cancel, or else an unanswered create, whose task may already exist.
    func repeatUnanswered(_ client: APIClient) async throws {
        let (task, create) = state.withLock { state -> (String?, (key: String, json: String)?) in
            if let task = state.uncanceled.min() { return (task, nil) }
            // Another client that repeats it at the same time would be refused.
            return (nil, state.unanswered.popFirst().map { (key: $0, json: $1) })
        }
        if let task {
            try await cancel(client, task)
        } else if let create {
            _ = try await self.create(client, create.json, key: create.key)
        }
    }

    /// True if every create was answered.
    var isAnswered: Bool { state.withLock { $0.unanswered.isEmpty } }

    private func promise(_ id: String, _ promise: Promise) {
        state.withLock { state in
            let former = state.promises[id]
            state.promises[id] = Promise(
                isCanceled: former?.isCanceled ?? false, hasCallback: promise.hasCallback || former?.hasCallback == true
            )
        }
        acknowledge()
    }
}
