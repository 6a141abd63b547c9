import ErrandCryptography
import ErrandSupport
import ErrandText
import Foundation
import Testing

extension Acceptance {
    @Suite("Uploads with their content")
    struct UploadFormTests {
        private static let task = #"{"session":"up","method":"PUT","path":"in"}"#

        private func settings(_ upstream: ScriptedServer) -> GatewaySettings {
            var settings = GatewaySettings(upstream: upstream.origin)
            settings.attempts = nil
            settings.session = ["retry: { max_attempts: 2, backoff: { initial: 1ms } }"]
            return settings
        }

        private static func digest(_ bytes: [UInt8]) -> String { Hexadecimal.encode(SHA256.hash(bytes)) }

        /// Returns the form up to the first bytes of the content.
        private static func beginning(_ task: String = task) -> String {
            [
                "--B", "Content-Disposition: form-data; name=\"task\"", "Content-Type: application/json", "", task,
                "--B", "Content-Disposition: form-data; name=\"content\"; filename=\"a\"", "", "",
            ].joined(separator: "\r\n")
        }

        private static func head(_ length: Int) -> String {
            "POST /v1/tasks HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: multipart/form-data; boundary=B\r\n"
                + "Content-Length: \(length)\r\n\r\n"
        }

        private static func form(_ content: [UInt8], _ task: String = task) -> [UInt8] {
            Array(beginning(task).utf8) + content + Array("\r\n--B--\r\n".utf8)
        }

        @Test("curl -F creates an upload, whose content is sent again by a retry and removed at the end")
        func curl() async throws {
            let upstream = ContentUpstream(failures: 1)
            let content = ContentUpstream.content(3 << 20)
            let folder = try TemporaryFolder()
            try await withUpstream(upstream.answer) { server in
                try await withGateway(settings(server), in: folder) { gateway in
                    let task = try folder.write(Self.task, to: "task.json")
                    let file = try folder.write(content, to: "big.bin")
                    let curl = try ChildProcess(
                        "/usr/bin/env",
                        [
                            "curl", "-sS", "-F", "task=<\(task);type=application/json", "-F", "content=@\(file)",
                            "\(gateway.origin)/v1/tasks?wait=1h",
                        ])
                    let result = await curl.result()
                    #expect(result.exit == .status(0), "\(result.errors)")
                    let done = try TaskView.decoder.decode(TaskView.self, from: Data(result.output.utf8))
                    #expect((done.state, done.kind) == ("succeeded", "upload"))
                    #expect(done.attempts.count == 2)
                    #expect(done.content?.size == content.count)
                    #expect(done.content?.sha256 == Self.digest(content))
                    #expect(upstream.digests == [Self.digest(content), Self.digest(content)])
                    #expect(try folder.files(below: "data/contents").isEmpty)
                }
            }
        }

        @Test("A refused task is refused while its content is arriving, also with a new idempotency key")
        func refusedAtOnce() async throws {
            try await withGateway(GatewaySettings()) { gateway in
                for key in ["", "Idempotency-Key: \"new\"\r\n"] {
                    let client = try gateway.client()
                    let head = Self.head(3 << 20).replacing("Content-Type", with: "\(key)Content-Type")
                    try await client.connection.send(head + Self.beginning(#"{"session":"none","path":"in"}"#))
                    try await client.connection.send(ContentUpstream.content(1 << 20))
                    let problem = try ProblemView(await client.connection.response())
                    #expect(problem.status == 422)
                    #expect(problem.errors?.map(\.pointer) == ["/session"])
                }
            }
        }

        @Test("Nothing is left of a form whose client leaves before its end")
        func left() async throws {
            let upstream = ContentUpstream()
            let folder = try TemporaryFolder()
            try await withUpstream(upstream.answer) { server in
                try await withGateway(settings(server), in: folder) { gateway in
                    let client = try gateway.client()
                    let leaving = try gateway.client()
                    try await leaving.connection.send(Self.head(3 << 20) + Self.beginning())
                    try await leaving.connection.send(ContentUpstream.content(1 << 20))
                    // The part file shows that the gateway is receiving it.
                    try await until { try !folder.files(below: "data/contents").isEmpty }
                    leaving.connection.reset()
                    try await until { try folder.files(below: "data/contents").isEmpty }
                    #expect(try await client.list().tasks.isEmpty)
                    #expect(upstream.digests.isEmpty)
                }
            }
        }

        @Test("A task that was accepted has its content after kill -9; a form that was not leaves nothing")
        func killed() async throws {
            let upstream = ContentUpstream()
            let content = ContentUpstream.content(1 << 20)
            let suspended = #"{"session":"up","path":"in","start":"suspended"}"#
            let folder = try TemporaryFolder()
            try await withUpstream(upstream.answer) { server in
                let settings = settings(server)
                var gateway = try await GatewayProcess(settings, in: folder)
                let form = Self.form(content, suspended)
                let sender = try gateway.client()
                try await sender.connection.send(Array(Self.head(form.count).utf8) + form)
                let task = try TaskView(await sender.connection.response(), expecting: [202])
                let half = try gateway.client()
                try await half.connection.send(Array(Self.head(form.count).utf8) + form.prefix(form.count / 2))
                try await until { try folder.files(below: "data/contents").count >= 2 }
                await gateway.kill()
                gateway = try await GatewayProcess(settings, in: folder)
                let client = try gateway.client()
                #expect(try folder.files(below: "data/contents").count == 1)
                #expect(try await client.list().tasks.map(\.id) == [task.id])
                _ = try TaskView(await client.post("/v1/tasks/\(task.id)/resume"))
                #expect(try await client.finished(task).state == "succeeded")
                #expect(upstream.digests == [Self.digest(content)])
                #expect(await gateway.stop() == .status(0))
            }
        }
    }
}
