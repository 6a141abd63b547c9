import ErrandSupport
import Testing

extension Acceptance {
    @Suite("Lists that clients do not read")
    struct UnreadListTests {
        /// The tasks of a list, all of which one page of the list contains.
        enum Tasks: CaseIterable {
            /// Tasks whose page has 12 MiB: it is sent in pieces of many tasks.
            case many
            /// Tasks each of which is larger than a piece.
            case huge

            var count: Int { self == .many ? 1000 : 100 }
            /// The size of a task, in bytes.
            var bytes: Int { self == .many ? 12 << 10 : 500 << 10 }
            /// The number of tasks that one request creates.
            var batch: Int { self == .many ? 500 : 20 }
        }

        private static let clients = 300
        /// The number of clients that ask at the same time.
        private static let atOnce = 10
        /// The most memory: the budget of 64 MiB, what two readers take, and what the allocator keeps.
        private static let limitBytes = 128 << 20
        /// The most memory that is left of it.
        private static let restBytes = 64 << 20

        @Test(
            "Clients that ask for a thousand tasks and read nothing cost bounded memory, and others are served",
            .enabled(if: Errand.sanitizer != .thread), arguments: Tasks.allCases)
        func unread(tasks: Tasks) async throws {
            let folder = try TemporaryFolder()
            // A process of its own: the creation of the tasks takes memory too.
            try await withGateway(in: folder) { try await Self.create(tasks, in: $0) }
            try await withGateway(in: folder) { gateway in
                let others = GoodClient(gateway)
                let client = try gateway.client()
                try await others.round()
                #expect(try await client.list("?page_size=\(tasks.count)").tasks.count == tasks.count)
                let (before, least) = try (gateway.process.peakMemoryBytes(), gateway.process.residentMemoryBytes())

                let unread = try await Self.ask(gateway)
                for _ in 0..<20 {
                    let task = try await client.create(#"{"session":"up","path":"good","start":"suspended"}"#)
                    #expect(try await client.get("/v1/tasks/\(task.id)").status == 200)
                }
                // The store may still read what fills the buffers of 300 connections: others have every second turn.
                try await others.round()
                let growth = try gateway.process.peakMemoryBytes() - before
                let statuses = Dictionary(grouping: unread) { $0.status }.mapValues(\.count)
                print("\(Self.clients) unread lists of \(tasks): \(growth >> 20) MiB more memory, \(statuses)")
                #expect(growth < Self.limitBytes || Errand.isSanitized)
                // The budget refuses a list before it begins, or cuts it off: that depends on which piece comes first.
                #expect(statuses[200, default: 0] > 0)
                #expect(statuses[200, default: 0] + statuses[503, default: 0] == Self.clients)

                for client in unread { client.connection.close() }
                // The server gives the memory back a moment after the connections are gone.
                try await until {
                    #expect(try await client.get("/healthz").status == 200)
                    return try Errand.isSanitized
                        || gateway.process.residentMemoryBytes() <= least + Self.restBytes
                }
                #expect(try await client.list("?page_size=\(tasks.count)").tasks.count == tasks.count)
            }
        }

        /// Creates tasks that do not start.
        private static func create(_ tasks: Tasks, in gateway: GatewayProcess) async throws {
            let client = try gateway.client()
            let field = String(repeating: "x", count: tasks.bytes)
            let task = #"{"session":"up","start":"suspended","headers":{"X-Large":"\#(field)"}}"#
            let batch = #"{"tasks":[\#(Array(repeating: task, count: tasks.batch).joined(separator: ","))]}"#
            for _ in 0..<tasks.count / tasks.batch {
                #expect(try await client.post("/v1/tasks:batch", json: batch).status == 200)
            }
            #expect(try await client.get("/v1/tasks/counts").text.hasPrefix(#"{"total":\#(tasks.count),"#))
        }

        /// Makes all clients ask for the list, and returns them when each has the first bytes of its response.
        private static func ask(
            _ gateway: GatewayProcess
        ) async throws -> [(connection: RawHTTPClient, status: Int)] {
            try await withThrowingTaskGroup(of: [(RawHTTPClient, Int)].self) { group in
                for _ in 0..<atOnce {
                    group.addTask {
                        var asked: [(RawHTTPClient, Int)] = []
                        for _ in 0..<clients / atOnce {
                            let client = try RawHTTPClient(port: gateway.port, receiveBufferBytes: 4096)
                            try await client.send("GET /v1/tasks?page_size=1000 HTTP/1.1\r\nHost: localhost\r\n\r\n")
                            let line = String(decoding: try await client.bytes(12), as: UTF8.self)
                            asked.append((client, Int(line.suffix(3)) ?? 0))
                        }
                        return asked
                    }
                }
                return try await group.reduce(into: []) { $0 += $1.map { (connection: $0.0, status: $0.1) } }
            }
        }
    }
}
