import ErrandSessionCore
import HTTPTypes
import Testing

@Suite("The wait that an upstream asks for")
struct RateLimitHintTests {
    /// 1999-12-31T23:58:59Z: a minute before the date in the example of RFC 9110 §10.2.3.
    private static let now: Int64 = 946_684_739

    private static func fields(_ pairs: [(String, String)]) throws -> HTTPFields {
        var fields = HTTPFields()
        for (name, value) in pairs {
            fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        return fields
    }

    private static let retryAfters: [(String, Int64?)] = [
        // RFC 9110 §10.2.3.
        ("Fri, 31 Dec 1999 23:59:59 GMT", 60), ("120", 120),
        // The obsolete forms of §5.6.7.
        ("Friday, 31-Dec-99 23:59:59 GMT", 60), ("Fri Dec 31 23:59:59 1999", 60),
        ("0", 0), (" 5 ", 5), ("Fri, 31 Dec 1999 20:00:00 GMT", 0), ("99999999999999999999", 3_162_240_000),
        ("-1", nil), ("1.5", nil), ("soon", nil), ("", nil), ("5s", nil), ("５", nil),
    ]

    @Test("Retry-After is seconds or a date in any of its forms, or ignored", arguments: retryAfters)
    func retryAfter(text: String, seconds: Int64?) throws {
        let hint = RateLimitHint(try Self.fields([("Retry-After", text)]), now: Self.now)
        #expect(hint.retryAfter == seconds.map { .seconds($0) })
        #expect(hint.reset == nil)
    }

    private static let limits: [([(String, String)], Int64?)] = [
        // draft-ietf-httpapi-ratelimit-headers-09 §4, and the waits if nothing remains.
        ([("RateLimit", #""default";r=50;t=30"#)], nil),
        ([("RateLimit", #""default";r=0;t=30"#)], 30),
        ([("RateLimit", #""problemPolicy";r=0;t=10"#)], 10),
        ([("RateLimit", #""perminute";r=5;t=20, "perday";r=0;t=3600"#)], 3600),
        ([("RateLimit", #""a";r=0;t=5"#), ("RateLimit", #""b";r=0;t=9"#)], 9),
        ([("RateLimit", #""peruser";r=0;t=30;pk=:cHsdsRa894==:"#)], 30),
        ([("RateLimit", #""a; r=0, \"x\"" ; r=0;t=7"#)], nil),
        ([("RateLimit", #""a; r=0, \"x\"";r=0;t=7"#)], 7),
        ([("RateLimit", #"default;r=0;t=7"#)], 7),
        ([("RateLimit", #""a";r=0"#)], nil), ([("RateLimit", #""a";t=7"#)], nil), ([("RateLimit", "")], nil),
        ([("RateLimit", #""a";r=0;t=7,"#)], nil), ([("RateLimit", #""a";r=0;t=7 nonsense"#)], nil),
        ([("RateLimit", #""a";r=0;t=:never"#)], nil), ([("RateLimit", #""a"#)], nil),
        ([("RateLimit", ";r=0;t=7")], nil),
        // Earlier drafts.
        ([("RateLimit-Limit", "100"), ("RateLimit-Remaining", "0"), ("RateLimit-Reset", "50")], 50),
        ([("RateLimit-Remaining", "1"), ("RateLimit-Reset", "50")], nil),
        ([("RateLimit-Remaining", "0")], nil), ([("RateLimit-Remaining", "0"), ("RateLimit-Reset", "x")], nil),
        // The usage of many services: a time, or seconds.
        ([("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "12")], 12),
        ([("X-RateLimit-Remaining", "0"), ("RateLimit-Reset", "12")], nil),
        ([("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "1000000000")], 53_315_261),
        ([("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "946684739000")], 0),
        ([("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "946684769000")], 30),
        ([("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "946684769001")], 31),
        ([("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "99999999999999999999")], 3_162_240_000),
    ]

    @Test("An exhausted limit states a wait, another does not", arguments: limits)
    func limit(fields: [(String, String)], seconds: Int64?) throws {
        let hint = RateLimitHint(try Self.fields(fields), now: Self.now)
        #expect(hint.reset == seconds.map { .seconds($0) })
        #expect(hint.retryAfter == nil)
    }

    @Test("A time in the past needs no wait")
    func past() throws {
        let fields = try Self.fields([("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "1795262400")])
        #expect(RateLimitHint(fields, now: 1_795_262_500).reset == .zero)
    }

    @Test("The longer of both waits applies")
    func longer() throws {
        let fields = try Self.fields([("Retry-After", "5"), ("RateLimit", #""a";r=0;t=8"#)])
        #expect(RateLimitHint(fields, now: Self.now).pause == .seconds(8))
        #expect(RateLimitHint([.retryAfter: "5"], now: Self.now).pause == .seconds(5))
        #expect(RateLimitHint([:], now: Self.now).pause == nil)
    }

    // MARK: The whole session

    private func attempt(_ status: Int?, _ pairs: [(String, String)], isOwn: Bool = true) throws -> EndedAttempt {
        let isFailure = status.map { $0 >= 400 } ?? true
        return EndedAttempt(
            number: 1, method: .get, error: isFailure ? SessionError(.unacceptableStatus, "no") : nil, status: status,
            headers: try Self.fields(pairs), isOwnUpstream: isOwn)
    }

    private func quiet(_ attempt: EndedAttempt, _ configuration: RetryConfiguration = RetryConfiguration()) -> Duration?
    {
        configuration.quietTime(after: attempt, now: Self.now)
    }

    @Test("Retry-After of a 429 or 503 pauses the session, that of another response only its task")
    func session() throws {
        for status in [429, 503] { #expect(quiet(try attempt(status, [("Retry-After", "2")])) == .seconds(2)) }
        for status in [200, 202, 301, 413, 500] { #expect(quiet(try attempt(status, [("Retry-After", "2")])) == nil) }
        #expect(quiet(try attempt(429, [("Retry-After", "0")])) == nil)
        #expect(quiet(try attempt(429, [])) == nil)
        #expect(quiet(try attempt(nil, [])) == nil)
    }

    @Test("An exhausted limit pauses the session even after a success")
    func usedUp() throws {
        #expect(quiet(try attempt(200, [("RateLimit", #""a";r=0;t=30"#)])) == .seconds(30))
    }

    @Test("A session pauses no longer than its maximum back-off")
    func longest() throws {
        var configuration = RetryConfiguration()
        configuration.backoff.max = .seconds(10)
        #expect(quiet(try attempt(503, [("Retry-After", "3600")]), configuration) == .seconds(10))
    }

    @Test("A response of another origin, or a session that ignores waits, causes no pause")
    func others() throws {
        #expect(quiet(try attempt(429, [("Retry-After", "2")], isOwn: false)) == nil)
        var configuration = RetryConfiguration()
        configuration.respectsRetryAfter = false
        #expect(quiet(try attempt(429, [("Retry-After", "2")]), configuration) == nil)
    }
}
