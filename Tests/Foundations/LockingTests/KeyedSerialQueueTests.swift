import ErrandSupport
import Testing

@testable import ErrandLocking

@Suite("A serial queue for each key", .timeLimit(.hang))
struct KeyedSerialQueueTests {
    private struct Failure: Error, Equatable {}

    private let queue = KeyedSerialQueue()

    @Test("runs the operations of a key one at a time, in order of arrival")
    func order() async throws {
        let (log, gate) = (EventLog<Int>(), Signal<Void>())
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { gate.send() }
            for number in 1...5 {
                group.addTask {
                    await queue.run(key: "a") {
                        log.append(number)
                        await gate.wait()
                        log.append(-number)
                    }
                }
                try await until { queue.keysInUse["a"] == number }
            }
            #expect(await log.first(1) == [1])
            gate.send()
        }
        #expect(log.events == [1, -1, 2, -2, 3, -3, 4, -4, 5, -5])
    }

    @Test("delays no operation of another key")
    func otherKey() async throws {
        let gate = Signal<Void>()
        async let held: Void = queue.run(key: "a") { await gate.wait() }
        defer { gate.send() }
        try await until { queue.keysInUse["a"] != nil }
        #expect(await queue.run(key: "b") { 2 } == 2)
        gate.send()
        await held
    }

    @Test("throws the error of an operation, and runs the next one")
    func error() async {
        await #expect(throws: Failure()) {
            try await queue.run(key: "a") { () async throws(Failure) -> Int in throw Failure() }
        }
        #expect(await queue.run(key: "a") { 1 } == 1)
    }

    @Test("completes an operation whose caller is canceled, also before its turn has come")
    func cancellation() async throws {
        let gate = Signal<Void>()
        let callers = (0..<2).map { _ in
            Task {
                await queue.run(key: "a") { () async -> Bool in
                    await gate.wait()
                    return Task.isCancelled
                }
            }
        }
        try await until { queue.keysInUse["a"] == 2 }
        for caller in callers { caller.cancel() }
        gate.send()
        for caller in callers { #expect(await caller.value == false) }
    }

    @Test("forgets a key when its last operation has ended")
    func idle() async throws {
        let gate = Signal<Void>()
        async let first: Void = queue.run(key: "a") { await gate.wait() }
        defer { gate.send() }
        try await until { queue.keysInUse["a"] == 1 }
        async let last: Void = queue.run(key: "a") {}
        try await until { queue.keysInUse["a"] == 2 }
        gate.send()
        await first
        await last
        #expect(queue.keysInUse.isEmpty)
    }
}
