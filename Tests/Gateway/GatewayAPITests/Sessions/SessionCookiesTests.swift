import ErrandCookies
import ErrandSessionCore
import ErrandSupport
import ErrandTaskStore
import ErrandTaskStoreSQLite
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandGateway
@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("Cookies of sessions", .timeLimit(.hang))
struct SessionCookiesTests {
    private func fixture(_ policy: CookiePolicy, folder: GatewayFolder? = nil) throws -> GatewayFixture {
        var session = try DispatcherFixture.configuration()
        session.cookies = policy
        return try GatewayFixture(
            folder: folder, session: session,
            transport: ScriptedTransport { request in
                guard request.url.string.hasSuffix("/set") else { return DispatcherFixture.response }
                var head = ResponseHead(status: 200, headers: [.contentType: "application/json"])
                for cookie in ["kept=1; Max-Age=3600", "brief=2"] {
                    head.headers.append(HTTPField(name: .setCookie, value: cookie))
                }
                return [.head(head), .bytes(Array("{}".utf8))]
            })
    }

    /// Requests a path, and returns the cookies that were sent.
    private func cookies(_ fixture: GatewayFixture, _ path: String = "look") async throws -> String? {
        let task = try await fixture.create(#","path":"\#(path)""#)
        #expect(try await fixture.task(.get, "/v1/tasks/\(task.id)?wait=1d").state == "succeeded")
        return fixture.transport.requests.last?.headers[.cookie]
    }

    private func reset(_ fixture: GatewayFixture) async throws {
        let response = try await fixture.document(
            CanceledView.self, .post, "/v1/sessions/up/invalidate", json: #"{"reset":true}"#)
        #expect(response.session.state == "open")
    }

    @Test("Ephemeral cookies end with the session object: a reset removes them")
    func ephemeral() async throws {
        let fixture = try fixture(.ephemeral)
        try await fixture.open {
            #expect(try await cookies(fixture, "set") == nil)
            #expect(try await cookies(fixture) == "kept=1; brief=2")
            try await reset(fixture)
            #expect(try await cookies(fixture) == nil)
        }
    }

    @Test("Persistent cookies with a date survive a reset and the process; those without end with the session object")
    func persistent() async throws {
        let fixture = try fixture(.persistent)
        try await fixture.gateway.open()
        #expect(try await cookies(fixture, "set") == nil)
        #expect(try await cookies(fixture) == "kept=1; brief=2")
        try await reset(fixture)
        #expect(try await cookies(fixture) == "kept=1")
        await fixture.close()

        let next = try self.fixture(.persistent, folder: fixture.folder)
        try await next.open {
            let sent = try await cookies(next)
            #expect(sent == "kept=1")
        }
    }

    @Test("Cookies that cannot be stored are still sent, and stored when the gateway closes")
    func unwritten() async throws {
        let fixture = try fixture(.persistent)
        try await fixture.gateway.open()
        let failures = EventLog<Void>()
        fixture.store.intervene { operation async throws(TaskStoreError) in
            guard case .updateCookies = operation else { return }
            failures.append()
            throw TaskStoreError(.diskFull, "Full")
        }
        #expect(try await cookies(fixture, "set") == nil)
        _ = await failures.first(1)
        #expect(try await cookies(fixture) == "kept=1; brief=2")
        fixture.store.intervene(nil)
        await fixture.close()
        let store = try fixture.folder.store()
        #expect(try await SessionCookieStorage(store, session: "up").load().map(\.name) == ["kept"])
        await store.close()
    }

    @Test("If cookies cannot be read, the attempt fails with an error that allows a retry")
    func unread() async throws {
        let fixture = try fixture(.persistent)
        try await fixture.open {
            fixture.store.intervene { operation async throws(TaskStoreError) in
                if case .cookies = operation { throw TaskStoreError(.inputOutput, "Broken") }
            }
            let task = try await fixture.create()
            let failed = try await fixture.task(.get, "/v1/tasks/\(task.id)?wait=1d")
            #expect(failed.state == "failed")
            #expect(failed.error?.code == "internal")
            #expect(fixture.transport.requests.isEmpty)
            fixture.store.intervene(nil)
            #expect(try await cookies(fixture) == nil)
        }
    }
}
