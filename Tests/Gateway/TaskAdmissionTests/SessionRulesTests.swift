import ErrandSessionCore
import ErrandTaskAdmission
import ErrandTransfer
import Testing

@Suite("SessionRules")
struct SessionRulesTests {
    @Test("They are those of a configuration, with the same defaults")
    func configuration() throws {
        var configuration = SessionConfiguration(name: "a")
        #expect(SessionRules(configuration) == SessionRules())
        configuration.limits = SessionLimits(concurrent: 3, rate: StartRate(5, per: .seconds(1)), burst: 2)
        configuration.circuitBreaker = CircuitBreakerConfiguration(failures: 4)
        configuration.retry.budget = RetryConfiguration.Budget(ratio: 0.5, minPerSecond: 7)
        configuration.baseURL = try HTTPURL("http://upstream.example/v1/")
        configuration.retry.backoff.max = .seconds(9)
        let rules = SessionRules(configuration)
        #expect(rules.origin?.description == "http://upstream.example")
        #expect(rules.longestPause == .seconds(9))
        #expect(rules.limits == configuration.limits)
        #expect(rules.circuitBreaker == configuration.circuitBreaker)
        #expect(rules.retryBudget == configuration.retry.budget)
        configuration.retry.respectsRetryAfter = false
        #expect(SessionRules(configuration).longestPause == nil)
    }
}
