import ErrandCryptography
import ErrandLocking
import ErrandSupport
import ErrandText
import Foundation
import Testing

extension Acceptance {
    @Suite("Back-pressure of a suspended task")
    struct BackPressureTests {
        /// More than the buffers of two sockets can contain.
        private static let size = 32 << 20
        /// Distinct blocks.
        private static let content = (0..<size / block.count).reduce(into: [UInt8]()) { content, number in
            let mark = Array("\(number)".utf8)
            content += mark
            content += block.dropFirst(mark.count)
        }
        private static let block = (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        private static let digest = Hexadecimal.encode(SHA256.hash(content))
        /// The size received before the task is suspended.
        private static let beginning = 512 << 10
        /// The time without progress after which the upstream tells the test of it.
        ///
        /// It proves nothing: a gateway that is only slow is found by what comes after other tasks, see
        /// ``runOthers(_:)``.
        private static let stallMilliseconds: Int32 = 500

        /// Answers if a request is of another task than the large one.
        private static func answersOther(_ request: ScriptedRequest, on connection: ScriptedConnection) throws -> Bool {
            guard request.line.contains("/other ") else { return false }
            try connection.respond("200 OK", ["Content-Type: application/json"], body: "{}")
            return true
        }

        /// Runs other tasks, on the same thread of the gateway: it has served each connection that it serves meanwhile.
        private static func runOthers(_ client: APIClient) async throws {
            for _ in 0..<10 {
                #expect(try await client.run(#"{"session":"raw","path":"other"}"#).state == "succeeded")
            }
        }

        @Test("A suspended task stops reading, which blocks its upstream; resumed, it gets the rest byte for byte")
        func receiving() async throws {
            let gate = Gate()
            let stalled = Signal<Int>()
            try await withUpstream({ connection in
                if try Self.answersOther(connection.readRequest(), on: connection) { return }
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(Self.size)\r\n\r\n")
                try connection.send(Array(Self.content.prefix(Self.beginning)))
                gate.wait()
                var sent = Self.beginning
                // The test waits for it, also if the gateway closes the connection.
                defer { stalled.send(sent) }
                while sent < Self.size {
                    if try !connection.waitForRoom(patienceMilliseconds: Self.stallMilliseconds) {
                        stalled.send(sent)
                        _ = try connection.waitForRoom()
                    }
                    sent += try connection.sendWithoutWaiting(Self.content[sent...])
                }
            }) { upstream in
                let settings = GatewaySettings(upstream: upstream.origin, maxBody: "64MiB")
                try await withGateway(settings) { gateway in
                    let client = try gateway.client()
                    let task = try await client.create(#"{"session":"raw"}"#)
                    // Progress has no event here, so it is polled.
                    try await until { try await client.task(task.id).progress.download.completed >= Self.beginning }
                    let suspended = try await client.suspend(task)
                    #expect(suspended.state == "suspended")
                    #expect(!suspended.done)
                    gate.open()
                    let sent = await stalled.wait()
                    #expect(sent < Self.size)
                    try await Self.runOthers(client)
                    // The difference is in the buffers of the two sockets.
                    let received = try await client.task(task.id).progress.download.completed
                    #expect(received >= Self.beginning)
                    #expect(received <= Self.beginning + (1 << 20))
                    print("suspended: \(received) bytes read, \(sent) sent, of \(Self.size)")

                    let again = try await client.suspend(task)
                    #expect(again.revision == suspended.revision)
                    let resumed = try await client.resume(task)
                    #expect(resumed.state == "running")
                    #expect(resumed.revision == suspended.revision + 1)

                    let finished = try await client.finished(resumed)
                    #expect(finished.state == "succeeded")
                    #expect(finished.attempts.map(\.number) == [1])
                    #expect(finished.response?.body?.size == Self.size)
                    #expect(finished.response?.body?.sha256 == Self.digest)
                }
            }
        }

        @Test("A suspended task stops sending; resumed, its upstream gets the rest byte for byte")
        func sending() async throws {
            let begun = Signal<Void>()
            let gate = Gate()
            let stalled = Signal<Void>()
            let count = Mutex(0)
            try await withUpstream({ connection in
                let request = try connection.readHead()
                if try Self.answersOther(request, on: connection) { return }
                // The test waits for both, also if the gateway closes the connection.
                defer {
                    begun.send()
                    stalled.send()
                }
                var received: [UInt8] = []
                while received.count < Self.beginning { received += try connection.readWhatComes() }
                begun.send()
                gate.wait()
                while received.count < Self.size {
                    if try !connection.waitForBytes(patienceMilliseconds: Self.stallMilliseconds) { stalled.send() }
                    received += try connection.readWhatComes()
                    let total = received.count
                    count.withLock { $0 = total }
                }
                stalled.send()
                let digest = Hexadecimal.encode(SHA256.hash(received))
                try connection.respond(
                    "200 OK", ["Content-Type: application/json"],
                    body: #"{"length":"\#(request["Content-Length"] ?? "none")","sha256":"\#(digest)"}"#)
            }) { upstream in
                let folder = try TemporaryFolder()
                try folder.makeFolder("uploads")
                try Data(Self.content).write(to: URL(fileURLWithPath: folder["uploads/large.bin"]))
                var settings = GatewaySettings(upstream: upstream.origin)
                settings.files = ["uploads: \(folder["uploads"])"]
                try await withGateway(settings, in: folder) { gateway in
                    let client = try gateway.client()
                    let task = try await client.create(#"{"session":"up","method":"PUT","body":{"file":"large.bin"}}"#)
                    await begun.wait()
                    #expect(try await client.suspend(task).state == "suspended")
                    gate.open()
                    await stalled.wait()
                    try await Self.runOthers(client)
                    let received = count.withLock { $0 }
                    #expect(received < Self.size)
                    print("suspended: \(received) of \(Self.size) bytes received")
                    let finished = try await client.finished(client.resume(task))
                    #expect(finished.state == "succeeded")
                    #expect(finished.attempts.map(\.number) == [1])
                    #expect(
                        finished.response?.object == [
                            "length": .string("\(Self.size)"), "sha256": .string(Self.digest),
                        ])
                }
            }
        }
    }
}
