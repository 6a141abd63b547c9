import ErrandLocking
import ErrandSupport
import Foundation
import HTTPSession
import Testing

@Suite("The hooks of a download", .timeLimit(.hang))
struct DownloadHooksTests {
    private struct Refusal: Error {}

    /// A retrier that repeats every failed attempt, and records it with the destination at that time.
    private final class Repeater: RequestRetrier {
        let attempts = EventLog<(code: SessionErrorCode, destination: [UInt8]?)>()
        private let folder: TemporaryFolder

        init(_ folder: TemporaryFolder) {
            self.folder = folder
        }

        func retry(after attempt: FailedAttempt) async -> RetryResult {
            attempts.append((code: attempt.error.code, destination: folder.bytes(of: "a")))
            return .retry
        }
    }

    /// A retrier that removes the file at the destination, and repeats the attempt that found it there.
    private struct Remover: RequestRetrier {
        let path: String

        func retry(after attempt: FailedAttempt) async -> RetryResult {
            guard attempt.error.code == .exists, (try? FileManager.default.removeItem(atPath: path)) != nil else {
                return .doNotRetry
            }
            return .retry
        }
    }

    private let folder: TemporaryFolder
    private let ten = ServedContent(10)

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A server that answers every request with the content or with a part of it.
    private func server() throws -> ScriptedServer {
        try ScriptedServer { [ten] connection in
            while true { try ten.respond(to: connection.readRequest(), on: connection) }
        }
    }

    private func session(_ origin: String, _ hooks: SessionHooks) throws -> Session {
        try Session(baseURL: origin, hooks: hooks) { $0.makePatient() }
    }

    @Test("may refuse the response, of which nothing is kept")
    func refused() async throws {
        let server = try server()
        defer { server.stop() }
        let api = try session(
            server.origin,
            SessionHooks(validators: [
                .checking { response in
                    if response.status == 200 || response.status == 206 { throw Refusal() }
                }
            ]))
        let error = await #expect(throws: DownloadError.self) {
            try await api.download("file", to: folder.destination("a"))
        }
        #expect(error?.code == .hookFailed)
        #expect(error?.error.cause is Refusal)
        #expect(error?.resumeData == nil)
        #expect(try folder.files().isEmpty)
        let data = try ten.interrupted(after: 4, in: folder, at: server.origin)
        let resumed = await #expect(throws: DownloadError.self) {
            try await api.download(resuming: data, to: folder.destination("a"))
        }
        #expect(resumed?.code == .hookFailed)
        #expect(resumed?.resumeData == nil)
        #expect(try folder.files().isEmpty)
    }

    @Test("may refuse a response of a download over several connections, whatever the error", arguments: [0, 1, 2])
    func refusedPart(number: Int) async throws {
        let mark = try #require(HTTPField.Name("X-Bad"))
        let refusals: [(error: any Error, code: SessionErrorCode)] = [
            (Refusal(), .hookFailed), (SessionError(.connectionLost, "Bad"), .connectionLost),
        ]
        for (refusal, code) in refusals {
            let server = try PartServer { $0.number == number ? .marked("X-Bad: 1") : .part }.start()
            defer { server.stop() }
            let check = ResponseCheck { response in
                if response.head.headers.contains(mark) { throw refusal }
            }
            let api = try session(server.origin, SessionHooks(validators: [check]))
            let error = await #expect(throws: DownloadError.self) {
                try await api.download(
                    "file", to: folder.destination("a"), options: DownloadOptions(connections: 3))
            }
            #expect(error?.code == code)
            #expect(error?.resumeData == nil)
            #expect(try folder.files().isEmpty)
        }
    }

    @Test("may create the destination meanwhile, after which the complete file is kept and can be moved elsewhere")
    func exists() async throws {
        let server = try ScriptedServer { [ten] connection in
            while true {
                let request = try connection.readRequest()
                if request["Range"] == nil {
                    try ten.respond(to: request, on: connection)
                } else {
                    try connection.respond("416 Range Not Satisfiable", ["Content-Range: bytes */10"])
                }
            }
        }
        defer { server.stop() }
        let validator = ResponseCheck { [folder] _ in _ = try folder.write("other", to: "a") }
        let api = try session(server.origin, SessionHooks(validators: [validator]))
        let error = await #expect(throws: DownloadError.self) {
            try await api.download("file", to: folder.destination("a"))
        }
        #expect(error?.code == .exists)
        let data = try #require(error?.resumeData)
        #expect(data.received == 10)
        #expect(folder.bytes(of: "a") == Array("other".utf8))
        let file = try await api.download(resuming: data, to: folder.destination("b"))
        #expect(file.head.status == 416)
        #expect(folder.bytes(of: "b") == ten.bytes)
        #expect(try folder.files() == ["a", "b"])
        #expect(server.requests.events.map { $0["Range"] } == [nil, "bytes=10-"])
    }

    @Test("may follow a redirect, which leaves the partial file, even if its status is acceptable")
    func redirected() async throws {
        let server = try ScriptedServer { [ten] connection in
            while true {
                let request = try connection.readRequest()
                if request.line.contains("/file") {
                    try connection.respond("302 Found", ["Location: /moved", #"ETag: "v2""#], body: "moved")
                } else {
                    try ten.respond(to: request, on: connection)
                }
            }
        }
        defer { server.stop() }
        let data = try ten.interrupted(after: 4, in: folder, at: server.origin)
        let api = try Session(baseURL: server.origin, hooks: SessionHooks(redirects: [.follow])) {
            $0.makePatient()
            $0.response.acceptableStatuses = StatusSet([200...399])
        }
        let file = try await api.download(resuming: data, to: folder.destination("a"))
        #expect(file.head.status == 206)
        #expect(folder.bytes(of: "a") == ten.bytes)
        #expect(try folder.files() == ["a"])
        #expect(server.requests.events.map { $0["Range"] } == ["bytes=4-", "bytes=4-"])
    }

    @Test("validate a part too, in a session that accepts only 200")
    func part() async throws {
        let server = try server()
        defer { server.stop() }
        let seen = EventLog<Int>()
        let hooks = SessionHooks(validators: [.checking { response in seen.append(response.status) }])
        let api = try Session(baseURL: server.origin, hooks: hooks) {
            $0.makePatient()
            $0.response.acceptableStatuses = StatusSet([200...200])
        }
        let data = try ten.interrupted(after: 4, in: folder, at: server.origin)
        let file = try await api.download(resuming: data, to: folder.destination("a"))
        #expect(file.head.status == 206)
        #expect(folder.bytes(of: "a") == ten.bytes)
        #expect(seen.events == [206])
        #expect(server.requests.events.map { $0["Range"] } == ["bytes=4-"])
    }

    @Test("see no content, and may accept the response")
    func accepted() async throws {
        let server = try server()
        defer { server.stop() }
        let seen = EventLog<Int?>()
        let api = try session(
            server.origin, SessionHooks(validators: [.checking { response in seen.append(response.data?.count) }]))
        try await api.download("file", to: folder.destination("a"))
        #expect(seen.events == [0])
        #expect(folder.bytes(of: "a") == ten.bytes)
    }

    @Test("may belong to one download, after those of the session and of the request, also if it is resumed")
    func ofOptions() async throws {
        let mark = try #require(HTTPField.Name("X-Mark"))
        let server = try server()
        defer { server.stop() }
        func marking(_ text: String) -> SessionHooks {
            let adapter = RequestModifier { request in
                request.headers[mark] = (request.headers[mark] ?? "") + text
            }
            return SessionHooks(adapters: [adapter])
        }
        let api = try session(server.origin, marking("a"))
        let request = try TaskRequest(.get, "file", options: RequestOptions(hooks: marking("b")))
        let task = try api.downloadTask(
            request, to: folder.destination("a"), options: DownloadOptions(hooks: marking("c")))
        task.resume()
        #expect(try await task.file.size == 10)
        try await api.download("file", to: folder.destination("b"), options: DownloadOptions(hooks: marking("d")))
        let data = try ten.interrupted(after: 4, in: folder, at: server.origin)
        try await api.download(
            resuming: data, to: folder.destination("c"), options: DownloadOptions(hooks: marking("e")))
        try await api.download("file", to: folder.destination("d"))
        #expect(server.requests.events.map { $0["X-Mark"] } == ["abc", "ad", "ae", "a"])
        #expect(server.requests.events.map { $0["Range"] } == [nil, nil, "bytes=4-", nil])
    }

    @Test("of one download may refuse the response to a part of it")
    func refusedByOptions() async throws {
        let server = try PartServer { $0.number == 2 ? .marked("X-Bad: 1") : .part }.start()
        defer { server.stop() }
        let mark = try #require(HTTPField.Name("X-Bad"))
        let check = ResponseCheck { response in
            if response.head.headers.contains(mark) { throw Refusal() }
        }
        let api = try session(server.origin, SessionHooks())
        let options = DownloadOptions(connections: 3, hooks: SessionHooks(validators: [check]))
        let error = await #expect(throws: DownloadError.self) {
            try await api.download("file", to: folder.destination("a"), options: options)
        }
        #expect(error?.code == .hookFailed)
        #expect(error?.error.cause is Refusal)
        #expect(error?.resumeData == nil)
        #expect(try folder.files().isEmpty)
    }

    // MARK: Retriers

    @Test("retry after the file was judged, and never after it was moved")
    func retried() async throws {
        let isFirst = Mutex(true)
        let server = try ScriptedServer { connection in
            while true {
                _ = try connection.readRequest()
                let isWrong = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                try connection.respond("200 OK", [#"ETag: "v1""#], body: isWrong ? "jello" : "hello")
            }
        }
        defer { server.stop() }
        let repeater = Repeater(folder)
        let monitored = EventLog<SessionErrorCode?>()
        let monitor = RequestObservation { monitored.append($0.outcome.error?.code) }
        let api = try session(server.origin, SessionHooks(retriers: [repeater], monitors: [monitor]))
        // The SHA-256 of "hello", computed by sha256sum.
        let digest = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
        let file = try await api.download(
            "file", to: folder.destination("a"), options: DownloadOptions(checksum: .sha256(digest)))
        #expect(file.size == 5)
        #expect(folder.bytes(of: "a") == Array("hello".utf8))
        #expect(try folder.files() == ["a"])
        #expect(repeater.attempts.events.map { $0.code } == [.checksumMismatch])
        #expect(monitored.events == [.checksumMismatch, nil], "a monitor sees what a retrier sees")
        #expect(repeater.attempts.events.allSatisfy { $0.destination == nil })
        #expect(server.requests.events.map { $0["Range"] } == [nil, nil])
    }

    @Test("are not asked about an attempt that the download repeats itself")
    func again() async throws {
        let other = ServedContent(10, seed: 2, validator: #"ETag: "v2""#)
        let server = try ScriptedServer { connection in
            while true { try other.respond(to: connection.readRequest(), on: connection) }
        }
        defer { server.stop() }
        let repeater = Repeater(folder)
        let seen = EventLog<MonitoredAttempt>()
        let monitor = RequestObservation { seen.append($0) }
        let api = try session(server.origin, SessionHooks(retriers: [repeater], monitors: [monitor]))
        let data = try ten.interrupted(after: 4, in: folder, at: server.origin)
        try await api.download(resuming: data, to: folder.destination("a"))
        #expect(folder.bytes(of: "a") == other.bytes)
        #expect(try folder.files() == ["a"])
        #expect(repeater.attempts.events.isEmpty)
        #expect(seen.events.map(\.status) == [206, 200])
        #expect(seen.events.map(\.outcome.mayRestart) == [true, false])
        #expect(seen.events.map(\.outcome.wasLostToSuspension) == [false, false], "nothing was suspended")
        #expect(server.requests.events.map { $0["Range"] } == ["bytes=4-", nil])
    }

    @Test("retry after the destination was taken, which is prepared again but not chosen again")
    func chosenOnce() async throws {
        try folder.write("old", to: "a")
        let server = try server()
        defer { server.stop() }
        let chosen = EventLog<Void>()
        let destination = DownloadDestination.chosen { [folder] _ in
            chosen.append()
            return folder["a"]
        }
        let api = try session(server.origin, SessionHooks(retriers: [Remover(path: folder["a"])]))
        let file = try await api.download("file", to: destination)
        #expect(file.path == folder["a"])
        #expect(folder.bytes(of: "a") == ten.bytes)
        #expect(try folder.files() == ["a"])
        #expect(server.requests.events.count == 2)
        #expect(chosen.events.count == 1)
    }

    @Test("refresh the token of a resumed download, which then requests the same part")
    func refreshed() async throws {
        let server = try ScriptedServer { [ten] connection in
            while true {
                let request = try connection.readRequest()
                if request["Authorization"] == "Bearer new" {
                    try ten.respond(to: request, on: connection)
                } else {
                    try connection.respond("401 Unauthorized", [], body: "stale")
                }
            }
        }
        defer { server.stop() }
        let tokens = TokenRefresher(RefreshedToken("old")) { RefreshedToken("new") }
        let api = try session(server.origin, SessionHooks(interceptor: tokens))
        let data = try ten.interrupted(after: 4, in: folder, at: server.origin)
        let file = try await api.download(resuming: data, to: folder.destination("a"))
        #expect(file.head.status == 206)
        #expect(folder.bytes(of: "a") == ten.bytes)
        #expect(try folder.files() == ["a"])
        #expect(server.requests.events.map { $0["Authorization"] } == ["Bearer old", "Bearer new"])
        #expect(server.requests.events.map { $0["Range"] } == ["bytes=4-", "bytes=4-"])
    }
}
