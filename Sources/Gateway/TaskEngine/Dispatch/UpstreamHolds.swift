import ErrandLocking
import ErrandTaskAdmission
import ErrandTaskStore
import ErrandTime
import Logging

/// The storage of the times for which sessions send nothing to their upstreams, so that a restart does not forget them.
///
/// Each is stored with the sum of the jumps of the clock with which its times were worked out, so that the next process
/// moves them by the jumps since, however often the clock was set.
///
/// Any thread. Changes are written one after the other, the latest of each session. They are noted under the lock of
/// the dispatcher, so that they come in the order in which they occur.
final class UpstreamHolds: Sendable {
    /// The shortest pause that is stored: a shorter one is over before a restart has ended.
    static let shortest = Duration.seconds(5)
    /// The smallest change of a time that is stored.
    private static let smallestChange = Duration.seconds(1)

    private let context: TaskContext
    private let state = Mutex(State())

    private struct State {
        /// The holds as stored, or as they will be once they are written.
        var known: [String: UpstreamHold] = [:]
        /// The errors of the sessions whose last write failed, so that it is not known what is stored.
        var failures: [String: TaskStoreError] = [:]
        /// The sessions whose holds are to be written, oldest change first.
        var unwritten: [String] = []
        var isWriting = false
        var waiters: [Continuation<Void>] = []

        /// Takes the next hold to write; at the end, the callers that wait for it.
        mutating func next() -> (hold: UpstreamHold?, waiters: [Continuation<Void>]) {
            guard let session = unwritten.first, let hold = known[session] else {
                isWriting = false
                defer { waiters = [] }
                return (nil, waiters)
            }
            unwritten.removeFirst()
            return (hold, [])
        }
    }

    init(_ context: TaskContext) {
        self.context = context
    }

    /// Reads the holds of an earlier process.
    func read() async throws(TaskStoreError) -> [UpstreamHold] {
        let holds = try await context.store.upstreamHolds()
        state.withLock { state in
            for hold in holds { state.known[hold.session] = hold }
        }
        return holds
    }

    /// Stores the hold of a session if it has changed; returns at once.
    func note(_ hold: Admission.Hold, of session: String) {
        let (reading, now) = (context.wall.reading, context.monotonic.now)
        let quiet = hold.quietUntil.map { now.duration(to: $0) }.flatMap { $0 >= Self.shortest ? $0 : nil }
        // A circuit that is half open is stored with a time that is over, and is half open after a restart too.
        let open = hold.circuitOpenUntil.map { now.duration(to: $0) }
        note(
            UpstreamHold(
                session: session, origin: hold.upstream, quietUntil: quiet.map { reading.time.adding($0) },
                circuitOpenUntil: open.map { reading.time.adding($0) }, clockOffset: reading.offset))
    }

    /// Removes the stored holds of sessions.
    func forget(_ holds: some Sequence<UpstreamHold>) {
        for hold in holds { note(UpstreamHold(session: hold.session, origin: hold.origin)) }
    }

    private func note(_ hold: UpstreamHold) {
        let session = hold.session
        let mustWrite = state.withLock { state -> Bool in
            let known = state.known[session] ?? UpstreamHold(session: session, origin: hold.origin)
            guard state.failures[session] != nil || !hold.isAlmost(known, within: Self.smallestChange) else {
                return false
            }
            state.known[session] = hold
            state.failures[session] = nil
            if !state.unwritten.contains(session) { state.unwritten.append(session) }
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if mustWrite { Task { await write() } }
    }

    private func write() async {
        while true {
            let (hold, waiters) = state.withLock { $0.next() }
            guard let hold else {
                for waiter in waiters { waiter.resume() }
                return
            }
            do throws(TaskStoreError) {
                try await context.store.setUpstreamHold(hold)
            } catch {
                state.withLock { $0.failures[hold.session] = error }
                context.logger.warning(
                    "A change of a session's pause could not be stored; a restart would not know it",
                    metadata: ["session": "\(hold.session)", "error": "\(error)"])
            }
        }
    }

    /// Waits until all changes are written.
    ///
    /// - Throws: The error of the last change of a session, if it could not be stored.
    func finish(_ session: String) async throws(TaskStoreError) {
        await finish()
        if let error = state.withLock({ $0.failures[session] }) { throw error }
    }

    /// Waits until all changes are written, or could not be.
    func finish() async {
        await withContinuation { continuation in
            let waits = state.withLock { state in
                if state.isWriting { state.waiters.append(continuation) }
                return state.isWriting
            }
            if !waits { continuation.resume() }
        }
    }
}

extension UpstreamHold {
    /// Returns true if both have the same upstream, and times that differ by less than a limit by the same clock.
    fileprivate func isAlmost(_ other: UpstreamHold, within limit: Duration) -> Bool {
        let jump = clockOffset - other.clockOffset
        func isNear(_ one: Timestamp?, _ another: Timestamp?) -> Bool {
            guard let one, let another else { return one == another }
            let difference = one.duration(since: another.adding(jump))
            return difference < limit && difference > .zero - limit
        }
        return (origin == other.origin || isBlank && other.isBlank) && isNear(quietUntil, other.quietUntil)
            && isNear(circuitOpenUntil, other.circuitOpenUntil)
    }
}

extension Admission.Hold {
    /// Creates the hold that an earlier process has stored.
    ///
    /// - Parameters:
    ///   - reading: The time by the system's clock.
    ///   - now: The same time by the monotonic clock.
    init(_ stored: UpstreamHold, at reading: WallClock.Reading, _ now: ContinuousClock.Instant) {
        let moment = reading.time.adding(stored.clockOffset - reading.offset)
        let end = { (time: Timestamp?) in time.map { now.advanced(by: $0.duration(since: moment)) } }
        self.init(
            upstream: stored.origin, quietUntil: end(stored.quietUntil), circuitOpenUntil: end(stored.circuitOpenUntil))
    }
}
