import ErrandJSON
import ErrandSessionCore
import HTTPTypes
import Testing

@testable import ErrandTaskEngine

@Suite("RetryReader")
struct RetryReaderTests {
    private func read(
        _ retry: String, over session: RetryConfiguration? = nil
    ) throws -> (overrides: RetryOverrides, faults: [String]) {
        let problems = JSONProblems()
        let root = try JSONDocument.parse(Array(#"{"retry":\#(retry)}"#.utf8)).root
        var task = try #require(JSONObjectReader(root, reporting: problems))
        let overrides = RetryReader.read(&task, over: session)
        return (overrides, problems.problems.map(\.pointer.description))
    }

    @Test("Each part overrides the session's, and the others stay")
    func parts() throws {
        let read = try read(
            """
            {"max_attempts":5,"backoff":{"initial":"1s","jitter":0},"max_elapsed":"2h","methods":["post"],
            "statuses":[429,"5xx"],"respect_retry_after":false,"after_crash":"resend"}
            """)
        #expect(read.faults.isEmpty)
        let applied = read.overrides.applied(to: RetryConfiguration())
        #expect(applied.maxAttempts == 5)
        #expect(applied.backoff == RetryConfiguration.Backoff(initial: .seconds(1), jitter: 0))
        #expect(applied.maxElapsed == .seconds(7200))
        #expect(applied.methods == [.post])
        #expect(applied.statuses == StatusSet([429...429, 500...599]))
        #expect(!applied.respectsRetryAfter)
        #expect(applied.afterCrash == .resend)
        #expect(applied.budget == RetryConfiguration().budget)
    }

    @Test("Without the member, or with an empty one, nothing is overridden", arguments: ["null", "{}"])
    func nothing(retry: String) throws {
        #expect(try read(retry).overrides.applied(to: RetryConfiguration()) == RetryConfiguration())
    }

    @Test(
        "An error is reported with its place",
        arguments: [
            (#"{"max_attempts":0}"#, "/retry/max_attempts"), (#"{"max_attempts":1001}"#, "/retry/max_attempts"),
            (#"{"backoff":{"multiplier":0.5}}"#, "/retry/backoff/multiplier"),
            (#"{"backoff":{"jitter":"0.1"}}"#, "/retry/backoff/jitter"), (#"{"backoff":{"x":1}}"#, "/retry/backoff/x"),
            (#"{"backoff":{"max":"32d"}}"#, "/retry/backoff/max"), (#"{"max_elapsed":0}"#, "/retry/max_elapsed"),
            (#"{"methods":["GET","CONNECT"]}"#, "/retry/methods/1"), (#"{"methods":"GET"}"#, "/retry/methods"),
            (#"{"statuses":["0xx"]}"#, "/retry/statuses/0"), (#"{"statuses":[99]}"#, "/retry/statuses/0"),
            (#"{"respect_retry_after":"no"}"#, "/retry/respect_retry_after"),
            (#"{"after_crash":"maybe"}"#, "/retry/after_crash"), (#"{"budget":{}}"#, "/retry/budget"), ("[]", "/retry"),
        ])
    func faults(retry: String, pointer: String) throws {
        #expect(try read(retry).faults == [pointer])
    }

    @Test(
        "A first pause above the longest one is reported, unless the task was accepted before",
        arguments: [
            (#"{"backoff":{"initial":"2h"}}"#, ["/retry/backoff/initial"]),
            (#"{"backoff":{"initial":"2h","max":"1m"}}"#, ["/retry/backoff/initial"]),
            (#"{"backoff":{"max":"100ms"}}"#, ["/retry/backoff/max"]),
            (#"{"backoff":{"initial":"2h","max":"32d"}}"#, ["/retry/backoff/max"]),
            (#"{"backoff":{"initial":"2h","max":"2h"}}"#, []), (#"{"backoff":{"initial":"1h","max":null}}"#, []),
            (#"{"backoff":{"jitter":0}}"#, []),
        ] as [(String, [String])])
    func excess(retry: String, pointers: [String]) throws {
        #expect(try read(retry, over: RetryConfiguration()).faults == pointers)
        #expect(try read(retry).faults == pointers.filter { _ in retry.contains("32d") })
    }
}
