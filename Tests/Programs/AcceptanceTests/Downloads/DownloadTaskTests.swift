import ErrandCryptography
import ErrandLocking
import ErrandSupport
import Foundation
import Testing

extension Acceptance {
    @Suite("Download tasks")
    struct DownloadTaskTests {
        /// Returns a task document with the members of `download`.
        private static func document(_ download: String, path: String = "file") -> String {
            #"{"session":"up","kind":"download","path":"\#(path)","download":\#(download)}"#
        }

        private func settings(_ upstream: ScriptedServer, attempts: Int = 1) -> GatewaySettings {
            var settings = GatewaySettings(upstream: upstream.origin)
            settings.attempts = nil
            settings.session = ["retry: { max_attempts: \(attempts), backoff: { initial: 1ms, multiplier: 1 } }"]
            return settings
        }

        /// The files below the folder of downloads, and in that of partial files.
        private static func files(in folder: TemporaryFolder) throws -> (downloads: [String], partials: [String]) {
            let downloads = URL(filePath: folder["data/downloads"])
            guard let all = FileManager.default.enumerator(atPath: downloads.path) else { return ([], []) }
            var isFolder: ObjCBool = false
            let names = all.compactMap { $0 as? String }.filter {
                FileManager.default.fileExists(atPath: downloads.appending(path: $0).path, isDirectory: &isFolder)
                    && !isFolder.boolValue
            }
            let partials = names.filter { $0.hasPrefix(".downloads.part/") }
            return (names.filter { !partials.contains($0) }.sorted(), partials.sorted())
        }

        @Test("A download becomes the file that its destination names, and the task says where it is")
        func destination() async throws {
            let upstream = RangedUpstream(300_000)
            let folder = try TemporaryFolder()
            try await withUpstream(upstream.answer) { server in
                try await withGateway(settings(server), in: folder) { gateway in
                    let client = try gateway.client()
                    let done = try await client.run(
                        Self.document(
                            #"{"destination":"{session}/{filename}","sha256":"\#(upstream.digest.uppercased())"}"#))
                    #expect(done.state == "succeeded")
                    #expect(done.kind == "download")
                    #expect(done.response?.file == TaskView.File(path: "up/réport.bin", size: 300_000))
                    #expect(done.response?.body == nil)
                    let missing = try ProblemView(await client.get("/v1/tasks/\(done.id)/body"))
                    #expect(missing.status == 404)
                    #expect(missing.detail?.contains("is the file up/réport.bin below files.downloads") == true)
                    #expect(done.progress.download.completed == 300_000)
                    let path = folder["data/downloads/up/réport.bin"]
                    #expect(FileManager.default.contents(atPath: path) == Data(upstream.content))
                    #expect(try Self.files(in: folder).partials.isEmpty)
                }
            }
        }

        @Test("Without a destination the content is the body of the task, whatever its size and type")
        func body() async throws {
            let upstream = RangedUpstream(9 << 20)
            let folder = try TemporaryFolder()
            try await withUpstream(upstream.answer) { server in
                try await withGateway(settings(server), in: folder) { gateway in
                    let client = try gateway.client()
                    let done = try await client.run(#"{"session":"up","kind":"download","path":"file"}"#)
                    #expect(done.state == "succeeded")
                    #expect(done.response?.body?.size == 9 << 20)
                    #expect(done.response?.body?.sha256 == upstream.digest)
                    let wrong = String(repeating: "0", count: 64)
                    let refused = try await client.run(Self.document(#"{"sha256":"\#(wrong)"}"#))
                    #expect(refused.error?.code == "checksum_mismatch")
                    #expect(refused.response?.body == nil)
                    #expect(try folder.files(below: "data/bodies").count == 1, "only the first has a file")
                    let missing = try await client.run(
                        #"{"session":"up","kind":"download","path":"missing/large"}"#)
                    #expect(missing.error?.code == "body_too_large")
                    let large = try await client.run(Self.document(#"{"max_bytes":1000}"#))
                    #expect(large.error?.code == "body_too_large")
                }
            }
        }

        @Test(
            "The content has the digest that the task expects, as a file, in memory and in a body file",
            arguments: [1000, 2 << 20])
        func digests(size: Int) async throws {
            let upstream = RangedUpstream(size)
            let folder = try TemporaryFolder()
            let functions: [(String, HashFunction)] = [
                ("md5", .md5), ("sha1", .sha1), ("sha256", .sha256), ("sha512", .sha512),
            ]
            try await withUpstream(upstream.answer) { server in
                try await withGateway(settings(server), in: folder) { gateway in
                    let client = try gateway.client()
                    for (name, function) in functions {
                        let right = try upstream.digest(function)
                        let wrong = String(repeating: "0", count: right.utf8.count)
                        for destination in ["", #","destination":"\#(name).bin""#] {
                            let bad = try await client.run(
                                Self.document(#"{"\#(name)":"\#(wrong)"\#(destination)}"#))
                            #expect(bad.error?.code == "checksum_mismatch", "\(name) \(destination)")
                            #expect(bad.error?.message.contains(right) == true)
                            #expect(bad.response?.body == nil)
                            let good = try await client.run(
                                Self.document(#"{"\#(name)":"\#(right)"\#(destination)}"#))
                            #expect(good.state == "succeeded", "\(name) \(destination)")
                        }
                    }
                    #expect(
                        try Self.files(in: folder).downloads == ["md5.bin", "sha1.bin", "sha256.bin", "sha512.bin"])
                }
            }
        }

        @Test("A bad status, size, digest or an existing file leaves nothing at the destination, and the task says why")
        func refused() async throws {
            let upstream = RangedUpstream(100_000)
            let folder = try TemporaryFolder()
            try folder.makeFolder("data/downloads/taken")
            try folder.write("old", to: "data/downloads/there.bin")
            let wrong = String(repeating: "0", count: 64)
            try await withUpstream(upstream.answer) { server in
                try await withGateway(settings(server), in: folder) { gateway in
                    let client = try gateway.client()
                    let cases = [
                        (#"{"destination":"a.bin"}"#, "missing", "unacceptable_status"),
                        (#"{"destination":"a.bin"}"#, "missing/large", "body_too_large"),
                        (#"{"destination":"a.bin","max_bytes":99999}"#, "file", "body_too_large"),
                        (#"{"destination":"a.bin","sha256":"\#(wrong)"}"#, "file", "checksum_mismatch"),
                        (#"{"destination":"there.bin"}"#, "file", "exists"),
                        (#"{"destination":"taken","on_conflict":"overwrite"}"#, "file", "cannot_move"),
                        (#"{"destination":"there.bin/x"}"#, "file", "cannot_create"),
                    ]
                    for (download, path, code) in cases {
                        let failed = try await client.run(Self.document(download, path: path))
                        #expect(failed.error?.code == code, "\(download)")
                        #expect(failed.error?.message.contains("/proc/") == false)
                        #expect(failed.response?.file == nil)
                        if path == "missing" { #expect(failed.response?.body?.size == 8) }
                    }
                    #expect(try Self.files(in: folder).downloads == ["there.bin"])
                    let other = try await client.run(
                        Self.document(#"{"destination":"there.bin","on_conflict":"rename"}"#))
                    #expect(other.response?.file?.path == "there (1).bin")
                    let replaced = try await client.run(
                        Self.document(#"{"destination":"there.bin","on_conflict":"overwrite"}"#))
                    #expect(replaced.response?.file?.path == "there.bin")
                    #expect(
                        FileManager.default.contents(atPath: folder["data/downloads/there.bin"])
                            == Data(upstream.content))
                }
            }
        }

        @Test("Content of an unacceptable type is the body of the failed task, up to the session's limit, and no file")
        func unacceptableType() async throws {
            let folder = try TemporaryFolder()
            try await withUpstream({ connection in
                while true {
                    let size = try connection.readRequest().line.contains("/large") ? 2000 : 8
                    let body = String(repeating: "a", count: size)
                    // The client may end a response that is too large.
                    do {
                        try connection.respond("200 OK", ["Content-Type: text/html", #"ETag: "v1""#], body: body)
                    } catch {
                        return
                    }
                }
            }) { server in
                var settings = settings(server)
                settings.session.append(
                    "response: { acceptable_content_types: [application/zip], disposition: { max_body: 1KiB } }")
                try await withGateway(settings, in: folder) { gateway in
                    let client = try gateway.client()
                    let page = try await client.run(Self.document(#"{"destination":"a.bin"}"#))
                    #expect(page.error?.code == "unacceptable_content_type")
                    #expect(page.response?.body?.size == 8)
                    let large = try await client.run(Self.document(#"{"destination":"a.bin"}"#, path: "large"))
                    #expect(large.error?.code == "body_too_large")
                    #expect(large.response?.body == nil)
                    let files = try Self.files(in: folder)
                    #expect(files.downloads.isEmpty)
                    #expect(files.partials.isEmpty)
                }
            }
        }

        @Test("Destinations that lead out of the folder are refused, by their text or by the links on their way")
        func attacks() async throws {
            let upstream = RangedUpstream(1000)
            let folder = try TemporaryFolder()
            try folder.makeFolder("data/downloads")
            try folder.makeFolder("outside")
            try FileManager.default.createSymbolicLink(
                atPath: folder["data/downloads/link"], withDestinationPath: folder["outside"])
            try FileManager.default.createSymbolicLink(
                atPath: folder["data/downloads/file.bin"], withDestinationPath: folder["outside/file.bin"])
            let texts = [
                "", "/etc/x", "../x", "a/../x", "a/./x", "a//x", "a/", ".", "..", "a\\\\..\\\\x", "a\\u0000b", "a\\nb",
                ".downloads.part/x", ".x.part", "CON", "com1.txt", "a.", "a ", "{word}", "{task_id", "a}",
                String(repeating: "a", count: 256), String(repeating: "a/", count: 2048) + "a", "a\\u202eb",
            ]
            try await withUpstream(upstream.answer) { server in
                try await withGateway(settings(server), in: folder) { gateway in
                    let client = try gateway.client()
                    for text in texts {
                        let response = try await client.post(
                            "/v1/tasks", json: Self.document(#"{"destination":"\#(text)"}"#))
                        #expect(response.status == 422, "\(text)")
                        #expect(try ProblemView(response).errors?.map(\.pointer) == ["/download/destination"])
                    }
                    for conflict in ["fail", "overwrite", "rename"] {
                        for destination in ["link/x", "link/a/x", "file.bin"] {
                            let done = try await client.run(
                                Self.document(#"{"destination":"\#(destination)","on_conflict":"\#(conflict)"}"#))
                            // The link stays, and the file gets another name beside it.
                            let isBeside = (conflict, destination) == ("rename", "file.bin")
                            #expect(done.state == (isBeside ? "succeeded" : "failed"), "\(destination)")
                            #expect(done.response?.file?.path == (isBeside ? "file (1).bin" : nil))
                        }
                    }
                    #expect(try folder.files(below: "outside").isEmpty)
                    #expect(server.requests.events.count == 9)
                }
            }
        }

        @Test("Cut connections and kills cost only what was not received: the rest is requested, and the file is whole")
        func resumed() async throws {
            let upstream = RangedUpstream(2 << 20, cuts: 40)
            let folder = try TemporaryFolder()
            try await withUpstream(upstream.answer) { server in
                let settings = settings(server, attempts: 100)
                var gateway = try await GatewayProcess(settings, in: folder)
                let task = try await gateway.client().create(
                    Self.document(#"{"destination":"whole.bin","sha256":"\#(upstream.digest)"}"#))
                for request in [2, 4, 6, 8] {
                    _ = await server.requests.first(request)
                    await gateway.kill()
                    gateway = try await GatewayProcess(settings, in: folder)
                }
                let done = try await gateway.client().finished(task)
                #expect(done.state == "succeeded")
                #expect(done.attempts.count > 4)
                #expect(done.response?.file?.size == upstream.content.count)
                #expect(
                    FileManager.default.contents(atPath: folder["data/downloads/whole.bin"])
                        == Data(upstream.content))
                #expect(upstream.ranges > 4)
                #expect(try Self.files(in: folder).partials.isEmpty)
                #expect(await gateway.stop() == .status(0))
            }
        }

        @Test("Over several connections, cut connections and kills cost only what was not received")
        func parts() async throws {
            let upstream = RangedUpstream(12 << 20, cuts: 30)
            let folder = try TemporaryFolder()
            try await withUpstream(upstream.answer) { server in
                let settings = settings(server, attempts: 100)
                var gateway = try await GatewayProcess(settings, in: folder)
                let task = try await gateway.client().create(
                    Self.document(
                        #"{"destination":"whole.bin","connections":4,"sha256":"\#(upstream.digest)"}"#))
                for request in [4, 12, 20] {
                    _ = await server.requests.first(request)
                    await gateway.kill()
                    gateway = try await GatewayProcess(settings, in: folder)
                }
                let done = try await gateway.client().finished(task)
                #expect(done.state == "succeeded")
                #expect(done.response?.file?.size == upstream.content.count)
                #expect(
                    FileManager.default.contents(atPath: folder["data/downloads/whole.bin"])
                        == Data(upstream.content))
                #expect(try Self.files(in: folder).partials.isEmpty)
                // Each kill costs at most what was on its way, and what was written since the last record.
                #expect(upstream.served < 2 * upstream.content.count)
                #expect(await gateway.stop() == .status(0))
            }
        }

        @Test("Over several connections, cut connections do not end the attempt, also if the first is one of them")
        func cutParts() async throws {
            for cuts in [1, 6] {
                let upstream = RangedUpstream(8 << 20, cuts: cuts)
                let folder = try TemporaryFolder()
                try await withUpstream(upstream.answer) { server in
                    try await withGateway(settings(server), in: folder) { gateway in
                        let done = try await gateway.client().run(
                            Self.document(
                                #"{"destination":"whole.bin","connections":4,"sha256":"\#(upstream.digest)"}"#))
                        #expect(done.state == "succeeded")
                        #expect(done.attempts.count == 1)
                        #expect(done.response?.file?.size == upstream.content.count)
                        #expect(try Self.files(in: folder).partials.isEmpty)
                        #expect(upstream.served == upstream.content.count)
                    }
                }
            }
        }

        @Test("Downloads over several connections leave no folder open")
        func descriptors() async throws {
            let upstream = RangedUpstream(4 << 20)
            let folder = try TemporaryFolder()
            try await withUpstream(upstream.answer) { server in
                try await withGateway(settings(server), in: folder) { gateway in
                    let client = try gateway.client()
                    for number in 0..<5 {
                        let task = try await client.create(
                            Self.document(#"{"destination":"\#(number).bin","connections":4}"#))
                        #expect(try await client.finished(task).state == "succeeded")
                    }
                    // The claim of the folder of partial files stays open.
                    try await until { try gateway.openFiles(with: folder["data/downloads"]) == 1 }
                }
            }
        }

        @Test("A deadline that passes while parts are received ends the task with its error, without a file")
        func partsUntilDeadline() async throws {
            let upstream = RangedUpstream(4 << 20, stalls: true)
            let folder = try TemporaryFolder()
            try await withUpstream(upstream.answer) { server in
                try await withGateway(settings(server), in: folder) { gateway in
                    let client = try gateway.client()
                    let task = try await client.create(
                        Self.document(#"{"destination":"whole.bin","connections":4}"#))
                    _ = await server.requests.first(2)
                    // On a busy machine the time may pass before the gateway reads it. Then it is doubled.
                    var seconds = 0.5
                    try await until {
                        seconds *= 2
                        let deadline = Date.now.addingTimeInterval(seconds)
                            .ISO8601Format(.init(includingFractionalSeconds: true))
                        let edited = try await client.send(
                            "PATCH", "/v1/tasks/\(task.id)", ["Content-Type: application/merge-patch+json"],
                            json: #"{"deadline":"\#(deadline)"}"#)
                        #expect([200, 422].contains(edited.status))
                        return edited.status == 200
                    }
                    let done = try await client.finished(task)
                    #expect(done.state == "failed")
                    #expect(done.error?.code == "deadline_exceeded")
                    #expect(try Self.files(in: folder).downloads.isEmpty)
                    // A retry continues the first mebibyte.
                    #expect(try Self.files(in: folder).partials.count == 2)
                }
            }
        }

        @Test("A stop while parts are received keeps them for the next start")
        func partsUntilStop() async throws {
            let upstream = RangedUpstream(4 << 20, stalls: true)
            let folder = try TemporaryFolder()
            try await withUpstream(upstream.answer) { server in
                var settings = settings(server, attempts: 10)
                settings.dispatcher = ["drain: 50ms"]
                let gateway = try await GatewayProcess(settings, in: folder)
                let task = try await gateway.client().create(
                    Self.document(
                        #"{"destination":"whole.bin","connections":4,"sha256":"\#(upstream.digest)"}"#))
                _ = await server.requests.first(2)
                #expect(await gateway.stop() == .status(0))
                #expect(try Self.files(in: folder).partials.count == 2)
                upstream.goOn()
                let again = try await GatewayProcess(settings, in: folder)
                let done = try await again.client().finished(task)
                #expect(done.state == "succeeded")
                #expect(done.response?.file?.size == upstream.content.count)
                #expect(await again.stop() == .status(0))
            }
        }

        @Test("The metrics count the bytes that an attempt has received, not those that it continues")
        func metrics() async throws {
            let upstream = RangedUpstream(1 << 20, cuts: 1)
            let folder = try TemporaryFolder()
            try await withUpstream(upstream.answer) { server in
                try await withGateway(settings(server), in: folder) { gateway in
                    let client = try gateway.client()
                    let failed = try await client.run(Self.document(#"{"destination":"a.bin"}"#))
                    #expect(failed.error?.code == "connection_lost")
                    let partials = try Self.files(in: folder).partials
                    let partial = try #require(partials.first { $0.hasSuffix(".part") })
                    let bytes = try #require(FileManager.default.contents(atPath: folder["data/downloads/\(partial)"]))
                    let before = try await Self.receivedBytes(client)
                    let again = try TaskView(
                        await client.post("/v1/tasks/\(failed.id)/retry"), expecting: [201, 202])
                    #expect(try await client.finished(again).state == "succeeded")
                    #expect(upstream.ranges == 1)
                    #expect(try await Self.receivedBytes(client) - before == upstream.content.count - bytes.count)
                }
            }
        }

        /// Returns the number of content bytes that the metrics of the session have.
        private static func receivedBytes(_ client: APIClient) async throws -> Int {
            let metric = #"errand_received_content_bytes_total{session="up"} "#
            let lines = try await client.get("/metrics").text.split(separator: "\n")
            let line = try #require(lines.first { $0.hasPrefix(metric) })
            return try #require(Int(line.dropFirst(metric.count)))
        }

        @Test("A retry of a failed download continues its partial file; one that is canceled or deleted has none")
        func retried() async throws {
            let upstream = RangedUpstream(1 << 20, cuts: 2)
            let folder = try TemporaryFolder()
            try await withUpstream(upstream.answer) { server in
                try await withGateway(settings(server), in: folder) { gateway in
                    let client = try gateway.client()
                    let failed = try await client.run(Self.document(#"{"destination":"a.bin"}"#))
                    #expect(failed.error?.code == "connection_lost")
                    #expect(try Self.files(in: folder).partials.count == 2)
                    let deleted = try await client.run(Self.document(#"{"destination":"b.bin"}"#))
                    #expect(deleted.error?.code == "connection_lost")
                    #expect(try Self.files(in: folder).partials.count == 4)
                    _ = try await client.send("DELETE", "/v1/tasks/\(deleted.id)")
                    #expect(try Self.files(in: folder).partials.count == 2)
                    let again = try TaskView(
                        await client.post("/v1/tasks/\(failed.id)/retry"), expecting: [201, 202])
                    let done = try await client.finished(again)
                    #expect(done.state == "succeeded")
                    #expect(upstream.ranges == 1)
                    #expect(
                        FileManager.default.contents(atPath: folder["data/downloads/a.bin"])
                            == Data(upstream.content))
                    #expect(try Self.files(in: folder).partials.isEmpty)
                }
            }
        }

        @Test("A cancel with keep_resume_data keeps the partial file, which a retry continues, also after a restart")
        func canceledToBeContinued() async throws {
            let upstream = RangedUpstream(1 << 20, cuts: 1, stalls: true)
            let folder = try TemporaryFolder()
            try await withUpstream(upstream.answer) { server in
                let settings = settings(server, attempts: 2)
                let id = try await withGateway(settings, in: folder) { gateway in
                    let client = try gateway.client()
                    let task = try await client.create(Self.document(#"{"destination":"a.bin"}"#))
                    // The second attempt has begun to continue the first.
                    try await until { upstream.ranges > 0 }
                    let path = "/v1/tasks/\(task.id)/cancel"
                    #expect(try await client.post(path, json: #"{"keep_resume_data":"yes"}"#).status == 422)
                    _ = try await client.post(path, json: #"{"keep_resume_data":true}"#)
                    #expect(try await client.finished(task).state == "canceled")
                    #expect(try await client.get("/v1/tasks/\(task.id)").text.contains(#""resume":{"available":true"#))
                    #expect(try Self.files(in: folder).partials.count == 2)
                    return task.id
                }
                upstream.goOn()
                try await withGateway(settings, in: folder) { gateway in
                    let client = try gateway.client()
                    let again = try TaskView(await client.post("/v1/tasks/\(id)/retry"), expecting: [201, 202])
                    #expect(try await client.finished(again).state == "succeeded")
                    #expect(upstream.ranges == 2)
                    let path = folder["data/downloads/a.bin"]
                    #expect(FileManager.default.contents(atPath: path) == Data(upstream.content))
                    #expect(try Self.files(in: folder).partials.isEmpty)
                }
            }
        }
    }
}
