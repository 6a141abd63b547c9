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

@Suite("POST /v1/config:reload", .timeLimit(.hang))
struct ReloadEndpointTests {
    /// The response to a reload.
    private struct Reloaded: Decodable {
        var changed: [String]
        var restartRequired: [String]
    }

    @Test("It lists changed settings and those that need a restart, without values")
    func applied() async throws {
        let fixture = try ReloadFixture()
        try await fixture.open {
            fixture.replace(
                "server: {",
                with: "auth: {tokens: [{name: a, token: SECRET-0123456789}]}\nserver: {max_headers: 64KiB, ")
            let response = try await fixture.response(.post, "/v1/config:reload")
            #expect(response.status == .ok)
            #expect(response.text == #"{"changed":["auth.tokens"],"restart_required":["server.max_headers"]}"#)
        }
    }

    @Test("All problems are reported at once, with pointer and location, and nothing changes")
    func refused() async throws {
        let fixture = try ReloadFixture()
        try await fixture.open {
            fixture.write(
                "dispatcher: {max_running: 0}\nsessions: {up: {base_url: 'http://a/', timeouts: {idle: fast}}}")
            let problem = try await fixture.document(
                ProblemDocument.self, .post, "/v1/config:reload", status: .unprocessableContent)
            #expect(problem.type == "/problems/invalid-configuration")
            #expect(problem.errors?.map(\.pointer) == ["/dispatcher/max_running", "/sessions/up/timeouts/idle"])
            #expect(problem.errors?.first?.detail.hasPrefix("config.yaml:1:27: dispatcher.max_running: ") == true)
            #expect(fixture.gateway.sessions.names == ["up", "other", "callbacks"])
        }
    }

    @Test("A long response has a short form with the first problems")
    func shortForm() async throws {
        let fixture = try ReloadFixture()
        try await fixture.open {
            let hosts = Array(repeating: "'a b'", count: 1500).joined(separator: ", ")
            fixture.write("server: {hosts: [\(hosts)]}")
            let response = try await fixture.response(.post, "/v1/config:reload")
            guard case .shortenable(let all, let first) = response.body else {
                Issue.record("not shortenable: \(response.status)")
                return
            }
            #expect(all.count > ResponseBody.maxSmallBytes)
            #expect(first.count < ResponseBody.maxSmallBytes)
            let text = String(decoding: first, as: UTF8.self)
            #expect(text.contains(#""detail":"the configuration was not changed; only the first "#))
            #expect(text.contains(#""pointer":"/server/hosts/0""#))
        }
    }

    @Test("The response to a reload that takes too long says that it goes on")
    func underWay() throws {
        let fixture = try ReloadFixture()
        let endpoint = ReloadEndpoint(reloader: fixture.gateway.reloader)
        let head = try RequestHead.sample(.post, "/v1/config:reload")
        let response = endpoint.response(to: head, .underWay)
        let problem = try response.document(ProblemDocument.self, status: .serviceUnavailable)
        #expect(problem.type == "/problems/reload-under-way")
        #expect(problem.detail?.hasPrefix("the reload has not ended yet and goes on") == true)
        #expect(response.headers[.retryAfter] == "30")
    }

    @Test("A failed store and a closed gateway are reported")
    func unavailable() async throws {
        let fixture = try ReloadFixture()
        try await fixture.open {
            fixture.replace("other:", with: "fresh:")
            fixture.store.intervene { operation async throws(TaskStoreError) in
                if case .sessionControlStates = operation { throw TaskStoreError(.inputOutput, "Broken") }
            }
            let response = try await fixture.response(.post, "/v1/config:reload")
            #expect(response.status == .serviceUnavailable)
            fixture.store.intervene(nil)
        }
        let response = try await fixture.response(.post, "/v1/config:reload")
        #expect(response.status == .serviceUnavailable)
        #expect(response.text.contains(#""type":"/problems/stopping""#), "\(response.text)")
    }
}
