import ErrandSupport
import Foundation
import HTTPSession
import Testing

@Suite("A resumed download", .timeLimit(.hang))
struct ResumedDownloadTests {
    private let folder: TemporaryFolder
    private let content = ServedContent(600_000)

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Downloads from a server that closes the connection, and returns the data of the error.
    private func interrupted(_ api: Session) async throws -> DownloadResumeData {
        let error = await #expect(throws: DownloadError.self) {
            try await api.download("file", to: folder.destination("a"))
        }
        #expect(error?.code == .connectionLost)
        return try #require(error?.resumeData)
    }

    /// Resumes a download that has the first four of ten bytes, from a server that answers once, and then completely.
    private func resume(
        _ status: String, _ fields: [String], body: String, of ten: ServedContent = ServedContent(10)
    ) async throws -> (result: Result<DownloadedFile, DownloadError>, requests: [ScriptedRequest]) {
        let server = try ScriptedServer { connection in
            let request = try connection.readRequest()
            guard connection.number > 0 else { return try connection.respond(status, fields, body: body) }
            try ten.respond(to: request, on: connection)
        }
        defer { server.stop() }
        let data = try ten.interrupted(after: 4, in: folder, at: server.origin)
        let api = try Session.patient(server.origin)
        let result: Result<DownloadedFile, DownloadError>
        do throws(DownloadError) {
            result = .success(try await api.download(resuming: data, to: folder.destination("a")))
        } catch {
            result = .failure(error)
        }
        return (result, server.requests.events)
    }

    // MARK: The rest

    @Test("fetches only the rest after a lost connection, and is equal byte for byte")
    func rest() async throws {
        let server = try content.server(cutAfter: 300_001) { [content] in try content.respond(to: $0, on: $1) }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let data = try await interrupted(api)
        #expect(data.received == 300_001)
        #expect(data.total == 600_000)
        #expect(data.url == "\(server.origin)/file")
        #expect(try folder.files().map { folder[$0] } == [data.partialPath])
        let file = try await api.download(resuming: data, to: folder.destination("a"))
        #expect(file.head.status == 206)
        #expect(file.size == 600_000)
        #expect(folder.bytes(of: "a") == content.bytes)
        #expect(try folder.files() == ["a"])
        let request = try #require(server.requests.events.last)
        #expect(server.requests.events.count == 2)
        #expect(request["Range"] == "bytes=300001-")
        #expect(request["If-Range"] == #""v1""#)
        #expect(request["Accept-Encoding"] == "identity")
    }

    @Test("checks the digest of the whole file")
    func checksum() async throws {
        let server = try ScriptedServer { connection in
            try connection.readRequest()
            try connection.respond("206 Partial Content", ["Content-Range: bytes 2-4/5"], body: "llo")
        }
        defer { server.stop() }
        let path = try folder.write("he", to: "interrupted.part")
        let data = DownloadResumeData(
            url: "\(server.origin)/file", validator: #""v1""#, received: 2, partialPath: path)
        // The SHA-256 of "hello", computed by sha256sum.
        let digest = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
        try await Session.patient(server.origin).download(
            resuming: data, to: folder.destination("a"), options: DownloadOptions(checksum: .sha256(digest)))
        #expect(folder.bytes(of: "a") == Array("hello".utf8))
    }

    @Test("continues where the partial file ends, and at most where its data say", arguments: [3, 4, 7])
    func partialFile(bytes: Int) async throws {
        let ten = ServedContent(10)
        let server = try ScriptedServer { connection in
            try ten.respond(to: connection.readRequest(), on: connection)
        }
        defer { server.stop() }
        var data = try ten.interrupted(after: bytes, in: folder, at: server.origin)
        data.received = 4
        try await Session.patient(server.origin).download(resuming: data, to: folder.destination("a"))
        #expect(folder.bytes(of: "a") == ten.bytes)
        #expect(server.requests.events.map { $0["Range"] } == ["bytes=\(min(bytes, 4))-"])
    }

    @Test("asks again for what a shorter part lacks")
    func shorterPart() async throws {
        let ten = ServedContent(10)
        let server = try ScriptedServer { connection in
            let request = try connection.readRequest()
            guard connection.number > 0 else { return try ten.send(4..<7, on: connection) }
            try ten.respond(to: request, on: connection)
        }
        defer { server.stop() }
        let data = try ten.interrupted(after: 4, in: folder, at: server.origin)
        try await Session.patient(server.origin).download(resuming: data, to: folder.destination("a"))
        #expect(folder.bytes(of: "a") == ten.bytes)
        #expect(server.requests.events.map { $0["Range"] } == ["bytes=4-", "bytes=7-"])
    }

    @Test("ends if the server ends a hundred responses early, and can be resumed")
    func endlessParts() async throws {
        let many = ServedContent(1000)
        let server = try ScriptedServer { connection in
            while true {
                guard let first = try connection.readRequest().byteRange(of: 1000)?.lowerBound else { return }
                try many.send(first..<(first + 1), on: connection)
            }
        }
        defer { server.stop() }
        let data = try many.interrupted(after: 4, in: folder, at: server.origin)
        let api = try Session.patient(server.origin) { $0.retry.maxAttempts = 1 }
        let error = await #expect(throws: DownloadError.self) {
            try await api.download(resuming: data, to: folder.destination("a"))
        }
        #expect(error?.code == .connectionLost && error?.resumeData != nil)
        #expect(server.requests.events.count == 100)
        #expect(server.requests.events.last?["Range"] == "bytes=103-")
    }

    @Test("reports its progress at most ten times a second, however little each response has")
    func reportsOfManyParts() async throws {
        let served = ServedContent(60)
        let server = try ScriptedServer { connection in
            while true {
                guard let first = try connection.readRequest().byteRange(of: 60)?.lowerBound else { return }
                try served.send(first..<(first + 1), on: connection)
            }
        }
        defer { server.stop() }
        let data = try served.interrupted(after: 4, in: folder, at: server.origin)
        let reports = EventLog<ProgressReport>()
        let options = DownloadOptions(progress: { reports.append($0) })
        let start = ContinuousClock.now
        try await Session.patient(server.origin).download(
            resuming: data, to: folder.destination("a"), options: options)
        let duration = start.duration(to: .now)
        #expect(server.requests.events.count == 56)
        // All but the last are at least a tenth of a second apart.
        #expect(reports.events.count <= Int(duration / Duration.milliseconds(100)) + 2)
        #expect(reports.events.last?.download.completed == 60)
        #expect(folder.bytes(of: "a") == served.bytes)
    }

    // MARK: From the first byte

    @Test("begins again if the content has changed, which a server answers with all of it")
    func changed() async throws {
        let other = ServedContent(500_000, seed: 2, validator: #"ETag: "v2""#)
        let server = try content.server(cutAfter: 300_000) { _, connection in
            try other.send(first: 500_000, on: connection)
        }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let data = try await interrupted(api)
        let file = try await api.download(resuming: data, to: folder.destination("a"))
        #expect(file.head.status == 200)
        #expect(folder.bytes(of: "a") == other.bytes)
        #expect(try folder.files() == ["a"])
        #expect(server.requests.events.map { $0["Range"] } == [nil, "bytes=300000-"])
    }

    @Test("begins again if a part belongs to other content")
    func changedPart() async throws {
        let other = ServedContent(600_000, seed: 2, validator: #"ETag: "v2""#)
        let server = try content.server(cutAfter: 300_000) { try other.respond(to: $0, on: $1) }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let data = try await interrupted(api)
        try await api.download(resuming: data, to: folder.destination("a"))
        #expect(folder.bytes(of: "a") == other.bytes)
        #expect(try folder.files() == ["a"])
        #expect(server.requests.events.map { $0["Range"] } == [nil, "bytes=300000-", nil])
    }

    @Test("begins again if the server ignores ranges")
    func ignored() async throws {
        let server = try content.server(cutAfter: 300_000) { [content] _, connection in
            try content.send(first: 600_000, on: connection)
        }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let data = try await interrupted(api)
        try await api.download(resuming: data, to: folder.destination("a"))
        #expect(folder.bytes(of: "a") == content.bytes)
        #expect(server.requests.events.count == 2)
    }

    @Test("begins again with a weak validator or an unknown one", arguments: [#"W/"v1""#, "v1", ""])
    func weak(validator: String) async throws {
        let server = try ScriptedServer { [content] connection in
            try content.respond(to: connection.readRequest(), on: connection)
        }
        defer { server.stop() }
        var data = try content.interrupted(after: 300_000, in: folder, at: server.origin)
        data.validator = validator
        try await Session.patient(server.origin).download(resuming: data, to: folder.destination("a"))
        #expect(folder.bytes(of: "a") == content.bytes)
        #expect(try folder.files() == ["a"])
        #expect(server.requests.events.map { $0["Range"] } == [nil])
        #expect(server.requests.events.map { $0["If-Range"] } == [nil])
    }

    @Test("is not possible after a response with a weak validator")
    func noData() async throws {
        var weak = content
        weak.validator = #"ETag: W/"v1""#
        let server = try weak.server(cutAfter: 300_000) { _, _ in }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        let error = await #expect(throws: DownloadError.self) {
            try await api.download("file", to: folder.destination("a"))
        }
        #expect(error?.code == .connectionLost)
        #expect(error?.resumeData == nil)
        #expect(try folder.files().isEmpty)
    }

    @Test("begins again if the partial file is gone")
    func missing() async throws {
        let server = try ScriptedServer { [content] connection in
            try content.respond(to: connection.readRequest(), on: connection)
        }
        defer { server.stop() }
        let data = try content.interrupted(after: 300_000, in: folder, at: server.origin)
        try FileManager.default.removeItem(atPath: data.partialPath)
        try await Session.patient(server.origin).download(resuming: data, to: folder.destination("a"))
        #expect(folder.bytes(of: "a") == content.bytes)
        #expect(server.requests.events.map { $0["Range"] } == [nil])
    }

    // MARK: 416

    @Test("is complete if a 416 states that nothing is left")
    func complete() async throws {
        let ten = ServedContent(10)
        let server = try ScriptedServer { _ in
            ScriptedResponse(status: "416 Range Not Satisfiable", fields: ["Content-Range: bytes */10"])
        }
        defer { server.stop() }
        let data = try ten.interrupted(after: 10, in: folder, at: server.origin)
        let file = try await Session.patient(server.origin).download(resuming: data, to: folder.destination("a"))
        #expect(file.head.status == 416)
        #expect(file.size == 10)
        #expect(folder.bytes(of: "a") == ten.bytes)
        #expect(try folder.files() == ["a"])
        #expect(server.requests.events.map { $0["Range"] } == ["bytes=10-"])
    }

    @Test(
        "begins again after any other 416",
        arguments: [["Content-Range: bytes */9"], [], ["Content-Range: bytes */4", #"ETag: "v2""#]])
    func unsatisfiable(fields: [String]) async throws {
        let (result, requests) = try await resume("416 Range Not Satisfiable", fields, body: "")
        #expect(try result.get().head.status == 200)
        #expect(folder.bytes(of: "a") == ServedContent(10).bytes)
        #expect(requests.map { $0["Range"] } == ["bytes=4-", nil])
    }

    // MARK: Failures

    @Test(
        "refuses another part than the rest, and keeps what it has",
        arguments: [
            ["Content-Range: bytes 3-9/10"], ["Content-Range: bytes 5-9/10"], ["Content-Range: bytes 4-9/11"],
            ["Content-Range: bytes 4-10/*"], ["Content-Range: lines 4-9/10"], ["Content-Range: bytes */10"],
            ["Content-Range: bytes 4-9"], ["Content-Type: multipart/byteranges; boundary=x"], [],
        ])
    func wrongRange(fields: [String]) async throws {
        let (result, requests) = try await resume("206 Partial Content", fields, body: "abcdef")
        let error = #expect(throws: DownloadError.self) { try result.get() }
        #expect(error?.code == .cannotParseResponse)
        #expect(error?.resumeData?.received == 4)
        #expect(try folder.files() == ["interrupted.part"])
        #expect(folder.bytes(of: "interrupted.part") == Array(ServedContent(10).bytes.prefix(4)))
        #expect(requests.count == 1)
    }

    @Test("refuses a part with another length than its range")
    func wrongLength() async throws {
        let (result, _) = try await resume("206 Partial Content", ["Content-Range: bytes 4-9/10"], body: "abc")
        let error = #expect(throws: DownloadError.self) { try result.get() }
        #expect(error?.code == .cannotParseResponse)
        #expect(error?.resumeData == nil)
        #expect(try folder.files().isEmpty)
    }

    @Test("keeps what it has after an unsuccessful response")
    func unsuccessful() async throws {
        let (result, requests) = try await resume("503 Service Unavailable", [], body: "later")
        let error = #expect(throws: DownloadError.self) { try result.get() }
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.resumeData?.received == 4)
        #expect(try folder.files() == ["interrupted.part"])
        #expect(requests.count == 1)
    }

    @Test("keeps what it has without a connection")
    func refused() async throws {
        let server = try ScriptedServer(listens: false) { _ in }
        defer { server.stop() }
        let data = try content.interrupted(after: 300_000, in: folder, at: server.origin)
        let api = try Session.patient(server.origin)
        let error = await #expect(throws: DownloadError.self) {
            try await api.download(resuming: data, to: folder.destination("a"))
        }
        #expect(error?.code == .cannotConnect)
        #expect(error?.resumeData == data)
        #expect(try folder.files() == ["interrupted.part"])
    }

    @Test("is refused if its partial file is a symbolic link or a folder")
    func special() async throws {
        try folder.write("text", to: "target")
        try FileManager.default.createSymbolicLink(atPath: folder["link"], withDestinationPath: "target")
        let server = try ScriptedServer { _ in ScriptedResponse() }
        defer { server.stop() }
        let api = try Session.patient(server.origin)
        for path in [folder["link"], folder.path] {
            let data = DownloadResumeData(
                url: "\(server.origin)/file", validator: #""v1""#, received: 2, partialPath: path)
            let error = await #expect(throws: DownloadError.self) {
                try await api.download(resuming: data, to: folder.destination("a"))
            }
            #expect(error?.code == .cannotCreate)
            #expect(error?.error.number == -3000)
            #expect(error?.message.contains(path) == true)
            #expect(error?.resumeData == data)
        }
        #expect(server.requests.events.isEmpty)
        #expect(folder.bytes(of: "target") == Array("text".utf8))
    }

    @Test("is refused at once if its destination is on another file system")
    func otherFileSystem() async throws {
        let ten = ServedContent(10)
        let server = try ScriptedServer { connection in
            try ten.respond(to: connection.readRequest(), on: connection)
        }
        defer { server.stop() }
        let data = try ten.interrupted(after: 4, in: folder, at: server.origin)
        let api = try Session.patient(server.origin)
        let error = await #expect(throws: DownloadError.self) {
            try await api.download(resuming: data, to: "/proc/errand-download")
        }
        #expect(error?.code == .cannotMove)
        #expect(error?.resumeData?.received == 4)
        #expect(folder.bytes(of: "interrupted.part") == Array(ten.bytes.prefix(4)))
        #expect(try folder.files() == ["interrupted.part"])
    }

    @Test("stays in the scope of its session")
    func scope() async throws {
        let api = try Session(baseURL: "http://127.0.0.1:9")
        let data = DownloadResumeData(
            url: "http://127.0.0.1:10/file", validator: #""v1""#, received: 2, partialPath: folder["a"])
        let error = await #expect(throws: DownloadError.self) {
            try await api.download(resuming: data, to: folder.destination("b"))
        }
        #expect(error?.code == .urlOutOfScope)
        #expect(error?.resumeData == data)
    }
}
