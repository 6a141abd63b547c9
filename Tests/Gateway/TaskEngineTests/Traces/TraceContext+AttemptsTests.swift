import ErrandSupport
import ErrandTaskStore
import Testing

@testable import ErrandTaskEngine

@Suite("The attempts of a trace")
struct TraceContextAttemptsTests {
    @Test("Each attempt of each task has an identifier of its own, which does not change")
    func identifiers() {
        var seen: Set<String> = []
        for number in 1...20 {
            for attempt in 1...20 {
                let id = TraceContext.spanID(ofAttempt: attempt, of: .sample(number))
                #expect(id == TraceContext.spanID(ofAttempt: attempt, of: .sample(number)))
                #expect(id.utf8.count == 16)
                #expect(seen.insert(id).inserted)
            }
        }
    }

    @Test("A task without a trace has no such identifier")
    func none() {
        #expect(TaskRecord.sample(1).spanID == nil)
        #expect(TaskRecord.detailed(1).spanID == TraceContext.spanID(ofAttempt: 0, of: .sample(1)))
    }
}
