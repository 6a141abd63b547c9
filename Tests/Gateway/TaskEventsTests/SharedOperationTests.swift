import ErrandSupport
import Testing

@testable import ErrandTaskEvents

@Suite("SharedOperation", .timeLimit(.hang))
struct SharedOperationTests {
    @Test("Callers that arrive during an operation share its value, and the next one starts another")
    func shared() async throws {
        let operation = SharedOperation<Int>(patience: .seconds(1), timer: SharedTimer(ManualClock()))
        let gate = Signal<Void>()
        let begun = Signal<Void>()
        let first = Task {
            await operation.value {
                begun.send()
                await gate.wait()
                return 1
            }
        }
        await begun.wait()
        let others = (0..<10).map { _ in Task { await operation.value { 2 } } }
        try await until { operation.waitingCount == 11 }
        gate.send()
        #expect(await first.value == 1)
        for other in others { #expect(await other.value == 1) }
        let next = await operation.value { 3 }
        #expect(next == 3)
    }

    @Test("No caller waits longer than the patience, and a slow operation stays the only one until it ends")
    func slow() async throws {
        let clock = ManualClock()
        let operation = SharedOperation<Int>(patience: .seconds(1), timer: SharedTimer(clock))
        let gate = Signal<Void>()
        let waits = Task {
            await operation.value {
                await gate.wait()
                return 1
            }
        }
        await clock.sleepers(1)
        clock.advance(by: .seconds(1))
        #expect(await waits.value == nil)
        for _ in 0..<3 {
            let value = await operation.value { 2 }
            #expect(value == nil)
        }
        gate.send()
        // The end of the operation has no other event.
        try await until { await operation.value { 3 } == 3 }
    }

    @Test("The operation is not canceled with a caller")
    func canceled() async {
        let operation = SharedOperation<Bool>(patience: .seconds(1), timer: SharedTimer(ManualClock()))
        let gate = Signal<Void>()
        let begun = Signal<Void>()
        let caller = Task {
            await operation.value {
                begun.send()
                await gate.wait()
                return Task.isCancelled
            }
        }
        await begun.wait()
        caller.cancel()
        gate.send()
        #expect(await caller.value == false)
    }
}
