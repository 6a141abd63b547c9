import ErrandSupport
import Foundation
import Testing

extension Acceptance {
    @Suite("Folders of another task store")
    struct OtherStoreTests {
        /// Answers every request with content that is larger than what the database keeps.
        @Sendable private static func answer(_ connection: ScriptedConnection) throws {
            while true {
                _ = try connection.readRequest()
                try connection.respond(
                    "200 OK", ["Content-Type: text/plain"], body: String(repeating: "content ", count: 512))
            }
        }

        private func settings(_ upstream: ScriptedServer) -> GatewaySettings {
            var settings = GatewaySettings(upstream: upstream.origin)
            settings.store = ["durability: normal", "inline_body: 1KiB"]
            return settings
        }

        /// Expects that a gateway with another database refuses to start, and returns the reason.
        private func refusal(
            _ settings: GatewaySettings, database: String = "other.db", in folder: TemporaryFolder
        ) async throws -> String {
            let yaml = settings.yaml(folder)
                .replacingOccurrences(of: folder["./errand.db"], with: folder[database])
            let failed = try await Errand.run("serve", "--config", try folder.write(yaml, to: "other.yaml"))
            #expect(failed.exit == .status(1))
            return failed.errors
        }

        @Test("A start with an empty database removes nothing and fails; with the right one, all bodies are there")
        func mistypedPath() async throws {
            let folder = try TemporaryFolder()
            try await withUpstream(Self.answer) { upstream in
                let settings = settings(upstream)
                let (task, before) = try await withGateway(settings, in: folder) { gateway in
                    let client = try gateway.client()
                    let task = try await client.run(#"{"session":"raw"}"#)
                    let upload = #"{"session":"raw","kind":"upload","body":{"content":"later"},"start":"suspended"}"#
                    #expect(try await client.put([1, 2, 3], to: client.create(upload)).status == 204)
                    return (task, try folder.files(below: "data"))
                }
                #expect(before.count == 2, "\(before)")
                let incomplete = "bodies/00/\(task.id).part"
                try folder.write("incomplete", to: "data/\(incomplete)")
                // The second start finds a database that exists, and is as empty.
                for _ in 0..<2 {
                    let reason = try await refusal(settings, in: folder)
                    #expect(reason.contains("\(folder["./data"]) belongs to another task store"), "\(reason)")
                    #expect(reason.contains("delete \(folder["./data/.errand-store"])"), "\(reason)")
                }
                #expect(Set(try folder.files(below: "data")) == Set(before + [incomplete]))

                // As an earlier version has left it.
                try FileManager.default.removeItem(atPath: folder["data/.errand-store"])
                for _ in 0..<2 {
                    let reason = try await refusal(settings, in: folder)
                    #expect(reason.contains("has files of another task store: this one is new"), "\(reason)")
                }
                #expect(Set(try folder.files(below: "data")) == Set(before + [incomplete]))
                try await withGateway(settings, in: folder) { gateway in
                    let body = try await gateway.client().get("/v1/tasks/\(task.id)/body")
                    #expect(body.text.utf8.count == 4096)
                    #expect(try folder.files(below: "data") == before)
                    let mark = try FileManager.default.destinationOfSymbolicLink(atPath: folder["data/.errand-store"])
                    #expect(mark.utf8.count == 32, "the store has marked its folder again")
                }
            }
        }

        @Test("A second gateway with its own database is refused the data directory of a running one")
        func sharedData() async throws {
            let folder = try TemporaryFolder()
            try await withUpstream(Self.answer) { upstream in
                let settings = settings(upstream)
                try await withGateway(settings, in: folder) { gateway in
                    // The folder has no files yet.
                    #expect(try await refusal(settings, in: folder).contains("belongs to another task store"))
                    let task = try await gateway.client().run(#"{"session":"raw"}"#)
                    #expect(try await refusal(settings, in: folder).contains("belongs to another task store"))
                    #expect(try await gateway.client().get("/v1/tasks/\(task.id)/body").status == 200)
                    // A copy has the same name.
                    let copied = try await Errand.run("backup", folder["backup"], "--config", folder["config.yaml"])
                    #expect(copied.exit == .status(0), "\(copied.errors)")
                    let reason = try await refusal(settings, database: "backup/errand.db", in: folder)
                    #expect(reason.contains("another gateway with a copy of the task store uses"), "\(reason)")
                }
            }
        }

        @Test("A second gateway is refused the partial files of a running download of the first")
        func sharedDownloads() async throws {
            let folder = try TemporaryFolder()
            try await withUpstream({ connection in
                try connection.readRequest()
                try connection.send("HTTP/1.1 200 OK\r\nETag: \"a\"\r\nAccept-Ranges: bytes\r\n")
                try connection.send("Content-Length: 1000000\r\n\r\n")
                try connection.send([UInt8](repeating: 1, count: 500_000))
                connection.waitForClose()
            }) { upstream in
                var first = settings(upstream)
                first.files = ["downloads: \(folder["downloads"])"]
                first.dispatcher = ["drain: 0s"]
                try await withGateway(first, in: folder) { gateway in
                    let client = try gateway.client()
                    let task = try await client.create(
                        #"{"session":"raw","kind":"download","path":"f","download":{"destination":"f"}}"#)
                    let partial = "\(task.id).part"
                    try await until {
                        FileManager.default.fileExists(atPath: folder["downloads/.downloads.part/\(partial)"])
                    }
                    var second = first
                    second.state = "second"
                    let yaml = second.yaml(folder)
                    let failed = try await Errand.run(
                        "serve", "--config", try folder.write(yaml, to: "second.yaml"))
                    #expect(failed.exit == .status(1))
                    #expect(failed.errors.contains("(files.downloads)"), "\(failed.errors)")
                    #expect(failed.errors.contains("belongs to another task store"), "\(failed.errors)")
                    #expect(try folder.files(below: "downloads/.downloads.part").contains(partial))
                }
            }
        }
    }
}
