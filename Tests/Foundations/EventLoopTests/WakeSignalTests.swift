import Dispatch
import ErrandEventLoop
import ErrandLocking
import ErrandSupport
import Testing

@Suite("Wake signals", .timeLimit(.hang))
struct WakeSignalTests {
    @Test("A signal that was sent before ends the next wait, once")
    func before() throws {
        let signal = try WakeSignal()
        signal.send()
        signal.send()
        #expect(signal.wait())
        #expect(!signal.wait(milliseconds: 0))
    }

    @Test("A signal of another thread ends a wait, with and without a limit", arguments: [nil, 3_600_000])
    func fromAnotherThread(milliseconds: Int?) async throws {
        let signal = try WakeSignal()
        let hasEnded = await withContinuation { continuation in
            DispatchQueue(label: "waits").async {
                continuation.resume(returning: signal.wait(milliseconds: milliseconds))
            }
            signal.send()
        }
        #expect(hasEnded)
    }

    @Test("A wait without a signal ends with its time")
    func limit() throws {
        let signal = try WakeSignal()
        let start = ContinuousClock.now
        #expect(!signal.wait(milliseconds: 20))
        #expect(ContinuousClock.now - start >= .milliseconds(19))
    }
}
