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
        while !isAnswered { try await repeatUnanswered(client) }
        // Tasks that were suspended when their client was interrupted, and tasks that wait for an upstream that never
        // answers.
        _ = try await client.post("/v1/tasks:resume", json: #"{"state":["suspended"]}"#)
        try await cancelStuck(client)
        try await expectEnds(client)
        try await expectCallbacks(upstream, client)
        for (path, times) in upstream.requests where path.hasPrefix("/once/") {
            #expect(times == 1, "\(path) was sent \(times) times")
        }
    }

    private func cancelStuck(_ client: APIClient) async throws {
        var token: String?
        repeat {
            let page = try await client.list("?page_size=1000" + (token.map { "&page_token=\($0)" } ?? ""))
            for task in page.tasks where !task.done && task.request.url.contains("/stuck/") {
                _ = try await client.post("/v1/tasks/\(task.id)/cancel")
            }
            token = page.nextPageToken
        } while token != nil
    }

    private func expectEnds(_ client: APIClient) async throws {
        for (id, promise) in promises.sorted(by: { $0.key < $1.key }) {
            let response = try await client.get("/v1/tasks/\(id)")
            guard response.status == 200 else {
                Issue.record("\(id) was acknowledged and is lost")
                continue
            }
            let task = try await client.finished(TaskView(response))
            if promise.isCanceled { #expect(task.state == "canceled", "\(id) was canceled and is \(task.state)") }
            let ends = try await client.endings(of: id)
            #expect(ends == ["task.\(task.state)"], "\(id) has ended as \(ends)")
        }
        // A key belongs to one task, however often its create was sent.
        #expect(Set(keys.values).count == keys.count)
    }

    private func expectCallbacks(_ upstream: CrashUpstream, _ client: APIClient) async throws {
        for (id, promise) in promises.sorted(by: { $0.key < $1.key }) where promise.hasCallback {
            let deliveries = try await client.list("?parent=\(id)").tasks
            #expect(deliveries.count == 1, "\(id) has \(deliveries.count) deliveries")
            for delivery in deliveries {
                #expect(try await client.finished(delivery).state == "succeeded")
            }
            #expect(upstream.messages[id]?.count == 1, "\(id) was told of in \(upstream.messages[id] ?? [])")
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
