import ErrandLocking
import ErrandSupport
import Foundation
import HTTPSession
import Testing

@Suite("A download over several connections", .timeLimit(.hang))
struct PartsDownloadTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private static func options(_ connections: Int = 4) -> DownloadOptions {
        var options = DownloadOptions()
        options.connections = connections
        return options
    }

    /// Downloads from a server, and returns its requests.
    @discardableResult
    private func download(
        _ server: PartServer, _ options: DownloadOptions = Self.options(), expecting content: ServedContent? = nil
    ) async throws -> (file: DownloadedFile, requests: [ScriptedRequest], connections: Int) {
        let scripted = try server.start()
        defer { scripted.stop() }
        let file = try await Session.patient(scripted.origin).download(
            "file", to: folder.destination("a"), options: options)
        let expected = content ?? server.content
        #expect(folder.bytes(of: "a") == expected.bytes)
        #expect(file.size == Int64(expected.bytes.count))
        #expect(try folder.files() == ["a"])
        return (file, scripted.requests.events, scripted.accepted.events.count)
    }

    // MARK: Servers with parts

    @Test("receives each byte once, over at most as many connections as it may have", arguments: [2, 4, 16])
    func parts(connections: Int) async throws {
        let server = PartServer { _ in .part }
        let (file, requests, accepted) = try await download(server, Self.options(connections))
        #expect(file.head.status == 206)
        #expect(server.sent == server.content.bytes.count)
        #expect(accepted <= connections)
        #expect(requests.first?["Range"] == "bytes=0-1048575")
        #expect(requests.first?["If-Range"] == nil)
        #expect(requests.dropFirst().allSatisfy { $0["If-Range"] == #""v1""# })
        let asked = requests.compactMap { $0.byteRange(of: 5 << 20) }
        #expect(asked.count == requests.count)
        #expect(asked.map(\.count).reduce(0, +) == 5 << 20)
    }

    @Test("asks once for content of a mebibyte, also without a validator", arguments: [1, 1000, 1 << 20])
    func small(bytes: Int) async throws {
        let server = PartServer(bytes, validator: "X-None: 1") { _ in .part }
        #expect(try await download(server).requests.count == 1)
    }

    @Test("checks the digest of the complete file")
    func digest() async throws {
        let server = PartServer { _ in .part }
        var options = Self.options()
        options.checksum = .md5(String(repeating: "0", count: 32))
        let scripted = try server.start()
        defer { scripted.stop() }
        let error = await #expect(throws: DownloadError.self) {
            try await Session.patient(scripted.origin).download(
                "file", to: folder.destination("a"), options: options)
        }
        #expect(error?.code == .checksumMismatch)
        #expect(try folder.files().isEmpty)
        let digits = error?.message.split(separator: " ").first { $0.utf8.count == 32 && !$0.hasPrefix("00000") }
        options.checksum = .md5(String(try #require(digits)))
        try await download(PartServer { _ in .part }, options)
    }

    @Test("tells its progress as the sum of all parts, which only grows, up to all")
    func progress() async throws {
        let reports = EventLog<ProgressReport>()
        var options = Self.options()
        options.progress = ProgressHandler { reports.append($0) }
        let server = PartServer { $0.number % 3 == 2 ? .cut(200_000) : .part }
        try await download(server, options)
        let completed = reports.events.map(\.download.completed)
        #expect(completed == completed.sorted())
        #expect(completed.last == 5 << 20)
        #expect(reports.events.last?.download.fraction == 1)
    }

    // MARK: Faults of parts

    @Test("asks again for what cut parts lack, on other connections or the same")
    func cut() async throws {
        let server = PartServer { request in
            request.number > 0 && request.number < 8 ? .cut(100_000 + request.number * 10_007) : .part
        }
        try await download(server)
        #expect(server.sent <= server.content.bytes.count + 8 * 512 * 1024)
    }

    @Test("asks again for what shorter parts lack")
    func shorter() async throws {
        let server = PartServer { .shorter($0.number == 0 ? 400_000 : 300_000) }
        try await download(server)
        #expect(server.sent == server.content.bytes.count)
    }

    @Test("ends after a hundred rounds of requests if the server answers each part with one byte, and can be resumed")
    func endlessParts() async throws {
        let server = PartServer(5000) { _ in .shorter(1) }
        let scripted = try server.start()
        defer { scripted.stop() }
        let api = try Session.patient(scripted.origin) { $0.retry.maxAttempts = 1 }
        let error = await #expect(throws: DownloadError.self) {
            try await api.download("file", to: folder.destination("a"), options: Self.options())
        }
        #expect(error?.code == .connectionLost)
        #expect(error?.resumeData != nil)
        // A round has the first request, one of the other connection, and another one of the first.
        #expect((100...300).contains(scripted.requests.events.count))
    }

    @Test("goes on with other connections if the server ignores the range of a part")
    func ignored() async throws {
        try await download(PartServer { $0.number == 1 || $0.number == 3 ? .whole : .part })
    }

    @Test(
        "goes on with other connections if the server refuses some",
        arguments: ["429 Too Many Requests", "503 Busy"])
    func refusedConnections(status: String) async throws {
        let (_, requests, _) = try await download(PartServer { $0.number == 2 ? .status(status) : .part })
        #expect(requests.count > 3)
    }

    @Test("uses one connection if all further requests fail, and none of their bytes")
    func failing() async throws {
        for answer in [PartServer.Answer.shifted, .status("503 Busy"), .whole] {
            let server = PartServer { request in
                // The last request is for the rest of the content.
                request.number == 0 || request.range?.lowerBound == 1 << 20 && request.range?.upperBound == 5 << 20
                    ? .part : answer
            }
            try await download(server)
            _ = try FileManager.default.removeItem(atPath: folder["a"])
        }
    }

    @Test("begins at the first byte, with one connection, if the content changes meanwhile")
    func changed() async throws {
        let other = ServedContent(3 << 20, seed: 2, validator: #"ETag: "v2""#)
        let server = PartServer { $0.number < 2 ? .part : .changed(other) }
        let (file, requests, _) = try await download(server, expecting: other)
        #expect(file.head.status == 200)
        #expect(requests.last?["Range"] == nil)
    }

    // MARK: Servers without parts

    @Test("receives the whole content once from a server without ranges")
    func withoutRanges() async throws {
        let (file, requests, accepted) = try await download(PartServer { _ in .whole })
        #expect(file.head.status == 200)
        #expect(requests.count == 1)
        #expect(accepted == 1)
    }

    @Test(
        "asks for the whole content without a strong validator",
        arguments: ["X-None: 1", #"ETag: W/"v1""#, "ETag: \"v1\"\r\nAccept-Ranges: none"])
    func withoutValidator(validator: String) async throws {
        let (file, requests, _) = try await download(PartServer(validator: validator) { _ in .part })
        #expect(file.head.status == 200)
        #expect(requests.map { $0["Range"] } == ["bytes=0-1048575", nil])
    }

    @Test("receives empty content, of which there is no part")
    func empty() async throws {
        let scripted = try ScriptedServer { connection in
            while true {
                let isPart = try connection.readRequest()["Range"] != nil
                if isPart {
                    try connection.respond("416 Range Not Satisfiable", ["Content-Range: bytes */0"])
                } else {
                    try connection.respond()
                }
            }
        }
        defer { scripted.stop() }
        let file = try await Session.patient(scripted.origin).download(
            "file", to: folder.destination("a"), options: Self.options())
        #expect(file.size == 0)
        #expect(try folder.files() == ["a"])
    }

    // MARK: Control

    /// Lets all parts that wait go on.
    private func open(_ gate: Gate) {
        for _ in 0..<16 { gate.open() }
    }

    /// Starts a download whose parts end after 700,000 bytes until the gate is opened.
    private func held(_ gate: Gate, _ origin: String) async throws -> DownloadTask {
        let task = try Session.patient(origin).downloadTask(
            "file", to: folder.destination("a"), options: Self.options())
        task.resume()
        for await progress in task.progressUpdates where progress.received >= 4 * 700_000 { break }
        return task
    }

    @Test("is resumed with the parts that are missing, over several connections or one", arguments: [4, 1])
    func resumed(connections: Int) async throws {
        let gate = Gate()
        let server = PartServer { $0.number < 4 ? .held(700_000, gate) : .part }
        let scripted = try server.start()
        defer { scripted.stop() }
        let task = try await held(gate, scripted.origin)
        task.cancel(producingResumeData: true)
        let data = try #require(await task.outcome.error?.resumeData)
        #expect(data.version == 2)
        #expect(data.received == 4 * 700_000)
        #expect(data.ranges?.count == 4)
        #expect(scripted.accepted.events.count == 4)
        #expect(try folder.files().map { folder[$0] } == [data.partialPath])
        open(gate)
        let before = scripted.requests.events.count
        let restored = try JSONDecoder().decode(DownloadResumeData.self, from: JSONEncoder().encode(data))
        let file = try await Session.patient(scripted.origin).download(
            resuming: restored, to: folder.destination("a"), options: Self.options(connections))
        #expect(file.head.status == 206)
        #expect(folder.bytes(of: "a") == server.content.bytes)
        #expect(try folder.files() == ["a"])
        let asked = scripted.requests.events.dropFirst(before).compactMap {
            $0.byteRange(of: 5 << 20)
        }
        #expect(asked.map(\.count).reduce(0, +) == 5 << 20 - 4 * 700_000)
    }

    @Test("is canceled with all its connections, and leaves nothing")
    func canceled() async throws {
        let gate = Gate()
        defer { open(gate) }
        let scripted = try PartServer { _ in .held(700_000, gate) }.start()
        defer { scripted.stop() }
        let task = try await held(gate, scripted.origin)
        task.cancel()
        #expect(await task.outcome.error?.code == .canceled)
        #expect(try folder.files().isEmpty)
    }

    @Test("is suspended and resumed with all its connections")
    func suspended() async throws {
        let gate = Gate()
        let server = PartServer { $0.number < 4 ? .held(700_000, gate) : .part }
        let scripted = try server.start()
        defer { scripted.stop() }
        let task = try await held(gate, scripted.origin)
        task.suspend()
        open(gate)
        #expect(task.state == .suspended)
        task.resume()
        #expect(try await task.file.size == 5 << 20)
        #expect(folder.bytes(of: "a") == server.content.bytes)
    }

    @Test("leaves nothing if the type of the content is unacceptable")
    func unacceptableType() async throws {
        let server = PartServer(validator: "ETag: \"v1\"\r\nContent-Type: text/html") { _ in .part }
        let scripted = try server.start()
        defer { scripted.stop() }
        let json = try #require(MediaRange("application/json"))
        let api = try Session.patient(scripted.origin) {
            $0.response.acceptableContentTypes = [json]
        }
        let error = await #expect(throws: DownloadError.self) {
            try await api.download("file", to: folder.destination("a"), options: Self.options())
        }
        #expect(error?.code == .unacceptableContentType)
        #expect(error?.resumeData == nil)
        #expect(try folder.files().isEmpty)
    }

    @Test("has from 1 to 16 connections", arguments: [0, 17, -1])
    func connectionCount(count: Int) async throws {
        let api = try Session(baseURL: "http://127.0.0.1:9")
        let error = #expect(throws: SessionError.self) {
            try api.downloadTask("file", to: "a", options: Self.options(count))
        }
        #expect(error?.code == .unserializableParameters)
    }
}
