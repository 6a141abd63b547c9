import ErrandEventLoop
import ErrandFiles
import ErrandSupport
import Glibc
import Synchronization
import Testing

@Suite("EventLoop", .timeLimit(.hang))
struct EventLoopTests {
    /// A client that records its turns and runs actions of the test in them.
    private final class Client: EventLoopClient {
        let turns = EventLog<[ReadyDescriptor]>()
        let end = EventLog<Void>()
        private let onTurn: @Sendable ([ReadyDescriptor]) -> Int32

        init(onTurn: @escaping @Sendable ([ReadyDescriptor]) -> Int32 = { _ in -1 }) {
            self.onTurn = onTurn
        }

        func turn(ready: borrowing [ReadyDescriptor]) -> Int32 {
            let ready = copy ready
            turns.append(ready)
            return onTurn(ready)
        }

        func loopWillEnd() {
            end.append()
        }
    }

    /// An actor on a loop.
    private actor Resident {
        let loop: EventLoop
        var count = 0

        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

        init(_ loop: EventLoop) {
            self.loop = loop
        }

        func visit() -> Bool {
            count += 1
            return loop.isOnLoop
        }
    }

    @Test("runs an actor's jobs on its own thread")
    func jobs() async throws {
        let loop = try EventLoop(name: "test")
        try loop.start(Client())
        let resident = Resident(loop)
        #expect(!loop.isOnLoop)
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<1_000 { group.addTask { await resident.visit() } }
            for await isOnLoop in group { #expect(isOnLoop) }
        }
        #expect(await resident.count == 1_000)
        await loop.shutdown()
    }

    @Test("runs jobs before the start and after the end too")
    func jobsWithoutThread() async throws {
        let loop = try EventLoop(name: "test")
        let resident = Resident(loop)
        #expect(await resident.visit())
        let other = try EventLoop(name: "test")
        try other.start(Client())
        await other.shutdown()
        #expect(await Resident(other).visit())
    }

    @Test("a wake gives the client a turn, however many come at once")
    func wake() async throws {
        let loop = try EventLoop(name: "test")
        let client = Client()
        try loop.start(client)
        for round in 1...50 {
            let turns = client.turns.events.count
            for _ in 0..<round { loop.wake() }
            _ = await client.turns.first(turns + 1)
        }
        await loop.shutdown()
    }

    @Test("a wake from within a turn gives another")
    func wakeInTurn() async throws {
        let loop = try EventLoop(name: "test")
        let left = Atomic<Int>(5)
        let client = Client { _ in
            if left.subtract(1, ordering: .relaxed).newValue > 0 { loop.wake() }
            return -1
        }
        try loop.start(client)
        #expect(await client.turns.first(5).count == 5)
        await loop.shutdown()
    }

    @Test("gives the client a turn when its wait time has passed")
    func timer() async throws {
        let loop = try EventLoop(name: "test")
        let client = Client { _ in 5 }
        try loop.start(client)
        #expect(await client.turns.first(4).allSatisfy(\.isEmpty))
        await loop.shutdown()
    }

    @Test("reports the ready descriptors with their events, until they are no longer watched")
    func descriptors() async throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let (reader, writer) = (ends[0], ends[1])
        let loop = try EventLoop(name: "test")
        let seen = EventLog<Readiness>()
        let client = Client { ready in
            loop.watch(reader, for: .readable)
            loop.watch(reader, for: .readable)
            for descriptor in ready where descriptor.descriptor == reader {
                seen.append(descriptor.readiness)
                loop.unwatch(reader)
                loop.unwatch(reader)
                return -1
            }
            return -1
        }
        try loop.start(client)
        _ = await client.turns.first(1)
        write(writer, "x", 1)
        #expect(await seen.first(1) == [.readable])
        // The next turn watches it again: the byte is still unread.
        loop.wake()
        #expect(await seen.first(2).count == 2)
        await loop.shutdown()
        close(reader)
        close(writer)
    }

    @Test("forgets a closed descriptor, whose number then belongs to another file")
    func forgets() async throws {
        let loop = try EventLoop(name: "test")
        let results = EventLog<[Bool]>()
        let client = Client { _ in
            var ends: [Int32] = [-1, -1]
            guard results.events.isEmpty, pipe(&ends) == 0 else { return -1 }
            let first = loop.watch(ends[0], for: .readable)
            loop.forget(ends[0])
            // Replaces the file of the number in one step, so that no other thread can take it in between.
            let again = dup2(ends[1], ends[0])
            let second = loop.watch(again, for: .writable)
            let refused = loop.watch(-1, for: .readable)
            loop.unwatch(again)
            results.append([first, again == ends[0], second, !refused])
            close(again)
            close(ends[1])
            return -1
        }
        try loop.start(client)
        #expect(await results.first(1)[0].filter { !$0 }.isEmpty)
        await loop.shutdown()
    }

    @Test("stops watching a descriptor that was forgotten but not closed")
    func stopsAfterForgetting() async throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let (reader, writer) = (ends[0], ends[1])
        write(writer, "x", 1)
        let loop = try EventLoop(name: "test")
        let turns = EventLog<[Int32]>()
        let client = Client { ready in
            let isFirst = turns.events.isEmpty
            if isFirst {
                loop.watch(reader, for: .readable)
                loop.forget(reader)
                loop.unwatch(reader)
                // Neither is watched.
                loop.unwatch(writer)
                loop.unwatch(-1)
            }
            turns.append(ready.map(\.descriptor))
            return isFirst ? 0 : -1
        }
        try loop.start(client)
        #expect(await turns.first(2) == [[], []])
        await loop.shutdown()
        close(reader)
        close(writer)
    }

    @Test("ends once, with a last call to the client, for all callers")
    func shutdown() async throws {
        let loop = try EventLoop(name: "test")
        let client = Client()
        try loop.start(client)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { await loop.shutdown() } }
        }
        #expect(client.end.events.count == 1)
        await loop.shutdown()
        #expect(client.end.events.count == 1)
    }

    @Test("is started once")
    func startedTwice() async throws {
        let loop = try EventLoop(name: "test")
        try loop.start(Client())
        #expect(throws: SystemFailure.self) { try loop.start(Client()) }
        await loop.shutdown()
    }

    @Test("a write to a closed connection is an error on the loop, not a signal")
    func brokenPipe() async throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        close(ends[0])
        let writer = ends[1]
        let reasons = EventLog<Int32>()
        let client = Client { _ in
            if reasons.events.isEmpty { reasons.append(write(writer, "x", 1) < 0 ? errno : 0) }
            return -1
        }
        let loop = try EventLoop(name: "test")
        try loop.start(client)
        #expect(await reasons.first(1) == [EPIPE])
        await loop.shutdown()
        close(writer)
    }
}
