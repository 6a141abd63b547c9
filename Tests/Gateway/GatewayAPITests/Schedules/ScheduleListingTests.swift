import ErrandHTTPServer
import ErrandSupport
import HTTPTypes
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("ScheduleListing", .timeLimit(.hang))
struct ScheduleListingTests {
    /// Creates a schedule.
    ///
    /// - Parameter bytes: The size of the content of its tasks.
    private func create(_ name: String, _ fixture: GatewayFixture, bytes: Int) async throws {
        let text = String(repeating: "x", count: bytes)
        let response = try await fixture.response(
            .put, "/v1/schedules/\(name)",
            json: #"{"cron":"0 0 1 1 *","task":{"session":"up","method":"POST","body":{"text":"\#(text)"}}}"#)
        #expect(response.status == .created)
    }

    /// Returns the list as a stream.
    private func list(_ fixture: GatewayFixture) async throws -> ResponseStream {
        let response = try await fixture.response(.get, "/v1/schedules")
        #expect(response.status == .ok)
        let stream: ResponseStream? = if case .stream(let stream) = response.body { stream } else { nil }
        return try #require(stream)
    }

    /// Returns the pieces that are left of a list.
    private func rest(of stream: ResponseStream) async throws -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        while let piece = try await stream.next() { pieces.append(piece) }
        return pieces
    }

    /// Runs a closure in a task that is canceled already.
    private func canceled<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let begin = Signal<Void>()
        let task = Task {
            await begin.wait()
            return try await body()
        }
        task.cancel()
        begin.send()
        return try await task.value
    }

    @Test("A long list is sent in pieces of at most 64 KiB, with all schedules in the order of their names")
    func streamed() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            // More than are taken from the scheduler at a time.
            let names = (1000..<1105).map { "s\($0)" }
            for name in names.reversed() { try await create(name, fixture, bytes: 2000) }
            let stream = try await list(fixture)
            let pieces = try await rest(of: stream)
            #expect(pieces.count > 2)
            #expect(stream.firstPartBytes == pieces.first?.count)
            #expect(stream.firstPartBytes <= 2 * ResponseBody.maxSmallBytes)
            #expect(pieces.dropFirst().allSatisfy { $0.count <= ResponseBody.maxSmallBytes })
            var documents: [String] = []
            for name in names { documents.append(try await fixture.response(.get, "/v1/schedules/\(name)").text) }
            let expected = #"{"schedules":[\#(documents.joined(separator: ","))]}"#
            let isSame = Array(pieces.joined()) == Array(expected.utf8)
            #expect(isSame)
        }
    }

    @Test("A schedule larger than a piece is a piece of its own")
    func large() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            for name in ["a", "b", "c"] { try await create(name, fixture, bytes: 200_000) }
            let stream = try await list(fixture)
            let pieces = try await rest(of: stream)
            #expect(pieces.count == 3)
            let joined = String(decoding: Array(pieces.joined()), as: UTF8.self)
            #expect(joined.hasPrefix(#"{"schedules":[{"name":"a","#))
            for name in ["b", "c"] { #expect(joined.contains(#"}},{"name":"\#(name)","#)) }
        }
    }

    @Test("A schedule that is created or removed meanwhile is shown as it is when its piece is made")
    func changes() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            for number in 1000..<1030 { try await create("s\(number)", fixture, bytes: 10_000) }
            let stream = try await list(fixture)
            _ = try await stream.next()
            let removed = try await fixture.response(.delete, "/v1/schedules/s1029")
            #expect(removed.status == .noContent)
            try await create("t", fixture, bytes: 1)
            let pieces = try await rest(of: stream)
            let text = String(decoding: Array(pieces.joined()), as: UTF8.self)
            #expect(text.contains(#","links":{"self":"/v1/schedules/s1028","#))
            #expect(!text.contains(#""name":"s1029""#))
            #expect(text.contains(#"},{"name":"t","#))
            #expect(text.hasSuffix("}]}"))
        }
    }

    @Test("A list whose client has left ends, before its start and between two pieces")
    func clientLeaves() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            for number in 1000..<1030 { try await create("s\(number)", fixture, bytes: 10_000) }
            let stream = try await list(fixture)
            _ = try await stream.next()
            await #expect(throws: CancellationError.self) {
                try await canceled { try await stream.next() }
            }
            let refused = try await canceled { try await fixture.response(.get, "/v1/schedules") }
            let problem = try refused.document(ProblemDocument.self, status: .badRequest)
            #expect(problem.type == "/problems/client-left")
        }
    }
}
