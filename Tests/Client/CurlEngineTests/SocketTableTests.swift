import CErrandCurl
import ErrandEventLoop
import ErrandSupport
import Glibc
import Testing

@testable import ErrandCurlEngine

@Suite("SocketTable", .timeLimit(.hang))
struct SocketTableTests {
    /// A client that runs an action of the test in its first turn, and records what is ready in the second.
    private final class Client: EventLoopClient {
        let turns = EventLog<[Int32]>()
        private let action: @Sendable () -> Void

        init(_ action: @escaping @Sendable () -> Void) {
            self.action = action
        }

        func turn(ready: borrowing [ReadyDescriptor]) -> Int32 {
            let ready = copy ready
            let isFirst = turns.events.isEmpty
            if isFirst { action() }
            turns.append(ready.map(\.descriptor))
            return isFirst ? 0 : -1
        }

        func loopWillEnd() {}
    }

    /// A pair of connected sockets of the test, which are closed with this object.
    private final class Pair: Sendable {
        let one: Int32
        let other: Int32

        init() throws {
            var ends: [Int32] = [-1, -1]
            let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
            try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
            (one, other) = (ends[0], ends[1])
        }

        deinit {
            close(one)
            close(other)
        }

        /// Closes a socket, and gives its number to one of this pair.
        ///
        /// In one step, so that no other thread of the process can take the number in between.
        func take(_ number: Int32) {
            dup2(one, number)
        }
    }

    private let pool = PoolID(session: 0)
    private let otherPool = PoolID(session: 1)
    private let counters = SessionCounters()

    /// Runs an action on the thread of an event loop, and returns the descriptors that are ready afterwards.
    private func ready(after action: @escaping @Sendable (SocketTable) -> Void) async throws -> [Int32] {
        let loop = try EventLoop(name: "test")
        let client = Client { action(SocketTable(loop: loop, watch: FloodWatch())) }
        try loop.start(client)
        let ready = await client.turns.first(2)[1]
        await loop.shutdown()
        return ready
    }

    @Test("a number that libcurl has closed without a callback belongs to the next socket that has it")
    func reused() async throws {
        let (first, next) = (try Pair(), try Pair())
        let (pool, otherPool, counters) = (pool, otherPool, counters)
        let results = EventLog<Bool>()
        let ready = try await ready { table in
            let number = first.one
            _ = table.open(number, for: pool, counters: counters)
            results.append(table.watch(number, for: .readable, pool: pool))
            table.release(number)
            next.take(number)
            results.append(table.watch(number, for: .readable, pool: otherPool))
            results.append(!table.isConnection(number))
            results.append(table.owner(of: number) == otherPool)
            write(next.other, "x", 1)
        }
        #expect(results.events == [true, true, true, true])
        #expect(counters.counts.openConnections == 0)
        #expect(ready == [first.one])
    }

    @Test("a connection is the same, however often it is watched")
    func same() async throws {
        let pair = try Pair()
        let (pool, counters) = (pool, counters)
        let ready = try await ready { table in
            let opened = table.open(pair.one, for: pool, counters: counters)
            for readiness in [.writable, .readable] as [Readiness] {
                _ = table.watch(pair.one, for: readiness, pool: pool)
            }
            table.closeThoseGone([opened])
            _ = table.watch(pair.one, for: .writable, pool: pool)
        }
        #expect(counters.counts.openConnections == 1)
        #expect(ready == [pair.one])
    }

    @Test("a connection that has the number of one that is gone can be lost in the same way")
    func lostAgain() async throws {
        let (first, second, last) = (try Pair(), try Pair(), try Pair())
        let (pool, otherPool, counters) = (pool, otherPool, counters)
        let ready = try await ready { table in
            let number = first.one
            let gone = table.open(number, for: pool, counters: counters)
            second.take(number)
            _ = table.open(number, for: otherPool, counters: counters)
            _ = table.watch(number, for: .readable, pool: otherPool)
            // The first transfer is connected over another socket.
            table.closeThoseGone([gone])
            table.release(number)
            last.take(number)
            _ = table.watch(number, for: .readable, pool: pool)
            write(last.other, "x", 1)
        }
        #expect(counters.counts.openConnections == 0)
        #expect(ready == [first.one])
    }
}
