import ErrandConfiguration
import ErrandHTTPServer
import ErrandSettings
import HTTPTypes
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandTaskEngine

@Suite("RateLimiter")
struct RateLimiterTests {
    private let time = ManualTime()

    private func limiter(_ rate: String) throws -> RateLimiter {
        RateLimiter(try #require(Rate(rate))) { [time] in time.now }
    }

    private func fields(_ limiter: RateLimiter) -> [String?] {
        let response = limiter.describing(ServerResponse(status: .ok))
        return [response.headers[.rateLimitPolicy], response.headers[.rateLimit]]
    }

    @Test("allows an overdraft, and then refuses until it is refilled")
    func charges() throws {
        let limiter = try limiter("10/s")
        try limiter.take()
        limiter.charge(28)
        #expect(fields(limiter) == [#""default";q=10;w=1"#, #""default";r=0;t=3"#])
        #expect(throws: AccessRefusal.rateExceeded(retryAfterSeconds: 2)) { try limiter.take() }
        time.advance(by: .seconds(2))
        try limiter.take()
        #expect(throws: AccessRefusal.rateExceeded(retryAfterSeconds: 1)) { try limiter.take() }
    }

    @Test("reports the policy and the remaining budget")
    func describes() throws {
        let limiter = try limiter("100/m")
        #expect(fields(limiter) == [#""default";q=100;w=60"#, #""default";r=100;t=0"#])
        try limiter.take()
        #expect(fields(limiter) == [#""default";q=100;w=60"#, #""default";r=99;t=1"#])
        for _ in 0..<99 { try limiter.take() }
        #expect(fields(limiter) == [#""default";q=100;w=60"#, #""default";r=0;t=60"#])
        time.advance(by: .seconds(30))
        #expect(fields(limiter) == [#""default";q=100;w=60"#, #""default";r=50;t=30"#])
    }

    @Test(
        "refuses excess requests until a whole one fits again, with the time in whole seconds",
        arguments: [("2/s", 1), ("2/m", 30), ("1/h", 3600)])
    func refuses(rate: String, seconds: Int) throws {
        let limiter = try limiter(rate)
        for _ in 0..<limiter.rate.count { try limiter.take() }
        for _ in 0..<3 {
            #expect(throws: AccessRefusal.rateExceeded(retryAfterSeconds: seconds)) { try limiter.take() }
        }
        time.advance(by: .seconds(seconds))
        try limiter.take()
    }

    @Test("never exceeds the budget, even with concurrent requests")
    func concurrent() async throws {
        let limiter = try limiter("1000/h")
        let taken = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    (0..<200).count { _ in
                        do {
                            try limiter.take()
                            return true
                        } catch {
                            return false
                        }
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(taken == 1000)
    }
}
