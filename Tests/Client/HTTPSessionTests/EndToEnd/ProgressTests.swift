import ErrandSupport
import HTTPSession
import Testing

@Suite("The progress of a request", .timeLimit(.hang))
struct ProgressTests {
    private let reports = EventLog<ProgressReport>()

    /// Options that record the progress.
    private var options: RequestOptions {
        RequestOptions(progress: { [reports] in reports.append($0) })
    }

    /// A thousand times the letter a, compressed with gzip.
    private static let compressed: [UInt8] = [
        31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 75, 76, 28, 5, 163, 96, 20, 12, 119, 0, 0, 3, 218, 56, 154, 232, 3, 0, 0,
    ]

    @Test("tells bytes on the wire and decoded bytes apart, and ends with 100 %")
    func decoded() async throws {
        let server = try ScriptedServer { connection in
            try connection.readRequest()
            let fields = ["Content-Type: text/plain", "Content-Encoding: gzip", "Connection: close"]
            try connection.send("HTTP/1.1 200 OK\r\n\(fields.joined(separator: "\r\n"))\r\n\r\n")
            try connection.send(Self.compressed)
        }
        defer { server.stop() }
        let api = try Session.patient(server.origin) { $0.response.serializer = .raw }
        let response = try await api.get("", options: options)
        #expect(response.body?.size == 1000)
        let last = try #require(reports.events.last)
        #expect(last.download.completed == Int64(Self.compressed.count))
        #expect(last.download.total == last.download.completed)
        #expect(last.download.decoded == 1000)
        #expect(last.download.fraction == 1)
    }

    @Test("counts content that is sent from memory, with the content of the response")
    func sent() async throws {
        let server = try ScriptedServer { _ in .json("[1]") }
        defer { server.stop() }
        let content = String(repeating: "a", count: 300_000)
        let numbers = try await Session.patient(server.origin).post(
            "", body: .text(content), options: options, as: [Int].self)
        #expect(numbers == [1])
        #expect(server.requests.events.map(\.body.count) == [300_000])
        let sent = reports.events.map(\.upload.completed)
        #expect(sent == sent.sorted())
        #expect(sent.last == 300_000)
        #expect(reports.events.allSatisfy { $0.upload.total == 300_000 })
        #expect(reports.events.last?.upload.fraction == 1)
        #expect(reports.events.last?.download.completed == 3)
        #expect(reports.events.last?.download.fraction == 1)
    }

    @Test("says that all content was sent while the upstream, which has taken it, works on its response")
    func sentBeforeResponse() async throws {
        let isHeard = Gate()
        defer { isHeard.open() }
        let server = try ScriptedServer { connection in
            try connection.readRequest()
            isHeard.wait()
            try connection.respond("200 OK", ["Content-Type: application/json"], body: "[1]")
        }
        defer { server.stop() }
        var options = RequestOptions()
        options.progress = ProgressHandler { [reports] report in
            reports.append(report)
            if report.upload.fraction == 1 { isHeard.open() }
        }
        let numbers = try await Session.patient(server.origin).post(
            "", body: .text(String(repeating: "a", count: 300_000)), options: options, as: [Int].self)
        #expect(numbers == [1])
        #expect(reports.events.contains { $0.upload.fraction == 1 && $0.download.completed == 0 })
    }

    @Test("of a download that stalls says how many bytes have come")
    func stalled() async throws {
        let folder = try TemporaryFolder()
        let isHeard = Gate()
        defer { isHeard.open() }
        let server = try ScriptedServer { connection in
            try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
            isHeard.wait()
            try connection.send("world")
        }
        defer { server.stop() }
        var options = DownloadOptions()
        options.progress = ProgressHandler { [reports] report in
            reports.append(report)
            if report.download.completed == 5 { isHeard.open() }
        }
        let file = try await Session.patient(server.origin).download(
            "file", to: folder.destination("a"), options: options)
        #expect(file.size == 10)
        #expect(reports.events.contains { $0.download.completed == 5 && $0.download.total == 10 })
        #expect(reports.events.last?.download.fraction == 1)
    }

    @Test("of a resumed download begins with the bytes that it has")
    func resumed() async throws {
        let folder = try TemporaryFolder()
        let content = ServedContent(600_000)
        let server = try ScriptedServer { connection in
            let request = try connection.readRequest()
            try content.respond(to: request, on: connection)
        }
        defer { server.stop() }
        let data = try content.interrupted(after: 300_000, in: folder, at: server.origin)
        let options = DownloadOptions(progress: { [reports] in reports.append($0) })
        let file = try await Session.patient(server.origin).download(
            resuming: data, to: folder.destination("a"), options: options)
        #expect(file.size == 600_000)
        let received = reports.events.map(\.download.completed)
        #expect(received == received.sorted())
        #expect(received.allSatisfy { $0 >= 300_000 })
        #expect(reports.events.last?.download.completed == 600_000)
        #expect(reports.events.last?.download.fraction == 1)
    }

    @Test("of a download does not say 100 % if its file is refused")
    func refused() async throws {
        let folder = try TemporaryFolder()
        let server = try ScriptedServer { connection in
            try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\n\r\nhello")
        }
        defer { server.stop() }
        let options = DownloadOptions(
            checksum: .sha256(String(repeating: "0", count: 64)), progress: { [reports] in reports.append($0) })
        let error = await #expect(throws: DownloadError.self) {
            try await Session.patient(server.origin).download("file", to: folder.destination("a"), options: options)
        }
        #expect(error?.code == .checksumMismatch)
        #expect(!reports.events.isEmpty)
        #expect(reports.events.allSatisfy { $0.download.fraction == nil })
    }
}
