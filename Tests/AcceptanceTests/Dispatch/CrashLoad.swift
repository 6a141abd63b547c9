import Foundation
import Locking
import Support

/// What clients have done to gateways that were killed again and again, and what they were told of it.
final class CrashLoad: Sendable {
    /// What a client was promised of a task.
    struct Promise: Sendable {
        /// It was told that the task is canceled.
        var isCanceled = false
        /// It wants to be told of the end.
        var hasCallback = false
    }

    /// The promises by identifier, and the keys of creates that nobody has answered.
    private struct State {
        var random: SplitMix64
        var number = 0
        var promises: [String: Promise] = [:]
        var unanswered: [String: String] = [:]
        var keys: [String: String] = [:]
        var acknowledged = 0
        var killAfter = Int.max
        var kill: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>

    init(seed: UInt64) {
        state = Mutex(State(random: SplitMix64(seed: seed)))
    }

    /// What was promised so far, by identifier.
    var promises: [String: Promise] { state.withLock { $0.promises } }

    /// The tasks by the idempotency keys that they were created with.
    var keys: [String: String] { state.withLock { $0.keys } }

    /// Has eight clients do what they can think of, until the gateway is killed in the middle of it.
    func run(_ gateway: GatewayProcess) async {
        state.withLock { state in
            state.acknowledged = 0
            state.killAfter = Int.random(in: 5...120, using: &state.random)
            state.kill = { gateway.process.kill(SIGKILL) }
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { [self] in
                    do {
                        let client = try gateway.client()
                        while true { try await act(client) }
                    } catch {
                        // The gateway was killed: what this client has been told so far is what counts.
                    }
                }
            }
        }
    }

    /// Something was answered; when it was the last answer of the round, the gateway dies.
    private func acknowledge() {
        let kill = state.withLock { state in
            state.acknowledged += 1
            return state.acknowledged == state.killAfter ? state.kill : nil
        }
        kill?()
    }

    // MARK: What clients do

    private enum Act: CaseIterable {
        case get, post, flaky, cancel, suspended, standStill, retry, schedule, again
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
            let answer = try await client.post("/v1/tasks/\(id)/cancel")
            if answer.status == 200 { state.withLock { $0.promises[id]?.isCanceled = true } }
            acknowledge()
        case .suspended:
            let id = try await create(client, #"{"session":"up","path":"ok/\#(number)","start":"suspended"}"#)
            _ = try await client.post("/v1/tasks/\(id)/resume")
            acknowledge()
        case .standStill:
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

    /// Creates a task with a key, so that it can be asked for again when the answer is lost.
    private func create(_ client: APIClient, _ json: String) async throws -> String {
        let key = state.withLock { state in
            let key = "key-\(state.number)-\(state.random.next())"
            state.unanswered[key] = json
            return key
        }
        return try await create(client, json, key: key)
    }

    private func create(_ client: APIClient, _ json: String, key: String) async throws -> String {
        let answer = try await client.post("/v1/tasks", json: json, "Idempotency-Key: \"\(key)\"")
        let task = try TaskView(answer, expecting: [200, 202])
        state.withLock { state in
            state.unanswered[key] = nil
            state.keys[key] = task.id
        }
        promise(task.id, Promise(hasCallback: json.contains("callback")))
        return task.id
    }

    /// Asks again for a task whose create nobody has answered: it may be there already.
    func repeatUnanswered(_ client: APIClient) async throws {
        guard let (key, json) = state.withLock({ $0.unanswered.min { $0.key < $1.key } }) else { return }
        _ = try await create(client, json, key: key)
    }

    /// Whether every create was answered.
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
