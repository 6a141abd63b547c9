import CErrandCurl
import Dispatch
import ErrandLocking
import ErrandTransfer

import struct Synchronization.Atomic

/// Ends connections whose peers keep the loop's thread inside one call of libcurl.
///
/// libcurl reads an HTTP/2 connection until the system has no more data or a stream has content. A peer that sends
/// other frames fast enough (PRIORITY, WINDOW_UPDATE, PING, SETTINGS, empty DATA) is therefore read forever: no
/// callback runs, other transfers stall, and no timeout is checked. On another thread, this class checks how much was
/// read from each connection of the pool that libcurl works for. More than ``maxBytes`` within one call, without a
/// callback in between, is not a response in any version of HTTP: the connection is shut down, libcurl sees its end and
/// returns.
///
/// The system does not count the bytes read from a Unix socket. There the processor time counts that the loop's thread
/// has used within one call: beyond ``maxNanoseconds``, the pool's connections over Unix sockets, which all have the same
/// peer, are shut down.
///
/// A well-behaved peer is never affected, however long the machine pauses: only bytes that were read count, or work.
final class FloodWatch: Sendable {
    /// The most bytes that may be read from a connection in one call without a piece of a head or of content.
    private static let maxBytes: Int64 = 1 << 20
    /// The most processor time for one call without such a piece, for connections over a Unix socket.
    private static let maxNanoseconds: Int64 = 200_000_000
    /// The interval between checks while libcurl works and while it does not.
    private static let busyPause = DispatchTimeInterval.milliseconds(10)
    private static let idlePause = DispatchTimeInterval.milliseconds(50)
    /// The maximum number of ended connections that are remembered.
    private static let maxEnded = 64
    /// The time for which each is remembered, in nanoseconds.
    private static let endedIsRemembered: Int64 = 5_000_000_000

    private struct Connection {
        var pool: Int
        /// Distinguishes the socket from later sockets of the same number.
        var identity: UInt64
    }

    private struct Suspicion {
        /// The bytes that had been read from each socket when the suspicion arose; -1 for a Unix socket.
        var read: [Int32: Int64]
        /// The processor time that the loop's thread had used then; -1 if unknown.
        var nanoseconds: Int64
    }

    private struct State {
        var connections: [Int32: Connection] = [:]
        /// The call that was seen last.
        var call: UInt64 = 0
        /// The suspicion against that call, if it was seen before.
        var suspicion: Suspicion?
        /// The clock of the processor time of the loop's thread; `nil` before its first connection.
        var threadClock: Int32?
        /// The local ports of the connections that were ended, with the times.
        var ended: [(port: Int, at: MonotonicInstant)] = []
        var isOver = false

        /// The processor time that the loop's thread has used; -1 if unknown.
        var nanoseconds: Int64 { threadClock.map { ccurl_thread_time($0) } ?? -1 }
    }

    /// Odd while libcurl works; changes with each call and after each callback.
    private let call = Atomic<UInt64>(0)
    /// The number of the pool that libcurl works for.
    private let pool = Atomic<Int>(0)
    private let hasEnded = Atomic<Bool>(false)
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "curl-watch")

    /// Starts the periodic checks, which run until ``stop()``.
    func start() {
        lookAgain(after: Self.idlePause)
    }

    /// Stops the checks.
    func stop() {
        state.withLock { $0.isOver = true }
    }

    // MARK: On the loop's thread

    /// Records that libcurl is about to read and write for a pool.
    func willWork(for pool: PoolID) {
        self.pool.store(pool.number, ordering: .relaxed)
        advance(by: 1)
    }

    /// Records that a piece of a response has arrived.
    func didProgress() {
        advance(by: 2)
    }

    /// Records that libcurl has returned.
    func didWork() {
        advance(by: 1)
    }

    private func advance(by step: UInt64) {
        // Only one thread writes.
        call.store(call.load(ordering: .relaxed) &+ step, ordering: .releasing)
    }

    /// Registers the socket of a new connection.
    func didOpen(_ socket: Int32, for pool: PoolID, identity: UInt64) {
        state.withLock { state in
            state.threadClock = state.threadClock ?? ccurl_thread_clock()
            state.connections[socket] = Connection(pool: pool.number, identity: identity)
        }
    }

    /// Removes the socket of a connection that is being closed or was closed.
    func willClose(_ socket: Int32) {
        state.withLock { _ = $0.connections.removeValue(forKey: socket) }
    }

    /// Returns whether the connection with this local port was ended recently.
    func hasEnded(localPort: Int) -> Bool {
        guard localPort > 0, hasEnded.load(ordering: .relaxed) else { return false }
        let oldest = MonotonicInstant.now.nanoseconds - Self.endedIsRemembered
        return state.withLock { state in
            state.ended.contains { $0.port == localPort && $0.at.nanoseconds >= oldest }
        }
    }

    // MARK: On the queue's thread

    private func lookAgain(after pause: DispatchTimeInterval) {
        queue.asyncAfter(deadline: .now() + pause) { [weak self] in self?.look() }
    }

    private func look() {
        let call = self.call.load(ordering: .acquiring)
        let isWorking = call & 1 == 1
        let isOver = state.withLock { state in
            if isWorking, !state.isOver { inspect(call, &state) }
            return state.isOver
        }
        if !isOver { lookAgain(after: isWorking ? Self.busyPause : Self.idlePause) }
    }

    private func inspect(_ call: UInt64, _ state: inout State) {
        guard state.call == call else {
            state.call = call
            state.suspicion = nil
            return
        }
        // Almost no call is seen twice. Reading the counters of each socket takes the system's lock of the socket, which
        // would cost the loop more than its own work if thousands of connections are open.
        guard let suspicion = state.suspicion else {
            let pool = self.pool.load(ordering: .relaxed)
            var read: [Int32: Int64] = [:]
            for (socket, connection) in state.connections where connection.pool == pool {
                read[socket] = ccurl_bytes_read(socket)
            }
            state.suspicion = Suspicion(read: read, nanoseconds: state.nanoseconds)
            return
        }
        let nanoseconds = state.nanoseconds
        let isLong = suspicion.nanoseconds >= 0 && nanoseconds - suspicion.nanoseconds > Self.maxNanoseconds
        for (socket, before) in suspicion.read {
            guard let connection = state.connections[socket] else { continue }
            let isFlood = before >= 0 ? ccurl_bytes_read(socket) - before > Self.maxBytes : isLong
            // Ends the connection only if it is still the same socket and the same call.
            guard isFlood, ccurl_socket_identity(socket) == connection.identity,
                self.call.load(ordering: .acquiring) == call
            else { continue }
            if state.ended.count == Self.maxEnded { state.ended.removeFirst() }
            state.ended.append((Int(ccurl_local_port(socket)), .now))
            hasEnded.store(true, ordering: .relaxed)
            ccurl_shutdown(socket)
        }
    }
}
