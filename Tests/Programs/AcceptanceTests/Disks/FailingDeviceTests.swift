import ErrandSupport
import Foundation
import Testing

extension Acceptance {
    @Suite("A device that fails loses no acknowledged task")
    struct FailingDeviceTests {
        private static let bodyBytes = 1 << 20
        private static let large = #"{"session":"raw","path":"large"}"#

        private static func settings(_ upstream: ScriptedServer, attempts: Int = 1) -> GatewaySettings {
            GatewaySettings(
                upstream: upstream.origin, store: ["durability: full"], attempts: attempts, state: "state")
        }

        private static func lines(_ log: String, _ message: String) -> Int {
            log.split(separator: "\n").count { $0.contains(message) }
        }

        /// Answers with a large body; the second request to `/retried` waits for the gate.
        private static func answering(holding gate: Gate) -> ScriptedServer.Script {
            let retried = EventLog<Void>()
            return { connection in
                while true {
                    if try connection.readRequest().line.contains("/retried ") {
                        retried.append()
                        if retried.events.count == 2 { gate.wait() }
                    }
                    try connection.respond("200 OK", [], body: String(repeating: "1", count: bodyBytes))
                }
            }
        }

        @Test(
            "An attempt fails if its body cannot be written, synced or renamed, and is repeated where that is allowed",
            arguments: [FailingDevice.Call.write, .sync, .folderSync, .rename])
        func bodies(call: FailingDevice.Call) async throws {
            let folder = try TemporaryFolder()
            try folder.makeFolder("state")
            let device = try await FailingDevice(in: folder)
            let gate = Gate()
            try await withUpstream(Self.answering(holding: gate)) { upstream in
                let settings = Self.settings(upstream, attempts: 3)
                let process = try await withGateway(settings, in: folder, environment: device.environment) { gateway in
                    let client = try gateway.client()
                    let before = try await client.run(Self.large)
                    #expect(before.state == "succeeded")

                    try device.fail(call, at: folder["state/data/bodies"])
                    let post = try await client.run(#"{"session":"raw","method":"POST","path":"large"}"#)
                    #expect(post.state == "failed")
                    #expect(post.error?.code == "cannot_write")
                    #expect(post.attempts.count == 1)
                    #expect(post.response?.body == nil)
                    let warning = try await gateway.process.logLine(containing: "A body file could not be written")
                    #expect(warning.contains(post.id), "\(warning)")
                    #expect(warning.contains("Input/output error"), "\(warning)")
                    let task = try await client.attempted(client.create(#"{"session":"raw","path":"retried"}"#))
                    #expect(task.attempts.first?.error?.code == "cannot_write")
                    #expect(try folder.files(below: "state/data/bodies").count == 1, "Only the first body has a file")
                    #expect(try await client.get("/v1/tasks/\(before.id)/body").body.count == Self.bodyBytes)

                    try device.work()
                    gate.open()
                    let last = try await client.finished(task)
                    #expect(last.state == "succeeded")
                    #expect(last.attempts.map(\.error?.code) == ["cannot_write", nil])
                    #expect(try await client.get("/v1/tasks/\(last.id)/body").body.count == Self.bodyBytes)
                    return gateway.process
                }
                let log = await process.errors.all()
                #expect(Self.lines(log, "A body file could not be written") == 2, "\(log)")
            }
        }

        @Test("An attempt fails if its content cannot be read back, and the next one succeeds")
        func reading() async throws {
            let folder = try TemporaryFolder()
            try folder.makeFolder("state")
            let device = try await FailingDevice(in: folder)
            try await withUpstream({ connection in
                while true {
                    try connection.readRequest()
                    let body = #"{"a":""# + String(repeating: "1", count: Self.bodyBytes) + #""}"#
                    try connection.respond("200 OK", ["Content-Type: application/json"], body: body)
                }
            }) { upstream in
                let settings = Self.settings(upstream)
                try await withGateway(settings, in: folder, environment: device.environment) { gateway in
                    let client = try gateway.client()
                    try device.fail(.read, at: folder["state/data/bodies"])
                    let task = try await client.run(#"{"session":"up"}"#)
                    #expect(task.state == "failed")
                    #expect(task.error?.code == "cannot_write")
                    let warning = try await gateway.process.logLine(containing: "A body file could not be read")
                    #expect(warning.contains(task.id), "\(warning)")
                    #expect(warning.contains("Input/output error"), "\(warning)")
                    try device.work()
                    #expect(try await client.run(#"{"session":"up"}"#).state == "succeeded")
                }
            }
        }

        @Test(
            "A create that the store cannot write or sync is 503; no acknowledged task is lost, and the store goes on",
            arguments: [FailingDevice.Call.write, .sync])
        func store(call: FailingDevice.Call) async throws {
            let folder = try TemporaryFolder()
            try folder.makeFolder("state")
            let device = try await FailingDevice(in: folder)
            let gate = Gate()
            try await withUpstream(holding: gate) { upstream in
                let settings = Self.settings(upstream)
                let gateway = try await GatewayProcess(settings, in: folder, environment: device.environment)
                let client = try gateway.client()
                let first = try await client.run(#"{"session":"up","path":"first"}"#)
                let held = try await client.create(#"{"session":"up","path":"held"}"#)
                _ = await upstream.requests.first(2)

                try device.fail(call, at: folder["state/errand.db"])
                let answers = try await withThrowingTaskGroup(of: RawHTTPClient.Response.self) { group in
                    for _ in 0..<8 {
                        group.addTask {
                            try await gateway.client().post("/v1/tasks", json: #"{"session":"up","path":"refused"}"#)
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(answers.count == 8)
                for answer in answers {
                    let problem = try ProblemView(answer)
                    #expect(problem.status == 503)
                    #expect(problem.detail?.contains("could not be read or written") == true, "\(problem)")
                }
                #expect(try await client.get("/readyz").status == 503)
                let error = try await gateway.process.logLine(containing: "The store failed to add tasks")
                #expect(error.contains("SQLite"), "\(error)")
                // The end of the attempt cannot be stored yet.
                gate.open()
                _ = try await gateway.process.logLine(containing: "The store failed; trying again")

                try device.work()
                #expect(try await client.finished(held).state == "succeeded")
                let second = try await client.run(#"{"session":"up","path":"second"}"#)
                try await until { try await client.get("/readyz").status == 200 }
                #expect(try await client.list().tasks.map(\.id) == [second, held, first].map(\.id))
                #expect(upstream.requests.events.allSatisfy { !$0.line.contains("/refused ") })
                await gateway.kill()

                try await withGateway(settings, in: folder) { gateway in
                    let client = try gateway.client()
                    for task in [first, held, second] {
                        #expect(try await client.task(task.id).state == "succeeded")
                    }
                    #expect(try await client.list().tasks.count == 3)
                }
            }
        }

        @Test(
            "An exhausted quota counts as a full disk: no task is added, but tasks can be canceled and deleted",
            arguments: [false, true])
        func quota(isRestarted: Bool) async throws {
            let folder = try TemporaryFolder()
            try folder.makeFolder("state")
            let device = try await FailingDevice(in: folder)
            try await withUpstream(holding: Gate()) { upstream in
                let settings = Self.settings(upstream)
                var gateway = try await GatewayProcess(settings, in: folder, environment: device.environment)
                var client = try gateway.client()
                let suspended = #"{"session":"up","path":"waits","start":"suspended"}"#
                var tasks: [TaskView] = []
                for _ in 0..<4 { tasks.append(try await client.create(suspended)) }

                try device.exhaustQuota(of: folder["state"])
                if isRestarted {
                    await gateway.kill()
                    gateway = try await GatewayProcess(settings, in: folder, environment: device.environment)
                    client = try gateway.client()
                }
                let refused = try ProblemView(await client.post("/v1/tasks", json: suspended))
                #expect(refused.status == 503)
                #expect(refused.detail?.contains("The disk is full") == true, "\(refused)")
                // It is checked once a second.
                try await until { try await client.get("/readyz").status == 503 }
                #expect(try ProblemView(await client.get("/readyz")).detail?.contains("The disk is full") == true)
                if !isRestarted {
                    let line = try await gateway.process.logLine(containing: "The store failed to add tasks")
                    #expect(line.contains("SQLite 778"), "\(line)")
                }
                // The start has released the reserve, or the first cancel does.
                let reserve = folder["state/errand.db.ballast"]
                #expect(FileManager.default.fileExists(atPath: reserve) != isRestarted)

                for task in tasks.prefix(2) {
                    #expect(try await client.post("/v1/tasks/\(task.id)/cancel").status == 200)
                    #expect(try await client.task(task.id).state == "canceled")
                }
                #expect(!FileManager.default.fileExists(atPath: reserve))
                for task in tasks.dropFirst() {
                    #expect(try await client.send("DELETE", "/v1/tasks/\(task.id)").status == 204)
                    #expect(try await client.get("/v1/tasks/\(task.id)").status == 404)
                }
                #expect(try await client.post("/v1/tasks", json: suspended).status == 503)
                #expect(try await client.list().tasks.map(\.id) == [tasks[0].id])

                try device.work()
                // The store looks once a second whether there is room again.
                var response = try await client.post("/v1/tasks", json: suspended)
                try await until {
                    response = try await client.post("/v1/tasks", json: suspended)
                    return response.status != 503
                }
                #expect(response.status == 202)
                try await until { try await client.get("/readyz").status == 200 }
                #expect(FileManager.default.fileExists(atPath: reserve))
                await gateway.kill()
            }
        }
    }
}
