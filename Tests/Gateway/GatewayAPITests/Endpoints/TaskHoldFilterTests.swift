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

/// The filter `hold` of lists, counts and bulk calls.
@Suite("TaskEndpoints: hold", .timeLimit(.hang))
struct TaskHoldFilterTests {
    private struct List: Decodable {
        struct Task: Decodable { var id: String }
        var tasks: [Task]
        var nextPageToken: String?
    }

    private struct Counts: Decodable {
        var total: Int
        var byState: [String: Int]
    }

    private struct Changes: Decodable { var matched, changed: Int }

    /// A gateway with one slot, which a task has taken, and tasks that wait for several reasons.
    private struct Waiting {
        let fixture: GatewayFixture
        let gate = ScriptedTransport.Gate()
        var content = ""
        var slot: [String] = []
        var ordering = ""

        init() throws {
            fixture = try GatewayFixture(
                session: DispatcherFixture.configuration(concurrent: 1),
                transport: ScriptedTransport([.wait(gate)] + DispatcherFixture.response))
        }

        mutating func create() async throws {
            _ = try await fixture.create()
            _ = await fixture.transport.requests(1)
            content = try await fixture.create(#","kind":"upload","body":{"content":"later"}"#).id
            slot.append(try await fixture.create(#","ordering_key":"k""#).id)
            ordering = try await fixture.create(#","ordering_key":"k""#).id
            slot.append(try await fixture.create().id)
            _ = try await fixture.create(#","start":"suspended""#)
        }

        func list(_ query: String) async throws -> List {
            try await fixture.document(List.self, .get, "/v1/tasks?\(query)")
        }
    }

    private func withWaiting(_ body: (Waiting) async throws -> Void) async throws {
        var waiting = try Waiting()
        try await waiting.fixture.gateway.open()
        try await waiting.create()
        do {
            defer { waiting.gate.open() }
            try await body(waiting)
        }
        await waiting.fixture.close()
    }

    @Test("Tasks are listed and counted by the reason for which they wait, as they show it")
    func lists() async throws {
        try await withWaiting { waiting in
            for (name, expected) in [
                ("concurrency", waiting.slot.reversed()), ("ordering", [waiting.ordering]),
                ("content", [waiting.content]), ("rate", []), ("session_suspended", []),
            ] {
                #expect(try await waiting.list("hold=\(name)").tasks.map(\.id) == expected, "\(name)")
                let counts = try await waiting.fixture.document(Counts.self, .get, "/v1/tasks/counts?hold=\(name)")
                #expect(counts.total == expected.count)
                #expect(Set(counts.byState.keys) == Set(TaskState.allCases.map(\.rawValue)))
                for id in expected { #expect(try await waiting.fixture.task(.get, "/v1/tasks/\(id)").hold == name) }
            }
            let running = try await waiting.fixture.response(.get, "/v1/tasks/counts?hold=rate&state=running").text
            #expect(running == #"{"total":0,"by_state":{"running":0}}"#)
            #expect(try await waiting.list("hold=ordering&sort=-finished_at").tasks.isEmpty)
            #expect(try await waiting.list("hold=concurrency&state=scheduled").tasks.isEmpty)
            #expect(try await waiting.list("hold=concurrency&session=elsewhere").tasks.isEmpty)
            #expect(try await waiting.list("hold=concurrency&session=up").tasks.count == 2)
        }
    }

    @Test("The pages of a list have the reason at the time of each page; their token is for the same reason")
    func pages() async throws {
        try await withWaiting { waiting in
            let first = try await waiting.list("hold=concurrency&page_size=1")
            #expect(first.tasks.map(\.id) == [waiting.slot[1]])
            let token = try #require(first.nextPageToken)
            let next = "page_size=1&page_token=\(token)"
            let other = try await waiting.fixture.response(.get, "/v1/tasks?hold=ordering&\(next)")
            #expect(other.status == .badRequest)
            #expect(try await waiting.list("hold=concurrency&\(next)").tasks.map(\.id) == [waiting.slot[0]])
            _ = try await waiting.fixture.response(.post, "/v1/sessions/up/suspend")
            #expect(try await waiting.list("hold=concurrency&\(next)").tasks.isEmpty)
            #expect(try await waiting.list("hold=session_suspended").tasks.map(\.id) == waiting.slot.reversed())
        }
    }

    @Test("A bulk call with a reason changes the tasks that wait for it")
    func bulk() async throws {
        try await withWaiting { waiting in
            let changes = try await waiting.fixture.document(
                Changes.self, .post, "/v1/tasks:cancel", json: #"{"hold":"concurrency"}"#)
            // The end of the first task of the key gives its turn to the next, which did not wait for a slot before.
            #expect((changes.matched, changes.changed) == (2, 2))
            let ordered = try await waiting.fixture.task(.get, "/v1/tasks/\(waiting.ordering)")
            #expect(ordered.state == "queued")
        }
    }

    @Test("An unknown reason is refused with the reasons that exist; events have no reason")
    func refused() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let unknown = try await fixture.response(.get, "/v1/tasks?hold=slow")
                .document(ProblemDocument.self, status: .badRequest)
            #expect(unknown.detail?.contains("content, session_not_configured") == true)
            #expect(unknown.detail?.contains(#"found "slow""#) == true)
            let call = try await fixture.response(.post, "/v1/tasks:cancel", json: #"{"hold":"slow"}"#)
            #expect(call.status == .unprocessableContent)
            #expect(try await fixture.response(.get, "/v1/events?hold=rate").status == .badRequest)
        }
    }
}
