import Testing

@testable import MicroHTTPServer

@Suite("RecurringWarning")
struct RecurringWarningTests {
    @Test("the first occurrence is told, and those of the next minute with the first one after it")
    func pauses() {
        var warning = RecurringWarning()
        #expect(warning.occurred(at: 1000) == 1)
        #expect(warning.occurred(at: 1000) == nil)
        #expect(warning.occurred(at: 60_999) == nil)
        #expect(warning.occurred(at: 61_000) == 3)
        #expect(warning.occurred(at: 61_001) == nil)
        #expect(warning.occurred(at: 500_000) == 2)
    }
}
