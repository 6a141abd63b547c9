import ErrandSupport
import Foundation
import Testing

extension Acceptance {
    @Suite("Memory does not grow with a response")
    struct MemoryTests {
        private static let limitBytes = 100 << 20
        /// A gibibyte takes long without optimisation, so it is used with `ERRAND_SOAK=1` only.
        private static let size =
            ProcessInfo.processInfo.environment["ERRAND_SOAK"] == nil ? 128 << 20 : 1 << 30

        @Test(
            "A large response is stored and read back with its SHA-256 in less than 100 MiB",
            .enabled(if: !Errand.isSanitized))
        func largeResponse() async throws {
            let folder = try TemporaryFolder()
            try await withEcho { echo in
                let url = "\(echo.origin)/bytes/\(Self.size)"
                let expected = try await Self.sha256(of: url)
                let settings = GatewaySettings(upstream: echo.origin, maxBody: "2GiB")
                try await withGateway(settings, in: folder) { gateway in
                    let client = try gateway.client()
                    let task = try await client.run(#"{"session":"raw","path":"bytes/\#(Self.size)"}"#)
                    #expect(task.state == "succeeded")
                    #expect(task.response?.body?.size == Self.size)
                    #expect(task.response?.body?.sha256 == expected)
                    #expect(try await Self.sha256(of: "\(gateway.origin)/v1/tasks/\(task.id)/body") == expected)
                    // A client that reads only the beginning costs no more memory.
                    let slow = try gateway.client()
                    try await slow.connection.send(
                        "GET /v1/tasks/\(task.id)/body HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    _ = try await slow.connection.bytes(1)
                    #expect(try await client.get("/v1/tasks").status == 200)
                    slow.connection.close()
                    let peak = try gateway.process.peakMemoryBytes()
                    print("\(Self.size >> 20) MiB stored and read back: at most \(peak >> 20) MiB in memory")
                    #expect(peak < Self.limitBytes)
                }
            }
        }

        /// Returns the digest of a URL's content, computed by independent programs.
        private static func sha256(of url: String) async throws -> String {
            let command = "curl --silent --show-error --fail \"$0\" | sha256sum"
            let result = try await ChildProcess("/bin/sh", ["-c", command, url]).result()
            #expect(result.errors == "")
            return String(result.output.prefix { $0 != " " })
        }
    }
}
