import ErrandResponseSerialization
import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("EndedAttempt", .timeLimit(.hang))
struct EndedAttemptTests {
    private func end(
        _ script: [ScriptedTransport.Step], base: String? = "http://a.com/", path: String = "x",
        key: String? = nil
    ) async throws -> EndedAttempt {
        var configuration = SessionConfiguration(name: "example", baseURL: try base.map { try HTTPURL($0) })
        configuration.response.serializer = .raw
        configuration.forwardsIdempotencyKey = true
        configuration.urlScope = .any
        let session = Session(configuration, transport: ScriptedTransport(script))
        let prepared = try session.prepare(TaskRequest(method: "POST", path: path, idempotencyKey: key))
        let outcome = await session.run(prepared, sink: MemorySink())
        return EndedAttempt(outcome, of: prepared, number: 2, elapsed: .seconds(3))
    }

    @Test("It has the response's properties, and a request with a response has arrived")
    func answered() async throws {
        let attempt = try await end([.head(ResponseHead(status: 429, headers: [.retryAfter: "2"]))], key: "k")
        #expect(attempt.number == 2)
        #expect(attempt.elapsed == .seconds(3))
        #expect(attempt.method == .post)
        #expect(attempt.status == 429)
        #expect(attempt.headers[.retryAfter] == "2")
        #expect(attempt.error?.code == .unacceptableStatus)
        #expect(attempt.mayHaveArrived)
        #expect(attempt.carriesIdempotencyKey)
        #expect(attempt.isOwnUpstream)
    }

    @Test("It has the status and the fields of a response after which the next request could not be made")
    func unfollowed() async throws {
        var configuration = SessionConfiguration(name: "example", baseURL: try HTTPURL("http://a.com/"))
        configuration.response.serializer = .raw
        let transport = ScriptedTransport([.head(307, [.location: "http://b.com/", .retryAfter: "2"])])
        let session = Session(configuration, transport: transport)
        let source = ReplayedSource([1], canRewind: false)
        let prepared = try session.prepare(TaskRequest(method: "PUT", body: .source(source)))
        let outcome = await session.run(prepared, sink: MemorySink())
        let attempt = EndedAttempt(outcome, of: prepared, number: 1, elapsed: .zero)
        #expect(attempt.error?.code == .bodyStreamExhausted)
        #expect(attempt.status == 307)
        #expect(attempt.headers[.retryAfter] == "2")
        #expect(attempt.isOwnUpstream, "the response is that of the session's own origin, not of the target")
    }

    @Test("A request without a response may have arrived if the transport says so")
    func unanswered() async throws {
        for mayHaveArrived in [false, true] {
            let error = TransferError(.connectionLost, "cut", mayHaveArrived: mayHaveArrived)
            let attempt = try await end([.fail(error)])
            #expect(attempt.mayHaveArrived == mayHaveArrived)
            #expect(attempt.status == nil)
            #expect(!attempt.isOwnUpstream, "there is no response")
            #expect(!attempt.carriesIdempotencyKey)
        }
    }

    @Test("A response from another origin, or to a session without a base URL, does not apply to the session")
    func strangers() async throws {
        let script: [ScriptedTransport.Step] = [.head(ResponseHead(status: 503))]
        #expect(try await end(script, path: "http://b.com/").isOwnUpstream == false)
        #expect(try await end(script, base: nil, path: "http://b.com/").isOwnUpstream == false)
    }
}
