import ErrandAuthentication
import ErrandConfiguration
import ErrandGateway
import ErrandHTTPServer
import ErrandSessionCore
import ErrandSupport
import ErrandTaskStore
import ErrandTime
import ErrandTransfer
import Foundation
import HTTPTypes
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("Schedules: the API", .timeLimit(.hang))
struct ScheduleEndpointsTests {
    private func fixture(
        folder: GatewayFolder? = nil, _ configure: (inout GatewayConfiguration) throws -> Void = { _ in }
    ) throws -> GatewayFixture {
        try GatewayFixture(folder: folder) { configuration in
            configuration.sessions.append(try SessionConfiguration.sample("hidden"))
            configuration.auth.tokens = [
                .sample("up", sessions: ["up"]), .sample("hidden", sessions: ["hidden"]), .sample("all"),
            ]
            try configure(&configuration)
        }
    }

    private func response(
        _ fixture: GatewayFixture, _ method: HTTPRequest.Method, _ path: String, _ json: String? = nil,
        _ fields: [String] = [], as token: String = "up"
    ) async throws -> ServerResponse {
        try await fixture.response(
            method, "/v1/schedules" + path, json: json,
            fields: [AuthConfiguration.Token.field(token), "X-Request-Id: r"] + fields)
    }

    private static let definition = #""cron":"0 12 * * *","task":{"session":"up","path":"x"}"#

    @discardableResult
    private func create(
        _ fixture: GatewayFixture, _ name: String = "noon", as token: String = "up"
    ) async throws -> ServerResponse {
        let session = token == "hidden" ? "hidden" : "up"
        let created = try await response(
            fixture, .post, "", #"{"name":"\#(name)","cron":"0 12 * * *","task":{"session":"\#(session)"}}"#, as: token)
        #expect(created.status == .created)
        return created
    }

    /// Returns the field `If-Match` with the tag of a response.
    private func ifMatch(_ response: ServerResponse) throws -> String {
        let tag = try #require(response.headers[.eTag])
        return "If-Match: \(tag)"
    }

    private func problem(
        _ response: ServerResponse, _ status: HTTPResponse.Status, _ type: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(response.status == status, sourceLocation: sourceLocation)
        #expect(
            response.text.contains(#""type":"/problems/\#(type)""#), "\(response.text)",
            sourceLocation: sourceLocation)
    }

    // MARK: Creating and reading

    @Test("A schedule is created, read with its next five times, and listed")
    func made() async throws {
        let fixture = try fixture()
        try await fixture.open {
            let created = try await response(fixture, .post, "", #"{"name":"noon",\#(Self.definition)}"#)
            #expect(created.status == .created)
            #expect(created.headers[.location] == "/v1/schedules/noon")
            let tag = try #require(created.headers[.eTag])
            #expect(tag.hasPrefix(#""r1-"#))
            for member in [
                #""name":"noon","origin":"api","cron":"0 12 * * *","time_zone":"UTC","missed":"skip","#,
                #""task":{"session":"up","path":"x"},"session":"up","suspended":false,"#,
                #""last_run_at":null,"last_task":null,"last_error":null,"revision":1,"#,
                #""links":{"self":"/v1/schedules/noon","run":"/v1/schedules/noon/run","suspend":"/v1/schedules/noon/suspend"}"#,
            ] {
                #expect(created.text.contains(member), "\(created.text)")
            }
            #expect(created.text.components(separatedBy: "T12:00:00.000Z").count == 6)
            let read = try await response(fixture, .get, "/noon")
            #expect(read.text == created.text && read.status == .ok)
            let known = try await response(fixture, .get, "/noon", nil, ["If-None-Match: \(tag)"])
            #expect(known.status == .notModified)
            let same = try await response(fixture, .get, "/noon", nil, ["If-Match: \(tag)"])
            #expect(same.text == created.text)
            let changed = try await response(
                fixture, .get, "/noon", nil, [#"If-Match: "other""#, "If-None-Match: \(tag)"])
            problem(changed, .preconditionFailed, "precondition-failed")
            #expect(changed.headers[.eTag] == tag)
            problem(try await response(fixture, .get, "/noon", nil, ["If-Match: r1"]), .badRequest, "bad-header")
            let list = try await response(fixture, .get, "")
            #expect(list.text == #"{"schedules":[\#(read.text)]}"#)
        }
    }

    @Test("A name can be used only once")
    func name() async throws {
        let fixture = try fixture()
        try await fixture.open {
            try await create(fixture)
            let again = try await response(fixture, .post, "", #"{"name":"noon",\#(Self.definition)}"#)
            problem(again, .conflict, "schedule-exists")
        }
    }

    @Test("All errors are reported at once, those of the task with their places")
    func faults() async throws {
        let fixture = try fixture()
        try await fixture.open {
            let refused = try await fixture.response(
                .post, "/v1/schedules",
                json: #"""
                    {"name":"Noon","cron":"0 25 * * *","time_zone":"Europe/Berln","missed":"twice","every":1,
                     "task":{"session":"up","priority":10,"pth":"x","deadline":"2027-01-01T00:00:00Z","headers":{"Host":"x"}}}
                    """#, fields: [AuthConfiguration.Token.field("up")])
            problem(refused, .unprocessableContent, "invalid-schedule")
            for fault in [
                #"{"pointer":"/name","detail":"expected a name: "#,
                #"{"pointer":"/cron","detail":"\"0 25 * * *\", column 3: the hour must be 0 to 23, found 25"}"#,
                #""detail":"expected a time zone of the IANA database with an area, such as \"Europe/Berlin\", or UTC; "#
                    + #"found \"Europe/Berln\"; did you mean \"Europe/Berlin\"?"}"#,
                #"{"pointer":"/missed","detail":"expected \"skip\", \"run_once\", found \"twice\""}"#,
                #"{"pointer":"/every","detail":"unknown member"}"#,
                #"{"pointer":"/task/priority","detail":"#,
                #"{"pointer":"/task/pth","detail":"unknown member; did you mean \"path\"?"}"#,
                #"{"pointer":"/task/deadline","detail":"#,
                #"{"pointer":"/task/headers/Host","detail":"#,
            ] {
                #expect(refused.text.contains(fault), "\(fault) in \(refused.text)")
            }
            let empty = try await response(fixture, .post, "", "{}")
            for member in ["name", "cron", "task"] { #expect(empty.text.contains(#""pointer":"/\#(member)""#)) }
            problem(try await response(fixture, .post, "", "{"), .badRequest, "malformed-json")
            #expect(try await response(fixture, .post, "").status == .unsupportedMediaType)
        }
    }

    @Test("Values with secret names are redacted")
    func redacted() async throws {
        let fixture = try fixture()
        try await fixture.open {
            let created = try await response(
                fixture, .put, "/s",
                #"""
                {"cron":"@daily","task":{"session":"up","method":"POST","headers":{"Authorization":"Bearer abc","X-A":"1"},
                "body":{"parts":[{"name":"p","headers":{"X-Token":"def"},"text":"t"}]}}}
                """#)
            #expect(created.status == .created)
            #expect(!created.text.contains("abc") && !created.text.contains("def"))
            #expect(created.text.contains(#""headers":{"Authorization":"[redacted]","X-A":"1"}"#))
            #expect(created.text.contains(#""parts":[{"name":"p","headers":{"X-Token":"[redacted]"},"text":"t"}]"#))
        }
    }

    @Test(
        "Parameters with the name of the session's key are redacted only in a query, which the key belongs to",
        arguments: [
            (#""method":"GET","#, "[redacted]"), (#""method":"get","#, "[redacted]"), ("", "[redacted]"),
            (#""method":null,"#, "[redacted]"), (#""method":"POST","#, "customer-7"),
        ])
    func redactedParameters(method: String, shown: String) async throws {
        let fixture = try fixture { configuration in
            configuration.sessions[0].credentials = .apiKey(APIKey(place: .query("key"), value: "k"))
        }
        try await fixture.open {
            let created = try await response(
                fixture, .put, "/s",
                #"{"cron":"@daily","task":{"session":"up",\#(method)"parameters":{"key":"customer-7"}}}"#)
            #expect(created.text.contains(#""parameters":{"key":"\#(shown)"}"#), "\(created.text)")
        }
    }

    @Test("A schedule's own value for a field of the session with a secret is redacted")
    func redactedField() async throws {
        let fixture = try fixture { configuration in
            var field = HTTPField(name: try #require(HTTPField.Name("X-Partner")), value: "12345")
            field.indexingStrategy = .disallow
            configuration.sessions[0].headers.append(field)
        }
        try await fixture.open {
            let created = try await response(
                fixture, .put, "/s",
                #"{"cron":"@daily","task":{"session":"up","headers":{"x-partner":"67890","X-A":"1"}}}"#)
            #expect(created.text.contains(#""headers":{"x-partner":"[redacted]","X-A":"1"}"#), "\(created.text)")
        }
    }

    @Test("Neither the tasks of a configured schedule nor their repetitions show a value that ${…} has inserted")
    func inserted() async throws {
        let text = """
            sessions: {up: {base_url: "http://upstream.example/"}}
            schedules:
              s:
                cron: "@daily"
                task: {session: up, method: POST, path: x, headers: {X-A: "${SECRET}"}, body: {text: "${SECRET}"}}
            """
        let loader = ConfigurationLoader(environment: ["SECRET": "hunter2"], readFile: { _ in [] })
        let schedules = try loader.load(Array(text.utf8), file: "f").configuration.schedules
        let fixture = try fixture { $0.schedules = schedules }
        try await fixture.open {
            let token = [AuthConfiguration.Token.field("up")]
            let ran = try await response(fixture, .post, "/s/run")
            let location = try #require(ran.headers[.location])
            let task = try await fixture.response(.get, "\(location)?wait=1d", fields: token)
            let again = try await fixture.response(.post, "\(location)/retry?wait=1d", fields: token)
            #expect([ran.status, task.status, again.status] == [.accepted, .ok, .ok])
            for shown in [ran, task, again] {
                #expect(!shown.text.contains("hunter2"), "\(shown.text)")
                #expect(shown.text.contains(#""X-A":"[redacted]""#), "\(shown.text)")
                #expect(shown.text.contains(#""body_size":7,"curl":null}"#), "\(shown.text)")
            }
            let name = try #require(HTTPField.Name("X-A"))
            #expect(fixture.transport.requests.map { $0.headers[name] } == ["hunter2", "hunter2"])
        }
    }

    // MARK: Changing

    @Test("PUT creates or replaces a schedule, and If-Match prevents replacing a changed one")
    func put() async throws {
        let fixture = try fixture()
        try await fixture.open {
            let created = try await response(fixture, .put, "/noon", "{\(Self.definition)}")
            #expect(created.status == .created && created.headers[.location] == "/v1/schedules/noon")
            let other =
                #"{"name":"noon","cron":"@hourly","time_zone":"Asia/Tokyo","missed":"run_once","task":{"session":"up"}}"#
            let replaced = try await response(fixture, .put, "/noon", other, [try ifMatch(created)])
            #expect(replaced.status == .ok && replaced.headers[.eTag]?.hasPrefix(#""r2-"#) == true)
            #expect(replaced.text.contains(#""cron":"@hourly","time_zone":"Asia/Tokyo","missed":"run_once""#))
            let stale = try await response(fixture, .put, "/noon", other, [try ifMatch(created)])
            problem(stale, .preconditionFailed, "precondition-failed")
            #expect(stale.headers[.eTag] == replaced.headers[.eTag])
            let only = try await response(fixture, .put, "/noon", other, ["If-None-Match: *"])
            problem(only, .preconditionFailed, "precondition-failed")
            let missing = try await response(
                fixture, .put, "/none", other.replacing("noon", with: "none"), ["If-Match: *"])
            problem(missing, .preconditionFailed, "precondition-failed")
            #expect(missing.headers[.eTag] == nil)
            let renamed = try await response(fixture, .put, "/noon", other.replacing("noon", with: "other"))
            problem(renamed, .unprocessableContent, "invalid-schedule")
            let named = try await response(fixture, .put, "/a%2Fb", "{\(Self.definition)}")
            problem(named, .unprocessableContent, "invalid-schedule")
            #expect(named.text.contains(#""pointer":"/name""#))
            let bad = try await response(fixture, .put, "/noon", other, ["If-Match: r1"])
            problem(bad, .badRequest, "bad-header")
        }
    }

    @Test(
        "A name in the path is checked like one in the document",
        arguments: ["a%2Fb", "a%0d%0ab", "%2500", "Noon", "..", "a%20b"])
    func nameInPath(_ name: String) async throws {
        let fixture = try fixture()
        try await fixture.open {
            let refused = try await response(fixture, .put, "/\(name)", "{\(Self.definition)}")
            problem(refused, .unprocessableContent, "invalid-schedule")
            #expect(refused.text.contains(#"{"pointer":"/name","detail":"expected a name: "#))
            #expect(try await response(fixture, .get, "").text == #"{"schedules":[]}"#)
        }
    }

    @Test("DELETE removes a schedule and leaves its tasks")
    func delete() async throws {
        let fixture = try fixture()
        try await fixture.open {
            let created = try await create(fixture)
            let ran = try await response(fixture, .post, "/noon/run")
            let location = try #require(ran.headers[.location])
            let stale = try await response(fixture, .delete, "/noon", nil, [try ifMatch(created)])
            problem(stale, .preconditionFailed, "precondition-failed")
            #expect(stale.headers[.eTag]?.hasPrefix(#""r2-"#) == true)
            #expect(try await response(fixture, .delete, "/noon").status == .noContent)
            problem(try await response(fixture, .delete, "/noon"), .notFound, "no-such-schedule")
            let task = try await fixture.response(.get, location, fields: [AuthConfiguration.Token.field("up")])
            #expect(task.status == .ok)
        }
    }

    @Test("A schedule is not created with an idempotency key, and the refusal says so")
    func keyOfSchedule() async throws {
        let fixture = try fixture()
        try await fixture.open {
            let definition = #"{"name":"noon",\#(Self.definition)}"#
            let refused = try await response(fixture, .post, "", definition, ["Idempotency-Key: \"a\""])
            problem(refused, .badRequest, "bad-header")
            #expect(refused.text.contains("a schedule takes no key"))
            problem(try await response(fixture, .get, "/noon"), .notFound, "no-such-schedule")
        }
    }

    @Test("A run with an idempotency key is refused, and If-Match protects runs, suspensions and resumptions")
    func conditions() async throws {
        let fixture = try fixture()
        try await fixture.open {
            let created = try await create(fixture)
            problem(
                try await response(fixture, .post, "/noon/run", nil, ["Idempotency-Key: \"a\""]), .badRequest,
                "bad-header")
            for action in ["run", "suspend", "resume"] {
                problem(
                    try await response(fixture, .post, "/noon/\(action)", nil, [#"If-Match: "r9""#]),
                    .preconditionFailed,
                    "precondition-failed")
            }
            let suspended = try await response(fixture, .post, "/noon/suspend", nil, [try ifMatch(created)])
            #expect(suspended.status == .ok)
        }
    }

    @Test("The tag of a deleted schedule is not that of a new one with its name")
    func recreated() async throws {
        let fixture = try fixture()
        try await fixture.open {
            let former = try await create(fixture)
            #expect(try await response(fixture, .delete, "/noon").status == .noContent)
            // Tags have the time of the creation in milliseconds.
            let moment = Timestamp.now()
            try await until { Timestamp.now() > moment }
            let created = try await create(fixture)
            #expect(created.headers[.eTag] != former.headers[.eTag])
            let late = try await response(fixture, .delete, "/noon", nil, [try ifMatch(former)])
            problem(late, .preconditionFailed, "precondition-failed")
            #expect(late.headers[.eTag] == created.headers[.eTag])
        }
    }

    @Test(
        "If-Match notices a change between the head of a request and its end",
        arguments: ["run", "suspend", "resume"])
    func conditionAtEnd(_ action: String) async throws {
        let fixture = try fixture()
        try await fixture.open {
            let created = try await create(fixture)
            let head = try RequestHead.sample(
                .post, "/v1/schedules/noon/\(action)",
                lines: ["Host: 127.0.0.1", AuthConfiguration.Token.field("up"), try ifMatch(created)])
            guard case .buffered(_, _, let respond) = fixture.gateway.handler.admit(head).unchanged else {
                Issue.record("not admitted")
                return
            }
            let suspended = try await response(fixture, .post, "/noon/suspend")
            #expect(suspended.headers[.eTag]?.hasPrefix(#""r2-"#) == true)
            guard case .deferred(let change) = respond([]) else {
                Issue.record("answered at once")
                return
            }
            problem(await change(), .preconditionFailed, "precondition-failed")
            #expect(try await response(fixture, .get, "/noon").headers[.eTag] == suspended.headers[.eTag])
        }
    }

    @Test("A suspended schedule has no next times, a resumed one has; both survive the process")
    func suspend() async throws {
        let folder = try GatewayFolder()
        let first = try fixture(folder: folder)
        try await first.open {
            try await create(first)
            for _ in 1...2 {
                let suspended = try await response(first, .post, "/noon/suspend")
                #expect(suspended.status == .ok)
                #expect(suspended.text.contains(#""suspended":true"#) && suspended.text.contains(#""next_runs":[]"#))
                #expect(suspended.text.contains(#""revision":2"#), "the second call changes nothing")
            }
        }
        let second = try fixture(folder: folder)
        try await second.open {
            let read = try await response(second, .get, "/noon")
            #expect(read.text.contains(#""suspended":true"#) && read.text.contains(#""next_runs":[]"#))
            let resumed = try await response(second, .post, "/noon/resume")
            #expect(resumed.text.contains(#""suspended":false"#) && resumed.text.contains("T12:00:00.000Z"))
        }
    }

    @Test("A run creates a task now, of a suspended schedule too, and changes none of its times")
    func run() async throws {
        let fixture = try fixture()
        try await fixture.open {
            try await create(fixture)
            _ = try await response(fixture, .post, "/noon/suspend")
            let ran = try await response(fixture, .post, "/noon/run")
            #expect(ran.status == .accepted)
            let location = try #require(ran.headers[.location])
            let token = [AuthConfiguration.Token.field("up")]
            let task = try await fixture.response(.get, "\(location)?wait=1d", fields: token)
            #expect(task.text.contains(#""state":"succeeded""#) && task.text.contains(#""schedule":"noon""#))
            let read = try await response(fixture, .get, "/noon")
            #expect(read.text.contains(#""last_task":"\#(location.dropFirst("/v1/tasks/".count))""#))
            #expect(read.text.contains(#""suspended":true"#) && read.text.contains(#""next_runs":[]"#))
        }
    }

    @Test("A run for a closed session is a conflict, as a create is")
    func closedSession() async throws {
        let fixture = try fixture { $0.auth.tokens.append(.sample("admin", [.admin])) }
        try await fixture.open {
            try await create(fixture)
            let closed = try await fixture.response(
                .post, "/v1/sessions/up/invalidate", fields: [AuthConfiguration.Token.field("admin")])
            #expect(closed.status == .ok)
            let refused = try await response(fixture, .post, "/noon/run")
            problem(refused, .conflict, "session-closed")
            #expect(refused.text.contains("the session up was closed by an operator"))
        }
    }

    @Test("The tasks of a schedule have its transfer rate limit")
    func transferRate() async throws {
        let fixture = try fixture()
        try await fixture.open {
            let definition = #"{"cron":"0 12 * * *","task":{"session":"up","bytes_per_second":4096}}"#
            #expect(try await response(fixture, .put, "/noon", definition).status == .created)
            let ran = try await response(fixture, .post, "/noon/run")
            let location = try #require(ran.headers[.location])
            let task = try await fixture.response(.get, location, fields: [AuthConfiguration.Token.field("up")])
            #expect(task.text.contains(#""bytes_per_second":4096,"#))
            let wrong = definition.replacing("4096", with: "1")
            #expect(try await response(fixture, .put, "/slow", wrong).text.contains(#""/task/bytes_per_second""#))
        }
    }

    // MARK: Visibility

    @Test("A schedule of a session that the token must not see is not found by any operation")
    func hidden() async throws {
        let fixture = try fixture()
        try await fixture.open {
            try await create(fixture, "secret", as: "hidden")
            #expect(try await response(fixture, .get, "").text == #"{"schedules":[]}"#)
            for (method, action) in [
                (HTTPRequest.Method.get, ""), (.delete, ""), (.post, "/suspend"), (.post, "/resume"), (.post, "/run"),
            ] {
                let there = try await response(fixture, method, "/secret\(action)")
                let missing = try await response(fixture, method, "/nothing\(action)")
                problem(there, .notFound, "no-such-schedule")
                #expect(there.text.replacing("secret", with: "nothing") == missing.text)
            }
            // Names are unique, so a caller that tries one can find out that it is taken.
            problem(
                try await response(fixture, .put, "/secret", "{\(Self.definition)}"), .conflict, "schedule-exists")
            #expect(try await response(fixture, .get, "", nil, as: "all").text.contains("secret"))
        }
    }

    @Test("A token cannot create a schedule for another token's session")
    func forbidden() async throws {
        let fixture = try fixture()
        try await fixture.open {
            for session in ["hidden", "nowhere"] {
                let refused = try await response(
                    fixture, .post, "", #"{"name":"a","cron":"@daily","task":{"session":"\#(session)"}}"#)
                problem(refused, .forbidden, "session-forbidden")
            }
        }
    }
}
