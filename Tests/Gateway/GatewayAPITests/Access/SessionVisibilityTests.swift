import ErrandConfiguration
import ErrandHTTPServer
import ErrandSessionCore
import ErrandSupport
import ErrandTaskStore
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandGateway
@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

/// A token restricted to a session learns nothing of the others.
@Suite("Visibility of sessions", .timeLimit(.hang))
struct SessionVisibilityTests {
    /// Returns a gateway with the sessions `up` and `hidden`, a token for each and a token for all.
    private func fixture(
        folder: GatewayFolder? = nil, log: RecordedLog = RecordedLog(), defaultSession: String? = nil
    ) throws -> GatewayFixture {
        try GatewayFixture(folder: folder, logger: log.logger) { configuration in
            configuration.sessions.append(try SessionConfiguration.sample("hidden"))
            configuration.defaultSession = defaultSession
            configuration.auth.tokens = [
                .sample("up", [.admin], sessions: ["up"]), .sample("hidden", [.admin], sessions: ["hidden"]),
                .sample("all", [.admin]),
            ]
        }
    }

    private func response(
        _ fixture: GatewayFixture, _ token: String, _ method: HTTPRequest.Method, _ target: String,
        json: String? = nil, fields: [String] = [], type: String = "application/json"
    ) async throws -> ServerResponse {
        try await fixture.response(
            method, target, json: json,
            fields: [AuthConfiguration.Token.field(token), "X-Request-Id: r"] + fields, type: type)
    }

    /// Creates a task with the token, and returns its identifier when it is finished.
    private func create(_ fixture: GatewayFixture, _ token: String, _ members: String = "") async throws -> String {
        let created = try await response(
            fixture, token, .post, "/v1/tasks", json: #"{"session":"\#(token)"\#(members)}"#)
        let location = try #require(created.headers[.location])
        if members.isEmpty { _ = try await response(fixture, token, .get, "\(location)?wait=1d") }
        return String(location.dropFirst("/v1/tasks/".count))
    }

    /// Returns all that a client sees of a response, with the name that it chose itself replaced.
    private func seen(_ response: ServerResponse, _ name: String) -> String {
        let fields = response.headers.map { "\($0.name): \($0.value)" }.sorted().joined(separator: "\n")
        return "\(response.status)\n\(fields)\n\(response.text)".replacing(name, with: "NAME")
    }

    /// Requests that concern one task by its id.
    private static let taskCalls: [(HTTPRequest.Method, String, [String])] = [
        (.get, "", []), (.head, "", []), (.get, "?wait=50ms", []), (.get, "?wait=x", []),
        (.get, "", [#"If-None-Match: "r1""#]), (.get, "", ["If-None-Match: *"]),
        (.get, "?wait=50ms&wait_for=change", [#"If-None-Match: "r1""#]), (.get, "/body", []), (.head, "/body", []),
        (.get, "/body", ["If-None-Match: *"]), (.get, "/body", ["Range: bytes=0-0"]), (.get, "/nothing", []),
        (.put, "", []), (.options, "", []), (.post, "/cancel", []), (.post, "/suspend", []), (.post, "/resume", []),
        (.post, "/run-now", []), (.post, "/retry", []), (.post, "/retry", [#"Idempotency-Key: "k""#]),
        (.get, "/events", []), (.get, "/events", ["Last-Event-ID: 1"]), (.get, "/events?last_event_id=x", []),
        (.delete, "", []),
    ]

    /// Merge patches of one task, and the fields sent with them.
    private static let patches: [(String, [String])] = [
        (#"{"priority":9}"#, []), (#"{"priority":9}"#, [#"If-Match: "r1""#]), (#"{"x":1}"#, []), ("{", []),
    ]

    /// Checks that no request of the token `up` tells a task of another session from a missing one.
    private func expectLooksMissing(_ hidden: String, _ fixture: GatewayFixture) async throws {
        let missing = TaskID.sample(7).description
        for (method, rest, fields) in Self.taskCalls {
            let there = try await response(fixture, "up", method, "/v1/tasks/\(hidden)\(rest)", fields: fields)
            let none = try await response(fixture, "up", method, "/v1/tasks/\(missing)\(rest)", fields: fields)
            #expect(seen(there, hidden) == seen(none, missing), "\(method) \(rest) \(fields)")
        }
        for (patch, fields) in Self.patches {
            let type = "application/merge-patch+json"
            let there = try await response(
                fixture, "up", .patch, "/v1/tasks/\(hidden)", json: patch, fields: fields, type: type)
            let none = try await response(
                fixture, "up", .patch, "/v1/tasks/\(missing)", json: patch, fields: fields, type: type)
            #expect(there.status == .notFound)
            #expect(seen(there, hidden) == seen(none, missing), "\(patch) \(fields)")
        }
    }

    /// Makes a task of the session `hidden` unreadable, unless it is in memory.
    private func seal(_ hidden: String, _ fixture: GatewayFixture) {
        fixture.store.intervene { operation async throws(TaskStoreError) in
            guard case .task(let id) = operation, id.description == hidden else { return }
            var error = TaskStoreError(.sealed, "The record is sealed with another key")
            error.session = "hidden"
            throw error
        }
    }

    @Test("A task of another session is reported as missing, byte for byte, in every state and by every request")
    func tasks() async throws {
        let fixture = try fixture()
        try await fixture.open {
            let missing = TaskID.sample(7).description
            let finished = try await create(fixture, "hidden")
            let suspended = try await create(fixture, "hidden", #","start":"suspended""#)
            for hidden in [finished, suspended] {
                try await expectLooksMissing(hidden, fixture)
                for json in [#"{}"#, #"{"x":1}"#, "{"] {
                    let path = "/v1/tasks/\(hidden)/cancel"
                    let there = try await response(fixture, "up", .post, path, json: json)
                    let none = try await response(fixture, "up", .post, "/v1/tasks/\(missing)/cancel", json: json)
                    #expect(seen(there, hidden) == seen(none, missing))
                }
            }
            // The tasks are unchanged, and visible to their own token.
            let first = try await response(fixture, "hidden", .get, "/v1/tasks/\(finished)")
            #expect(first.text.contains(#""state":"succeeded""#))
            let second = try await response(fixture, "all", .get, "/v1/tasks/\(suspended)")
            #expect(second.text.contains(#""state":"suspended","done":false,"revision":1,"#))
            #expect(try await response(fixture, "all", .get, "/v1/tasks/\(finished)/body").status == .ok)
            #expect(try await response(fixture, "all", .delete, "/v1/tasks/\(suspended)").status == .noContent)
        }
    }

    @Test("An unreadable task is reported only to callers who see its session, and they can delete it")
    func unreadable() async throws {
        let folder = try GatewayFolder()
        let first = try fixture(folder: folder)
        try await first.gateway.open()
        let hidden = try await create(first, "hidden")
        await first.close()
        // Another gateway, so that no part of the task is in memory.
        let fixture = try fixture(folder: folder)
        try await fixture.open {
            seal(hidden, fixture)
            try await expectLooksMissing(hidden, fixture)
            let path = "/v1/tasks/\(hidden)"
            #expect(try await response(fixture, "hidden", .get, path).status == .serviceUnavailable)
            #expect(try await response(fixture, "hidden", .post, "\(path)/cancel").status == .serviceUnavailable)
            #expect(try await response(fixture, "hidden", .delete, path).status == .noContent)
            fixture.store.intervene(nil)
            #expect(try await response(fixture, "all", .get, path).status == .notFound)
        }
    }

    @Test("A session without access is reported as missing by every request")
    func sessions() async throws {
        let fixture = try fixture()
        try await fixture.open {
            for (method, rest) in [
                (HTTPRequest.Method.get, ""), (.head, ""), (.post, "/suspend"), (.post, "/resume"), (.post, "/purge"),
                (.post, "/invalidate"), (.get, "/suspend"), (.delete, ""),
            ] {
                let there = try await response(fixture, "up", method, "/v1/sessions/hidden\(rest)")
                let none = try await response(fixture, "up", method, "/v1/sessions/absent\(rest)")
                #expect(seen(there, "hidden") == seen(none, "absent"), "\(method) \(rest)")
            }
            let hidden = try await response(fixture, "hidden", .get, "/v1/sessions/hidden")
            #expect(hidden.text.contains(#""state":"open""#), "nothing was done to it")
            #expect(try await response(fixture, "up", .get, "/v1/sessions").text.contains("hidden") == false)
            #expect(try await response(fixture, "all", .get, "/v1/sessions").text.contains("hidden"))
            #expect(try await response(fixture, "up", .post, "/v1/sessions/up/suspend").status == .ok)
        }
    }

    @Test("Creating a task for another session is forbidden, existing or not, and creates nothing")
    func creating() async throws {
        let fixture = try fixture(defaultSession: "hidden")
        try await fixture.open {
            var texts: [String] = []
            for name in ["hidden", "absent"] {
                let refused = try await response(fixture, "up", .post, "/v1/tasks", json: #"{"session":"\#(name)"}"#)
                #expect(refused.status == .forbidden)
                texts.append(seen(refused, name))
            }
            #expect(texts[0] == texts[1])
            let byDefault = try await response(fixture, "up", .post, "/v1/tasks", json: "{}")
            #expect(byDefault.status == .forbidden)
            #expect(!byDefault.text.contains("hidden"))
            #expect(try await list(fixture, "all").ids.isEmpty)
            #expect(try await response(fixture, "hidden", .post, "/v1/tasks", json: "{}").status == .accepted)
        }
    }

    private struct Page: Decodable {
        struct Item: Decodable { var id: String }
        var tasks: [Item]
        var nextPageToken: String?
        var ids: [String] { tasks.map(\.id) }
    }

    private func list(_ fixture: GatewayFixture, _ token: String, _ query: String = "") async throws -> Page {
        try await response(fixture, token, .get, "/v1/tasks?\(query)").document(Page.self)
    }

    @Test("Lists contain only tasks of visible sessions, in stable pages")
    func lists() async throws {
        let fixture = try fixture()
        try await fixture.open {
            var mine: [String] = []
            var others: [String] = []
            for _ in 0..<5 {
                mine.append(try await create(fixture, "up", #","start":"suspended""#))
                others.append(try await create(fixture, "hidden", #","start":"suspended""#))
            }
            #expect(try await list(fixture, "up").ids == mine.reversed())
            #expect(try await list(fixture, "hidden").ids == others.reversed())
            #expect(try await list(fixture, "all").ids.count == 10)
            #expect(try await list(fixture, "up", "session=hidden").ids == [])
            #expect(try await list(fixture, "up", "session=absent").ids == [])
            #expect(try await list(fixture, "up", "session=hidden&session=up").ids == mine.reversed())

            var pages: [[String]] = []
            var token: String?
            repeat {
                let page = try await list(fixture, "up", "page_size=2" + (token.map { "&page_token=\($0)" } ?? ""))
                pages.append(page.ids)
                token = page.nextPageToken
                _ = try await create(fixture, "hidden", #","start":"suspended""#)
            } while token != nil
            #expect(pages.map(\.count) == [2, 2, 1], "others take no place on a page")
            #expect(pages.flatMap { $0 } == mine.reversed())

            let foreign = try #require(try await list(fixture, "all", "page_size=3").nextPageToken)
            let refused = try await response(fixture, "up", .get, "/v1/tasks?page_token=\(foreign)")
            #expect(refused.status == .badRequest)
        }
    }

    @Test("The audit log names the task and the session of each change, also of created tasks and waits")
    func audit() async throws {
        let log = RecordedLog()
        let fixture = try fixture(log: log)
        try await fixture.open {
            let task = try await create(fixture, "up")
            _ = try await response(fixture, "up", .post, "/v1/tasks?wait=1d", json: #"{"session":"up"}"#)
            _ = try await response(fixture, "up", .post, "/v1/tasks/\(task)/cancel")
            _ = try await response(fixture, "hidden", .delete, "/v1/tasks/\(task)")
            _ = try await response(fixture, "up", .delete, "/v1/tasks/\(task)")
            _ = try await response(fixture, "up", .post, "/v1/tasks", json: #"{"session":"hidden"}"#)
            let audit = log.lines.filter { $0.message.hasPrefix("Audit:") }
            #expect(audit.map { $0["status"] } == ["202", "202", "409", "404", "204", "403"])
            #expect(audit.map { $0["token"] } == ["up", "up", "up", "hidden", "up", "up"])
            #expect(audit.map { $0["session"] } == ["up", "up", "up", nil, "up", nil])
            #expect(audit[0]["task"] == task)
            #expect(audit[1]["task"].map { TaskID($0) != nil && $0 != task } == true)
            #expect(audit[2]["task"] == task)
            #expect(audit[4]["task"] == task)
            #expect(audit.allSatisfy { $0["request_id"] == "r" })
        }
    }

    @Test("The audit log names the session of an unreadable task only for callers who see the session")
    func auditOfUnreadable() async throws {
        let folder = try GatewayFolder()
        let first = try fixture(folder: folder)
        try await first.gateway.open()
        let task = try await create(first, "hidden")
        await first.close()
        let log = RecordedLog()
        // Another gateway, so that no part of the task is in memory.
        let fixture = try fixture(folder: folder, log: log)
        try await fixture.open {
            seal(task, fixture)
            for token in ["up", "hidden"] {
                _ = try await response(fixture, token, .post, "/v1/tasks/\(task)/cancel")
                _ = try await response(fixture, token, .delete, "/v1/tasks/\(task)")
            }
            fixture.store.intervene(nil)
            let audit = log.lines.filter { $0.message.hasPrefix("Audit:") }
            #expect(audit.map { $0["status"] } == ["404", "404", "503", "204"])
            #expect(audit.map { $0["token"] } == ["up", "up", "hidden", "hidden"])
            #expect(audit.map { $0["session"] } == [nil, nil, "hidden", "hidden"])
            #expect(audit.allSatisfy { $0["task"] == task })
        }
    }
}
