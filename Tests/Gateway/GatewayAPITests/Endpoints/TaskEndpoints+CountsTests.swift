import ErrandConfiguration
import ErrandHTTPServer
import ErrandSessionCore
import ErrandSupport
import ErrandTaskStore
import HTTPTypes
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("TaskEndpoints: counts", .timeLimit(.hang))
struct TaskEndpointsCountsTests {
    private struct Counts: Decodable {
        var total: Int
        var byState: [String: Int]
    }

    @Test("Tasks are counted by state, with the filters of the list")
    func counts() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            for _ in 0..<2 { _ = try await fixture.create(#","start":"suspended","labels":{"team":"a"}"#) }
            _ = try await fixture.create(#","start":"suspended""#)
            _ = try await fixture.run(#","labels":{"team":"a"}"#)
            let rows: [(query: String, expected: [String: Int])] = [
                ("", ["suspended": 3, "succeeded": 1]), ("label.team=a", ["suspended": 2, "succeeded": 1]),
                ("label.team=b", [:]), ("finished_after=-1h", ["succeeded": 1]), ("method=POST", [:]),
                ("session=elsewhere", [:]),
            ]
            for row in rows {
                let counts = try await fixture.document(Counts.self, .get, "/v1/tasks/counts?\(row.query)")
                #expect(counts.total == row.expected.values.reduce(0, +))
                #expect(Set(counts.byState.keys) == Set(TaskState.allCases.map(\.rawValue)))
                #expect(counts.byState.filter { $0.value > 0 } == row.expected, "\(row.query)")
            }
            for query in ["state=suspended&state=failed", "state=suspended&state=failed&created_after=-1h"] {
                let response = try await fixture.response(.get, "/v1/tasks/counts?\(query)")
                #expect(response.text == #"{"total":3,"by_state":{"suspended":3,"failed":0}}"#)
            }
        }
    }

    @Test("A count that takes longer than a list may take is a 503")
    func timeout() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            _ = try await fixture.create(#","start":"suspended""#)
            fixture.store.intervene { operation async throws(TaskStoreError) in
                if case .countsMatching = operation { throw .readTimedOut }
            }
            let problem = try await fixture.response(.get, "/v1/tasks/counts?kind=data")
                .document(ProblemDocument.self, status: .serviceUnavailable)
            #expect(problem.type == "/problems/list-timeout")
            fixture.store.intervene(nil)
        }
    }

    @Test("Only the tasks of the caller's sessions are counted")
    func visible() async throws {
        let fixture = try GatewayFixture { configuration in
            configuration.auth.tokens = [
                .sample("all", [.tasksRead, .tasksWrite]), .sample("other", [.tasksRead], sessions: ["other"]),
            ]
            configuration.sessions.append(try SessionConfiguration.sample("other"))
        }
        try await fixture.open {
            for session in ["up", "up", "other"] {
                _ = try await fixture.response(
                    .post, "/v1/tasks", json: #"{"session":"\#(session)","start":"suspended"}"#,
                    fields: [AuthConfiguration.Token.field("all")])
            }
            for (token, query, total) in [
                ("all", "", 3), ("other", "", 1), ("other", "?kind=data", 1), ("other", "?session=up", 0),
                ("other", "?session=up&kind=data", 0), ("all", "?session=up&kind=data", 2),
            ] {
                let response = try await fixture.response(
                    .get, "/v1/tasks/counts\(query)", fields: [AuthConfiguration.Token.field(token)])
                #expect(try response.document(Counts.self, status: .ok).total == total, "\(token) \(query)")
            }
        }
    }

    @Test(
        "Parameters of pages, unknown ones and wrong values are refused",
        arguments: ["page_size=5", "page_token=x", "sate=failed", "state=done"])
    func refused(query: String) async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let response = try await fixture.response(.get, "/v1/tasks/counts?\(query)")
            #expect(response.status == .badRequest)
            #expect(try await fixture.response(.post, "/v1/tasks/counts").status == .methodNotAllowed)
        }
    }
}
