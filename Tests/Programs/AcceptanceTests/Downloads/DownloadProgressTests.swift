import ErrandSupport
import Testing

extension Acceptance {
    @Suite("The progress of a task")
    struct DownloadProgressTests {
        private static let content = [UInt8](repeating: 7, count: 1_000_000)

        @Test("A running transfer has a rate and the time left, which are gone at its end")
        func rate() async throws {
            let gate = Gate()
            try await withUpstream({ connection in
                try connection.readRequest()
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(Self.content.count)\r\n\r\n")
                try connection.send(Array(Self.content.prefix(900_000)))
                gate.wait()
                try connection.send(Array(Self.content.dropFirst(900_000)))
            }) { upstream in
                try await withGateway(GatewaySettings(upstream: upstream.origin)) { gateway in
                    let client = try gateway.client()
                    let task = try await client.create(#"{"session":"raw"}"#)
                    var running = try await client.task(task.id)
                    // The rate is measured when the progress is read, for at least a tenth of a second.
                    while running.progress.download.bytesPerSecond == nil
                        || running.progress.download.completed < 900_000
                    {
                        running = try await client.task(task.id)
                    }
                    #expect(running.progress.download.total == Self.content.count)
                    if running.progress.download.bytesPerSecond ?? 0 > 0 {
                        #expect(running.progress.download.timeLeft?.hasSuffix("s") == true)
                    }
                    #expect(running.progress.upload.timeLeft == nil)
                    gate.open()
                    let done = try await client.finished(task)
                    #expect(done.progress.download.completed == Self.content.count)
                    #expect(done.progress.download.bytesPerSecond == nil && done.progress.download.timeLeft == nil)
                }
            }
        }

        @Test("The last event of a file without an announced length says 100 %")
        func lastEvent() async throws {
            try await withUpstream({ connection in
                try connection.readRequest()
                try connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
                try connection.send(Self.content)
            }) { upstream in
                try await withGateway(GatewaySettings(upstream: upstream.origin)) { gateway in
                    let client = try gateway.client()
                    for download in [#"{"destination":"a.bin"}"#, "{}"] {
                        let task = try await client.create(
                            #"{"session":"raw","kind":"download","start":"suspended","download":\#(download)}"#)
                        let stream = try await EventStreamClient(gateway, "/v1/tasks/\(task.id)/events")
                        #expect(try await stream.next().name == "task.suspended")
                        _ = try TaskView(await client.post("/v1/tasks/\(task.id)/resume"))
                        let events = try await stream.through("task.succeeded")
                        let last = try #require(events.last { $0.name == "task.progress" })
                        #expect(last.data["progress"]?["download"]?["fraction"] == 1, "\(last.text)")
                        #expect(last.data["progress"]?["download"]?["completed"] == 1_000_000)
                    }
                }
            }
        }

        @Test("A failed download shows the bytes that its retry does not request again")
        func resume() async throws {
            let upstream = RangedUpstream(1 << 20, cuts: 1)
            try await withUpstream(upstream.answer) { server in
                try await withGateway(GatewaySettings(upstream: server.origin)) { gateway in
                    let client = try gateway.client()
                    let failed = try await client.run(
                        #"{"session":"up","kind":"download","path":"file","download":{"destination":"a.bin"}}"#)
                    #expect(failed.error?.code == "connection_lost")
                    let resume = try #require(failed.resume)
                    #expect(resume.available && (1..<1 << 20).contains(resume.bytes), "\(resume)")
                    #expect(try await client.list().tasks.first?.resume == nil, "lists do not read it")
                    let again = try TaskView(await client.post("/v1/tasks/\(failed.id)/retry"), expecting: [202])
                    let done = try await client.finished(again)
                    #expect(done.state == "succeeded")
                    #expect(done.resume == TaskView.Resume(available: false, bytes: 0))
                    #expect(
                        server.requests.events.last?["Range"] == "bytes=\(resume.bytes)-",
                        "the retry requests the rest only")
                    #expect(try await client.task(failed.id).resume?.available == false, "the retry has taken it over")
                }
            }
        }
    }
}
