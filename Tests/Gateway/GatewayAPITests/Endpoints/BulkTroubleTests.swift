import ErrandConfiguration
import ErrandHTTPServer
import ErrandSupport
import ErrandTaskStore
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandGateway
@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("A bulk call that ends early", .timeLimit(.hang))
struct BulkTroubleTests {
    private struct Counts: Decodable, Equatable {
        var matched: Int
        var changed: Int
    }

    @Test("because a page takes too long says so, with the counts so far")
    func timeout() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            // One more than fit on a page.
            for count in [500, BulkWork.pageSize - 499] {
                let item = #"{"session":"up","start":"suspended"}"#
                let batch = Array(repeating: item, count: count).joined(separator: ",")
                let response = try await fixture.response(.post, "/v1/tasks:batch", json: #"{"tasks":[\#(batch)]}"#)
                #expect(response.status == .ok)
            }
            let pages = EventLog<Void>()
            fixture.store.intervene { operation async throws(TaskStoreError) in
                guard case .identifiers(.begunRequests) = operation else { return }
                pages.append()
                if pages.events.count > 1 { throw .readTimedOut }
            }
            let response = try await fixture.response(.post, "/v1/tasks:cancel", json: #"{"session":"up"}"#)
            fixture.store.intervene(nil)
            #expect(response.headers[.retryAfter] == nil)
            let problem = try response.document(ProblemDocument.self, status: .serviceUnavailable)
            #expect(problem.type == "/problems/list-timeout")
            #expect(problem.detail?.contains("use narrower filters") == true)
            #expect(problem.detail?.hasSuffix("matched and changed count the tasks before the failure") == true)
            let counts = try response.document(Counts.self, status: .serviceUnavailable)
            #expect(counts == Counts(matched: BulkWork.pageSize, changed: BulkWork.pageSize))
        }
    }

    @Test("because its token was removed says so, with the counts so far")
    func removedToken() async throws {
        let fixture = try ReloadFixture(
            """
            auth: {tokens: [{name: a, token: a-token-0123456789}, {name: b, token: b-token-0123456789}]}
            sessions: {up: {base_url: "http://upstream.example/"}}
            """)
        func send(_ target: String, _ content: String) async throws -> ServerResponse {
            let head = try RequestHead.sample(
                .post, target, "Host: 127.0.0.1", "Content-Type: application/json",
                AuthConfiguration.Token.field("a"))
            return try await fixture.gateway.handler.response(to: head, content: content)
        }
        try await fixture.open {
            // One more than fit on a page.
            for count in [500, BulkWork.pageSize - 499] {
                let batch = Array(repeating: #"{"session":"up","start":"suspended"}"#, count: count)
                let created = try await send("/v1/tasks:batch", #"{"tasks":[\#(batch.joined(separator: ","))]}"#)
                #expect(created.status == .ok)
            }
            let pages = EventLog<Void>()
            fixture.store.intervene { operation in
                guard case .identifiers(.begunRequests) = operation else { return }
                pages.append()
                guard pages.events.count == 2 else { return }
                fixture.replace("{name: a, token: a-token-0123456789}, ", with: "")
                _ = await fixture.gateway.reload()
            }
            let response = try await send("/v1/tasks:cancel", #"{"session":"up"}"#)
            fixture.store.intervene(nil)
            let problem = try response.document(ProblemDocument.self, status: .unauthorized)
            #expect(problem.type == "/problems/unauthorized")
            #expect(problem.detail?.hasPrefix("The token was removed, replaced or restricted") == true)
            #expect(response.headers[.wwwAuthenticate] == #"Bearer realm="errand", error="invalid_token""#)
            let counts = try response.document(Counts.self, status: .unauthorized)
            #expect(counts == Counts(matched: BulkWork.pageSize, changed: BulkWork.pageSize))
        }
    }

    @Test("because a dry run takes too long says so")
    func dryRun() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            fixture.store.intervene { operation async throws(TaskStoreError) in
                if case .tasks = operation { throw .readTimedOut }
            }
            let response = try await fixture.response(
                .post, "/v1/tasks:delete", json: #"{"session":"up","dry_run":true}"#)
            fixture.store.intervene(nil)
            #expect(response.headers[.retryAfter] == nil)
            let problem = try response.document(ProblemDocument.self, status: .serviceUnavailable)
            #expect(problem.type == "/problems/list-timeout")
        }
    }

    @Test("because the gateway is stopping says so, and names the time until the next process accepts tasks")
    func stopping() async throws {
        let gate = ScriptedTransport.Gate()
        let transport = ScriptedTransport { request in
            let held: [ScriptedTransport.Step] = request.url.path == "/held" ? [.wait(gate)] : []
            return held + DispatcherFixture.response
        }
        let fixture = try GatewayFixture(transport: transport)
        try await fixture.gateway.open()
        let done = try await fixture.run()
        _ = try await fixture.create(#","path":"held""#)
        _ = await transport.requests(2)
        let draining = Task { await fixture.gateway.drain(patience: .seconds(3600), polls: .zero) }
        try await until { fixture.gateway.dispatcher.isStopping }
        let response = try await fixture.response(.post, "/v1/tasks:retry", json: #"{"ids":["\#(done.id)"]}"#)
        #expect(response.headers[.retryAfter] == "5")
        let problem = try response.document(ProblemDocument.self, status: .serviceUnavailable)
        #expect(problem.type == "/problems/stopping")
        #expect(problem.detail?.hasSuffix("repeat the call for the tasks that are not changed") == true)
        let counts = try response.document(Counts.self, status: .serviceUnavailable)
        #expect(counts == Counts(matched: 1, changed: 0))
        gate.open()
        await draining.value
        await fixture.gateway.close()
        await fixture.store.close()
    }
}
