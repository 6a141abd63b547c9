import ErrandSupport
import Foundation
import Testing

extension Acceptance {
    @Suite("A full disk", .enabled(if: NameServer.isPossible, "needs the right to mount"))
    struct FullDiskTests {
        private static let bodyBytes = 1 << 20
        private static let bodies = 8

        @Test("Killed and started again on it, the gateway answers, frees by deletes, and goes on when there is room")
        func restart() async throws {
            let folder = try TemporaryFolder()
            try await withUpstream({ connection in
                while true {
                    let request = try connection.readRequest()
                    if request.line.contains("/held "), connection.number == 0 { return connection.waitForClose() }
                    let isLarge = request.line.contains("/large ")
                    let body = isLarge ? String(repeating: "1", count: Self.bodyBytes) : "{}"
                    try connection.respond("200 OK", ["Content-Type: application/json"], body: body)
                }
            }) { upstream in
                var settings = GatewaySettings(upstream: upstream.origin, attempts: nil)
                settings.state = "state"
                settings.session = ["limits: { concurrent: 1 }"]
                try folder.makeFolder("state")
                let disk = try await SmallDisk(at: folder["state"], mebibytes: 192)
                let first = try await GatewayProcess(settings, in: folder, launcher: disk.launcher)
                let client = try first.client()
                let held = try await client.create(#"{"session":"up","path":"held"}"#)
                let queued = try await client.create(#"{"session":"up","path":"queued"}"#)
                _ = await upstream.requests.first(1)
                var large: [TaskView] = []
                for _ in 0..<Self.bodies {
                    large.append(try await client.run(#"{"session":"raw","path":"large"}"#))
                }
                #expect(large.allSatisfy { $0.state == "succeeded" })
                await first.kill()
                try disk.fill()

                try await withGateway(settings, in: folder, launcher: disk.launcher) { gateway in
                    let client = try gateway.client()
                    #expect(try await client.get("/healthz").status == 200)
                    for task in large {
                        #expect(try await client.task(task.id).state == "succeeded")
                        #expect(try await client.get("/v1/tasks/\(task.id)/body").body.count == Self.bodyBytes)
                    }
                    #expect(try await client.list().tasks.count == 2 + Self.bodies)
                    let refused = try await client.post("/v1/tasks", json: #"{"session":"up"}"#)
                    #expect(try ProblemView(refused).status == 503)
                    #expect(try ProblemView(refused).detail?.contains("The disk is full") == true)
                    #expect(try await client.get("/readyz").status == 503)
                    #expect(try await client.task(queued.id).hold == "disk_full")
                    #expect(upstream.requests.events.count == 1 + Self.bodies, "nothing begins")

                    #expect(try disk.files(in: folder["state/data/bodies"]) == Self.bodies)
                    for task in large {
                        #expect(try await client.send("DELETE", "/v1/tasks/\(task.id)").status == 204)
                        #expect(try await client.get("/v1/tasks/\(task.id)").status == 404)
                    }
                    #expect(try disk.files(in: folder["state/data/bodies"]) == 0)

                    disk.makeRoom()
                    // In the order in which they came, and the one that was cut off again.
                    #expect(try await client.finished(client.task(held.id)).state == "succeeded")
                    #expect(try await client.finished(client.task(queued.id)).state == "succeeded")
                    try await until { try await client.get("/readyz").status == 200 }
                    // The store looks once a second whether there is room again.
                    var response = refused
                    try await until {
                        response = try await client.post("/v1/tasks", json: #"{"session":"raw","path":"large"}"#)
                        return response.status != 503
                    }
                    let last = try await client.finished(TaskView(response, expecting: [202]))
                    #expect(last.state == "succeeded")
                }
            }
        }

        @Test("Retention frees space on it, and the idempotency keys of the tasks that it removes are still known")
        func retention() async throws {
            let folder = try TemporaryFolder()
            try await withUpstream({ connection in
                while true {
                    try connection.readRequest()
                    try connection.respond("200 OK", [], body: String(repeating: "1", count: Self.bodyBytes))
                }
            }) { upstream in
                var settings = GatewaySettings(upstream: upstream.origin)
                settings.state = "state"
                try folder.makeFolder("state")
                let disk = try await SmallDisk(at: folder["state"], mebibytes: 192)
                let first = try await GatewayProcess(settings, in: folder, launcher: disk.launcher)
                let client = try first.client()
                var tasks: [TaskView] = []
                for number in 0..<Self.bodies {
                    let created = try TaskView(await Self.post(number, to: client), expecting: [202])
                    tasks.append(try await client.finished(created))
                }
                #expect(tasks.allSatisfy { $0.state == "succeeded" })
                await first.kill()
                try disk.fill()

                settings.store.append("retention: { max_tasks: 1 }")
                try await withGateway(settings, in: folder, launcher: disk.launcher) { gateway in
                    let client = try gateway.client()
                    // The first sweep begins with the start.
                    for task in tasks.dropLast() {
                        try await until { try await client.get("/v1/tasks/\(task.id)").status == 404 }
                    }
                    try await until {
                        #expect(try await client.get("/healthz").status == 200)
                        return try disk.files(in: folder["state/data/bodies"]) == 1
                    }
                    // Full again, so that a repeated request has to be answered without any room.
                    try disk.fill()
                    for (number, task) in tasks.enumerated() {
                        let answer = try await Self.post(number, to: client)
                        #expect(answer.status == 200)
                        #expect(answer["Idempotent-Replayed"] == "true")
                        let replay = try JSONDecoder().decode(Replay.self, from: Data(answer.body))
                        #expect(replay.id == task.id && replay.state == "succeeded")
                        #expect(replay.removed == (number < Self.bodies - 1 ? true : nil))
                        let other = try await Self.post(number, priority: 2, to: client)
                        #expect(try ProblemView(other).type.hasSuffix("idempotency-key-reused"))
                    }
                    #expect(upstream.requests.events.count == Self.bodies, "none was sent again")
                    disk.makeRoom()
                    // The store looks once a second whether there is room again.
                    var accepted: TaskView?
                    try await until {
                        let response = try await Self.post(Self.bodies, to: client)
                        guard response.status != 503 else { return false }
                        accepted = try TaskView(response, expecting: [202])
                        return true
                    }
                    #expect(try await client.finished(#require(accepted)).state == "succeeded")
                }
            }
        }

        /// The members that are left of a removed task.
        private struct Replay: Decodable {
            var id: String
            var state: String
            var removed: Bool?
        }

        /// Creates the task of a key.
        private static func post(
            _ number: Int, priority: Int = 1, to client: APIClient
        ) async throws -> RawHTTPClient.Response {
            try await client.post(
                "/v1/tasks", json: #"{"session":"raw","path":"\#(number)","priority":\#(priority)}"#,
                "Idempotency-Key: \"key-\(number)\"")
        }

        @Test("With a small files.min_free, readyz is 503 while tasks are refused, and 200 when one is accepted")
        func readiness() async throws {
            let folder = try TemporaryFolder()
            try folder.makeFolder("state")
            let disk = try await SmallDisk(at: folder["state"], mebibytes: 128)
            // Less than the store's reserve.
            try disk.fill(leaving: 12 << 20)
            try await withUpstream(holding: Gate()) { upstream in
                var settings = GatewaySettings(upstream: upstream.origin, files: ["min_free: 1MiB"])
                settings.state = "state"
                try await withGateway(settings, in: folder, launcher: disk.launcher) { gateway in
                    let client = try gateway.client()
                    #expect(try ProblemView(await client.post("/v1/tasks", json: #"{"session":"up"}"#)).status == 503)
                    let problem = try ProblemView(await client.get("/readyz"))
                    #expect(problem.status == 503)
                    #expect(problem.detail?.contains("The disk is full") == true, "\(problem)")
                    disk.makeRoom()
                    try await until { try await client.get("/readyz").status == 200 }
                    #expect(try await client.run(#"{"session":"up"}"#).state == "succeeded")
                }
            }
        }

        @Test("Where files may not grow beyond a size, a body is cannot_write, and the gateway goes on")
        func fileSizeLimit() async throws {
            try await withUpstream({ connection in
                while true {
                    let size = try connection.readRequest().line.contains("/large ") ? 40 << 20 : 1 << 20
                    try connection.respond("200 OK", [], body: String(repeating: "1", count: size))
                }
            }) { upstream in
                let settings = GatewaySettings(upstream: upstream.origin, maxBody: "64MiB")
                let launcher = ["/usr/bin/prlimit", "--fsize=\(32 << 20)"]
                try await withGateway(settings, launcher: launcher) { gateway in
                    let client = try gateway.client()
                    let task = try await client.run(#"{"session":"raw","path":"large"}"#)
                    #expect(task.state == "failed")
                    #expect(task.error?.code == "cannot_write")
                    #expect(try await client.run(#"{"session":"raw","path":"small"}"#).state == "succeeded")
                }
            }
        }
    }
}
