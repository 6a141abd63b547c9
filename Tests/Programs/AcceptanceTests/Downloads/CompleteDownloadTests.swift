import ErrandSupport
import Testing

extension Acceptance {
    @Suite("Downloads of which nothing is left to receive")
    struct CompleteDownloadTests {
        @Test("have no body if the file cannot be moved, and can be read and listed after a restart")
        func exists() async throws {
            let content = [UInt8].noise(300_000, seed: 3)
            let folder = try TemporaryFolder()
            let answer: @Sendable (ScriptedConnection) throws -> Void = { connection in
                let request = try connection.readRequest()
                guard request["Range"] != nil else {
                    // All bytes, but not the end of the last chunk.
                    try connection.send(
                        "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nTransfer-Encoding: chunked\r\n\r\n"
                            + "\(String(content.count, radix: 16))\r\n")
                    return try connection.send(content)
                }
                try folder.write("old", to: "data/downloads/a.bin")
                let fields = [#"ETag: "v1""#, "Content-Range: bytes */\(content.count)"]
                try connection.respond("416 Range Not Satisfiable", fields, body: "no")
            }
            try await withUpstream(answer) { server in
                var settings = GatewaySettings(upstream: server.origin)
                settings.attempts = nil
                settings.session = ["retry: { max_attempts: 2, backoff: { initial: 1ms, multiplier: 1 } }"]
                let id = try await withGateway(settings, in: folder) { gateway in
                    let failed = try await gateway.client().run(
                        #"{"session":"up","kind":"download","path":"file","download":{"destination":"a.bin"}}"#)
                    #expect(failed.error?.code == "exists")
                    #expect(failed.attempts.count == 2)
                    #expect(failed.response?.status == 416)
                    #expect(failed.response?.body == nil)
                    return failed.id
                }
                try await withGateway(settings, in: folder) { gateway in
                    let client = try gateway.client()
                    let response = try await client.get("/v1/tasks/\(id)")
                    #expect(response.status == 200)
                    let list = try await client.get("/v1/tasks")
                    #expect(list.status == 200)
                    #expect(list.text.contains(id))
                }
            }
        }
    }
}
