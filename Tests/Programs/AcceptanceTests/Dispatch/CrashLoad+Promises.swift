import ErrandSupport
import Testing

extension CrashLoad {
    /// Returns the settings of the gateway for the load.
    static func settings(_ origin: String) -> GatewaySettings {
        var settings = GatewaySettings(upstream: origin, store: ["durability: full"])
        settings.session = [
            "limits: { concurrent: 64 }", "timeouts: { total: 2s }",
            "retry: { max_attempts: 100, backoff: { initial: 5ms, max: 50ms }, budget: { min_per_second: 10000 } }",
        ]
        settings.sessions = [
            "once: { base_url: '\(origin)/', retry: { max_attempts: 1, after_crash: fail } }",
            "hooks: { base_url: '\(origin)/', response: { serializer: raw } }",
            "\(LeavingClient.session): { base_url: '\(origin)/', request: { serializer: raw } }",
        ]
        settings.more = [
            "callbacks: { unsigned: true }",
            "schedules: { tick: { cron: '0 0 1 1 *', task: { session: up, path: ok/scheduled } } }",
        ]
        return settings
    }

    /// Waits for the ends of all tasks and checks the guarantees: no acknowledged task is lost, none ends twice, no
    /// callback is lost, and no request is repeated without being safe to repeat.
    func expectKept(by client: APIClient, _ upstream: CrashUpstream) async throws {
        while !isAnswered {
            try Task.checkCancellation()
            try await repeatUnanswered(client)
        }
        // Tasks that were suspended when their client was interrupted, and tasks that wait for an upstream that never
        // answers.
        _ = try await client.post("/v1/tasks:resume", json: #"{"state":["suspended"]}"#)
        try await forEachUnfinishedTask(client) { task in
            guard task.request.url.contains("/stuck/") else { return }
            _ = try await client.post("/v1/tasks/\(task.id)/cancel")
        }
        let ends = try await ends(client)
        try await expectEnds(ends, client)
        expectCallbacks(ends, upstream)
        for (path, times) in upstream.requests where path.hasPrefix("/once/") {
            #expect(times == 1, "\(path) was sent \(times) times")
        }
    }

    /// The members of a task that tell how it has ended.
    ///
    /// Others are not read, as an hour of load has millions of tasks.
    private struct End: Decodable {
        var id: String
        var state: String
        var done: Bool
        var parent: String?
    }

    /// The number of tasks whose stored events are read, as each takes a request: an hour of load has millions.
    private static let mostReadAlone = 5000

    private func forEachUnfinishedTask(_ client: APIClient, _ body: (TaskView) async throws -> Void) async throws {
        let states = ["scheduled", "queued", "running", "waiting", "suspended", "canceling"]
        try await client.forEachTask(states.map { "&state=\($0)" }.joined(), body)
    }

    /// Waits for the ends of all tasks and of their callbacks, which are stored with these ends.
    private func ends(_ client: APIClient) async throws -> [String: End] {
        // Deliveries that a task's end creates are not in the list that shows the task as unfinished.
        for _ in 1...2 {
            try await forEachUnfinishedTask(client) { _ = try await client.finished($0) }
        }
        var ends: [String: End] = [:]
        try await client.forEachTask("&fields=state,done,parent") { (end: End) in ends[end.id] = end }
        return ends
    }

    private func expectEnds(_ ends: [String: End], _ client: APIClient) async throws {
        let promises = promises.sorted { $0.key < $1.key }
        let step = max(1, promises.count / Self.mostReadAlone)
        for (index, (id, promise)) in promises.enumerated() {
            guard let end = ends[id] else {
                Issue.record("\(id) was acknowledged and is lost")
                continue
            }
            #expect(end.done, "\(id) is \(end.state)")
            if promise.isCanceled { #expect(end.state == "canceled", "\(id) was canceled and is \(end.state)") }
            guard index % step == 0 else { continue }
            let names = try await client.endings(of: id)
            #expect(names == ["task.\(end.state)"], "\(id) has ended as \(names)")
        }
        // A key belongs to one task, however often its create was sent.
        #expect(Set(keys.values).count == keys.count)
    }

    private func expectCallbacks(_ ends: [String: End], _ upstream: CrashUpstream) {
        var deliveries: [String: [End]] = [:]
        for end in ends.values {
            if let parent = end.parent { deliveries[parent, default: []].append(end) }
        }
        let messages = upstream.messages
        for id in messages.keys where ends[id] == nil {
            Issue.record("\(id) was told of and does not exist")
        }
        for (id, promise) in promises where promise.hasCallback {
            let deliveries = deliveries[id] ?? []
            #expect(deliveries.map(\.state) == ["succeeded"], "the deliveries of \(id)")
            #expect(messages[id]?.count == 1, "\(id) was told of in \(messages[id] ?? [])")
        }
    }
}

extension APIClient {
    /// Returns the names of a task's stored events that report its end.
    fileprivate func endings(of id: String) async throws -> [String] {
        let response = try await get("/v1/tasks/\(id)/events", "Last-Event-ID: 0")
        let ends: Set = ["task.succeeded", "task.failed", "task.canceled"]
        return response.text.split(separator: "\n").compactMap { line in
            guard line.hasPrefix("event: ") else { return nil }
            let name = String(line.dropFirst(7))
            return ends.contains(name) ? name : nil
        }
    }
}
