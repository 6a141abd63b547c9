import ErrandJSON
import ErrandSessionCore
import ErrandSupport
import ErrandTaskStore
import ErrandTime
import Testing

@testable import ErrandTaskEngine

@Suite("DataTaskHandler")
struct DataTaskHandlerTests {
    private let handler = TaskKind.data.handler

    private func task(_ document: String = #"{"session":"up"}"#, method: String = "GET") -> TaskRecord {
        var record = TaskRecord.sample(1, session: "up", state: .running)
        record.change {
            $0.specification.task = Array(document.utf8)
            $0.specification.request = Array(#"{"method":"\#(method)"}"#.utf8)
        }
        return record
    }

    @Test("The request of an attempt is the one of the client's document; a damaged document is an error")
    func request() async throws {
        let sessions = try SessionCatalog.upAndCallbacks()
        let record = task(#"{"session":"up","method":"POST","path":"a","labels":{"b":"1"}}"#)
        let request = try await handler.request(of: record, sessions: sessions, .sample(), now: Timestamp.now)
        #expect(request.method == "POST")
        #expect(request.path == "a")
        await #expect(throws: SessionError.self) {
            try await handler.request(of: task("{"), sessions: sessions, .sample(), now: Timestamp.now)
        }
    }

    @Test("No limits but those of the session apply to a request")
    func destination() throws {
        #expect(!handler.hasDestinations)
        let sessions = try SessionCatalog.upAndCallbacks()
        #expect(handler.destination(of: task(), sessions: sessions) == nil)
    }

    @Test("The task's own retry settings change those of its session; damaged ones are an error")
    func retries() throws {
        #expect(try handler.retryOverrides(of: task()) == RetryOverrides())
        let overrides = try handler.retryOverrides(of: task(#"{"session":"up","retry":{"max_attempts":7}}"#))
        #expect(overrides.maxAttempts == 7)
        #expect(throws: SessionError.self) { try handler.retryOverrides(of: task("{")) }
        var configuration = RetryConfiguration()
        configuration.maxAttempts = 7
        #expect(handler.retryRule(under: configuration) == RetryRule(configuration))
    }

    @Test(
        "After a crash the method and `after_crash` decide",
        arguments: [
            ("GET", RetryConfiguration.AfterCrash.safe, true), ("POST", .safe, false), ("POST", .resend, true),
            ("GET", .fail, false),
        ])
    func afterCrash(_ method: String, _ rule: RetryConfiguration.AfterCrash, _ isSentAgain: Bool) {
        var configuration = RetryConfiguration()
        configuration.afterCrash = rule
        #expect(handler.mayResend(task(method: method), under: configuration) == isSentAgain)
    }

    @Test("After a crash a request with an Idempotency-Key is sent again, whatever its method")
    func idempotencyKey() {
        var record = task(method: "POST")
        record.change {
            $0.specification.request = Array(#"{"method":"POST","headers":{"idempotency-key":"\"1\""}}"#.utf8)
        }
        #expect(handler.mayResend(record, under: RetryConfiguration()))
    }

    @Test("After a crash in its last attempt a request is not sent again")
    func bounded() {
        var configuration = RetryConfiguration()
        configuration.afterCrash = .resend
        for attempts in 1...4 {
            var record = task()
            record.change { $0.attemptCount = attempts }
            #expect(handler.mayResend(record, under: configuration) == (attempts < configuration.maxAttempts))
        }
    }

    @Test(
        "Under a new configuration a request that may have arrived begins anew if its method is idempotent",
        arguments: [("GET", true), ("PUT", true), ("DELETE", true), ("POST", false), ("PATCH", false)])
    func beginsAnew(_ method: String, _ isIdempotent: Bool) {
        #expect(handler.mayBeginAnew(task(method: method)) == isIdempotent)
    }

    @Test("The end of a request makes callbacks")
    func callbacks() {
        #expect(handler.makesCallbacks)
    }

    @Test("A retry is decoded anew, without times, with replaced members and the key of the client")
    func repetition() async throws {
        let decoder = TaskDecoder(sessions: try .upAndCallbacks(), caller: .anonymous, maxDepth: 16)
        let overrides = try JSONDocument.parse(Array(#"{"parameters":{"x":1}}"#.utf8))
        let repetition = try await handler.repetition(
            of: task(#"{"session":"up","path":"a","delay":"1d"}"#), overrides: overrides, key: IdempotencyKey("once"),
            by: decoder, ids: TaskIDGenerator())
        guard case .decoded(let accepted) = repetition else {
            Issue.record("the task is not decoded")
            return
        }
        #expect(accepted.kind == .data)
        #expect(accepted.session == "up")
        #expect(accepted.times.notBefore == nil)
        #expect(accepted.prepared?.shownURL == "http://upstream.example/v1/a?x=1")
        let key = try #require(IdempotencyKey("once"))
        #expect(accepted.claim == TaskClaim(key, onRetryOf: .sample(1), with: overrides))
    }
}
