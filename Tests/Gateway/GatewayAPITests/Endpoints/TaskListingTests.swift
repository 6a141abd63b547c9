import ErrandHTTPServer
import ErrandLocking
import ErrandSupport
import ErrandTaskStore
import FoundationEssentials
import HTTPTypes
import Testing

@testable import ErrandGateway
@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("TaskListing", .timeLimit(.hang))
struct TaskListingTests {
    private struct List: Decodable {
        struct Task: Decodable { var id: String }
        var tasks: [Task]
        var nextPageToken: String?
    }

    /// Returns a gateway with waiting tasks, and their identifiers, newest first.
    private func fixture(tasks count: Int) async throws -> (fixture: GatewayFixture, ids: [String]) {
        let fixture = try GatewayFixture()
        try await fixture.gateway.open()
        var ids: [String] = []
        for _ in 0..<count { ids.append(try await fixture.create(#","start":"suspended""#).id) }
        return (fixture, ids.reversed())
    }

    private func pieces(of response: ServerResponse) async throws -> [[UInt8]] {
        switch response.body {
        case .bytes(let bytes), .shortenable(let bytes, _): return [bytes]
        case .stream(let stream):
            var pieces: [[UInt8]] = []
            while let piece = try await stream.next() { pieces.append(piece) }
            return pieces
        case .empty, .file: return []
        }
    }

    private func list(_ fixture: GatewayFixture, _ query: String) async throws -> (list: List, pieces: Int) {
        let response = try await fixture.response(.get, "/v1/tasks?\(query)")
        #expect(response.status == .ok)
        let pieces = try await pieces(of: response)
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return (try decoder.decode(List.self, from: Data(pieces.joined())), pieces.count)
    }

    @Test("A page streamed in pieces has the same tasks as one sent at once, and so have the pages after it")
    func pages() async throws {
        let (fixture, ids) = try await fixture(tasks: 230)
        let all = try await list(fixture, "page_size=1000")
        #expect(all.list.tasks.map(\.id) == ids)
        #expect(all.list.nextPageToken == nil)
        #expect(all.pieces > 1)
        let first = try await list(fixture, "page_size=150")
        #expect(first.list.tasks.map(\.id) == Array(ids.prefix(150)))
        let token = try #require(first.list.nextPageToken)
        let second = try await list(fixture, "page_size=150&page_token=\(token)")
        #expect(second.list.tasks.map(\.id) == Array(ids.dropFirst(150)))
        #expect(second.list.nextPageToken == nil)
        let exact = try await list(fixture, "page_size=230")
        #expect(exact.list.tasks.count == 230)
        #expect(exact.list.nextPageToken == nil)
        let small = try await list(fixture, "page_size=3")
        #expect(small.pieces == 1)
        #expect(small.list.tasks.map(\.id) == Array(ids.prefix(3)))
        let following = try #require(small.list.nextPageToken)
        #expect(
            try await list(fixture, "page_size=3&page_token=\(following)").list.tasks.map(\.id) == Array(ids[3..<6]))
        #expect(try await list(fixture, "state=failed").list.tasks.isEmpty)
        await fixture.close()
    }

    @Test("A page in another order, streamed in pieces, continues in that order")
    func sorted() async throws {
        let (fixture, ids) = try await fixture(tasks: 150)
        let oldest = try await list(fixture, "sort=created_at&page_size=140")
        #expect(oldest.list.tasks.map(\.id) == Array(ids.reversed().prefix(140)))
        let token = try #require(oldest.list.nextPageToken)
        let rest = try await list(fixture, "sort=created_at&page_token=\(token)")
        #expect(rest.list.tasks.map(\.id) == Array(ids.reversed().dropFirst(140)))
        for id in ids.reversed() { _ = try await fixture.response(.post, "/v1/tasks/\(id)/cancel") }
        let ended = try await list(fixture, "sort=-finished_at&page_size=140")
        #expect(ended.pieces > 1)
        let next = try #require(ended.list.nextPageToken)
        let last = try await list(fixture, "sort=-finished_at&page_token=\(next)")
        #expect(ended.list.tasks.count == 140)
        #expect(Set((ended.list.tasks + last.list.tasks).map(\.id)) == Set(ids))
        #expect(try await fixture.response(.get, "/v1/tasks?page_token=\(next)").status == .badRequest)
        await fixture.close()
    }

    @Test("Tasks larger than a piece are sent one by one, and the server knows the size of the first")
    func large() async throws {
        let fixture = try GatewayFixture()
        try await fixture.gateway.open()
        let field = String(repeating: "x", count: 100_000)
        var ids: [String] = []
        for _ in 0..<5 {
            ids.append(try await fixture.create(#","start":"suspended","headers":{"X-Large":"\#(field)"}"#).id)
        }
        let response = try await fixture.response(.get, "/v1/tasks")
        guard case .stream(let stream) = response.body else {
            Issue.record("not streamed")
            return
        }
        let pieces = try await pieces(of: response)
        #expect(pieces.count == 5)
        #expect(stream.firstPartBytes == pieces[0].count)
        #expect(try await list(fixture, "page_size=3").list.tasks.map(\.id) == Array(ids.reversed().prefix(3)))
        await fixture.close()
    }

    @Test("Only the first piece can be refused while too many lists are being read: then the response has begun")
    func crowded() async throws {
        let (fixture, ids) = try await fixture(tasks: 230)
        let readers = EventLog<StoreReader>()
        fixture.store.intervene { operation throws(TaskStoreError) in
            guard case .tasks(let reader) = operation else { return }
            readers.append(reader)
        }
        #expect(try await list(fixture, "page_size=1000").list.tasks.map(\.id) == ids)
        #expect(readers.events.count > 2)
        #expect(readers.events.first == .clients)
        #expect(readers.events.dropFirst().allSatisfy { $0 == .begunRequests })
        fixture.store.intervene(nil)
        await fixture.close()
    }

    @Test("The store is not read ahead of the client, and a store failure ends the response")
    func demand() async throws {
        let (fixture, _) = try await fixture(tasks: 150)
        let reads = EventLog<Void>()
        fixture.store.intervene { operation throws(TaskStoreError) in
            guard case .tasks = operation else { return }
            reads.append()
            if reads.events.count > 1 { throw TaskStoreError.closed }
        }
        let response = try await fixture.response(.get, "/v1/tasks?page_size=150")
        guard case .stream(let stream) = response.body else {
            Issue.record("not streamed")
            return
        }
        #expect(try await stream.next()?.isEmpty == false)
        #expect(reads.events.count == 1)
        await #expect(throws: TaskStoreError.self) { try await stream.next() }
        fixture.store.intervene(nil)
        await fixture.close()
    }
}
