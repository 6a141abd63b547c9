import ErrandSessionCore
import ErrandTransfer
import Testing

@Suite("An outcome of a session")
struct SessionOutcomeTests {
    @Test("changes without its copies, although they share their large parts")
    func copies() {
        var metrics = TransferMetrics()
        metrics.bytesSent = 1
        let one = SessionOutcome(error: .canceled, metrics: metrics)
        var other = one
        other.metrics.bytesSent += 1
        other.error = nil
        #expect(one.metrics.bytesSent == 1)
        #expect(one.error == .canceled)
        #expect(other.metrics.bytesSent == 2)
        #expect(other.error == nil)
        #expect(one.response == nil && other.response == nil)
    }

    @Test("is small, as each function that passes it on and suspends keeps copies in its frame")
    func size() {
        #expect(MemoryLayout<SessionOutcome>.size <= 128)
        #expect(MemoryLayout<TransferOutcome>.size <= 128)
    }
}
