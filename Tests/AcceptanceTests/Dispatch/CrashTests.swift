import Foundation
import Support
import Testing

extension Acceptance {
    @Suite("Killed again and again")
    struct CrashTests {
        /// `make soak` has 200.
        private static let rounds = Soak.isWanted ? 200 : 4

        @Test(
            "Nothing acknowledged is lost, nothing ends twice, no callback is lost, and nothing is sent twice unasked")
        func killedAgainAndAgain() async throws {
            let folder = try TemporaryFolder()
            let upstream = try CrashUpstream()
            defer { upstream.stop() }
            let settings = Self.settings(upstream.origin)
            let load = CrashLoad(seed: 20_261_121)
            for _ in 0..<Self.rounds {
                let gateway = try await GatewayProcess(settings, in: folder)
                await load.run(gateway)
                #expect(await gateway.process.exit() == .signal(SIGKILL))
            }
            try await withGateway(settings, in: folder) { gateway in
                let client = try gateway.client()
                while !load.isAnswered { try await load.repeatUnanswered(client) }
                // What stood still when its client died, and what waits for an upstream that never answers.
                _ = try await client.post("/v1/tasks:resume", json: #"{"state":["suspended"]}"#)
                try await cancelStuck(client)
                try await expectEnds(load, client)
                try await expectCallbacks(load, upstream, client)
            }
            for (path, times) in upstream.requests where path.hasPrefix("/once/") {
                #expect(times == 1, "\(path) was sent \(times) times")
            }
            print("\(Self.rounds) rounds, \(load.promises.count) tasks, \(upstream.messages.count) messages")
        }

        private static func settings(_ origin: String) -> GatewaySettings {
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

        private func expectEnds(_ load: CrashLoad, _ client: APIClient) async throws {
            for (id, promise) in load.promises.sorted(by: { $0.key < $1.key }) {
                let answer = try await client.get("/v1/tasks/\(id)")
                guard answer.status == 200 else {
                    Issue.record("\(id) was acknowledged and is lost")
                    continue
                }
                let task = try await client.finished(TaskView(answer))
                if promise.isCanceled { #expect(task.state == "canceled", "\(id) was canceled and is \(task.state)") }
                let ends = try await client.endings(of: id)
                #expect(ends == ["task.\(task.state)"], "\(id) has ended as \(ends)")
            }
            // A key is one task, however often its create was sent.
            #expect(Set(load.keys.values).count == load.keys.count)
        }

        private func expectCallbacks(
            _ load: CrashLoad, _ upstream: CrashUpstream, _ client: APIClient
        ) async throws {
            for (id, promise) in load.promises.sorted(by: { $0.key < $1.key }) where promise.hasCallback {
                let deliveries = try await client.list("?parent=\(id)").tasks
                #expect(deliveries.count == 1, "\(id) has \(deliveries.count) deliveries")
                for delivery in deliveries {
                    #expect(try await client.finished(delivery).state == "succeeded")
                }
                #expect(upstream.messages[id]?.count == 1, "\(id) was told of in \(upstream.messages[id] ?? [])")
            }
        }
    }
}

extension APIClient {
    /// The names of the events of a task that tell of its end, of all that are stored.
    fileprivate func endings(of id: String) async throws -> [String] {
        let answer = try await get("/v1/tasks/\(id)/events", "Last-Event-ID: 0")
        let ends: Set = ["task.succeeded", "task.failed", "task.canceled"]
        return answer.text.split(separator: "\n").compactMap { line in
            guard line.hasPrefix("event: ") else { return nil }
            let name = String(line.dropFirst(7))
            return ends.contains(name) ? name : nil
        }
    }
}
