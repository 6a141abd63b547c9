import ErrandLocking
import ErrandSupport
import ErrandTaskEvents
import ErrandTaskStore
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandTaskEngine

@Suite("ReadinessProbe", .timeLimit(.hang))
struct ReadinessProbeTests {
    @Test("Concurrent callers share one probe, and its result is valid for a second")
    func shared() async {
        let clock = ManualClock()
        let start = ContinuousClock.now
        let gate = Signal<Void>()
        let probes = Mutex(0)
        let probe = ReadinessProbe(now: { start.advanced(by: clock.now.offset) }) {
            let number = probes.withLock { probes in
                probes += 1
                return probes
            }
            if number == 1 { await gate.wait() }
            return number == 1 ? TaskStoreError(.diskFull, "Full") : nil
        }
        let answers = await withTaskGroup(of: TaskStoreError?.self) { group in
            for _ in 0..<100 { group.addTask { await probe.check() } }
            gate.send(())
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0?.code == .diskFull })
        clock.advance(by: .milliseconds(999))
        #expect(await probe.check()?.code == .diskFull)
        #expect(probes.withLock { $0 } == 1)
        clock.advance(by: .milliseconds(1))
        #expect(await probe.check() == nil)
        #expect(probes.withLock { $0 } == 2)
    }

    @Test("A client that disconnects does not cancel the probe for others")
    func leaving() async {
        let gate = Signal<Void>()
        let begun = Signal<Void>()
        let probe = ReadinessProbe {
            begun.send(())
            await gate.wait()
            return Task.isCancelled ? TaskStoreError(.unexpected, "Canceled") : nil
        }
        let first = Task { await probe.check() }
        await begun.wait()
        first.cancel()
        gate.send(())
        #expect(await probe.check() == nil)
    }

    @Test("A client that closes its sending side gets the verdict on the store")
    func halfClosed() async {
        let probe = ReadinessProbe { nil }
        let client = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return [await probe.check(), await probe.check()]
        }
        #expect(await client.value == [nil, nil])
    }

    @Test("A store that does not answer is an error after five seconds, and gets no second probe until it does")
    func hangs() async throws {
        let clock = ManualClock()
        let start = ContinuousClock.now
        let gate = Signal<Void>()
        let probes = Mutex(0)
        let probe = ReadinessProbe(now: { start.advanced(by: clock.now.offset) }, timer: SharedTimer(clock)) {
            probes.withLock { $0 += 1 }
            await gate.wait()
            return nil
        }
        let client = Task { await probe.check() }
        await clock.sleepers(1)
        clock.advance(by: .seconds(5))
        #expect(await client.value?.message.contains("does not answer") == true)
        clock.advance(by: .seconds(60))
        #expect(await probe.check()?.message.contains("does not answer") == true)
        gate.send(())
        try await until { await probe.check() == nil }
        #expect(probes.withLock { $0 } == 1)
    }
}
