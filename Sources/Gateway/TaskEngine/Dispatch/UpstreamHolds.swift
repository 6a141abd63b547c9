import ErrandLocking
import ErrandTaskAdmission
import ErrandTaskStore
import ErrandTime
import Logging

/// The storage of the times for which sessions send nothing to their upstreams, so that a restart does not forget them.
///
/// Any thread. Changes are written one after the other, the latest of each session.
final class UpstreamHolds: Sendable {
    /// The shortest time that is stored: a shorter one is hardly left after a restart.
    static let shortest = Duration.seconds(5)
    /// The smallest change of a time that is stored.
    private static let smallestChange = Duration.seconds(1)

    private let context: TaskContext
    private let state = Mutex(State())

    private struct State {
        /// The holds as stored, or as they will be once they are written.
        var known: [String: UpstreamHold] = [:]
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

    /// Reads the holds of an earlier process that are not over.
    func read() async throws(TaskStoreError) -> [UpstreamHold] {
        let holds = try await context.store.upstreamHolds()
        state.withLock { state in
            for hold in holds { state.known[hold.session] = hold }
        }
        return holds
    }

    /// Stores the hold of a session if it has changed.
    func note(_ hold: Admission.Hold, of session: String) {
        let (moment, steady) = (context.now(), context.time.now)
        let stored = { (end: ContinuousClock.Instant?) -> Timestamp? in
            guard let end else { return nil }
            let left = steady.duration(to: end)
            return left >= Self.shortest ? moment.adding(left) : nil
        }
        let hold = UpstreamHold(
            session: session, origin: hold.upstream, quietUntil: stored(hold.quietUntil),
            circuitOpenUntil: stored(hold.circuitOpenUntil))
        let mustWrite = state.withLock { state -> Bool in
            let known = state.known[session] ?? UpstreamHold(session: session, origin: hold.origin)
            guard !hold.isAlmost(known, within: Self.smallestChange) else { return false }
            state.known[session] = hold
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
                context.logger.warning(
                    "The pause of a session could not be stored; a restart would forget it",
                    metadata: ["session": "\(hold.session)", "error": "\(error)"])
            }
        }
    }

    /// Waits until all changes are written.
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
    /// Returns true if both have the same upstream, and times that differ by less than a limit.
    fileprivate func isAlmost(_ other: UpstreamHold, within limit: Duration) -> Bool {
        func isNear(_ one: Timestamp?, _ another: Timestamp?) -> Bool {
            guard let one, let another else { return one == another }
            let difference = one.duration(since: another)
            return difference < limit && difference > .zero - limit
        }
        return origin == other.origin && isNear(quietUntil, other.quietUntil)
            && isNear(circuitOpenUntil, other.circuitOpenUntil)
    }
}

extension Admission.Hold {
    /// Creates the hold that an earlier process has stored.
    ///
    /// - Parameters:
    ///   - moment: The time by the system's clock.
    ///   - steady: The same time by the steady clock.
    init(_ stored: UpstreamHold, at moment: Timestamp, _ steady: ContinuousClock.Instant) {
        let end = { (time: Timestamp?) in time.map { steady.advanced(by: $0.duration(since: moment)) } }
        self.init(
            upstream: stored.origin, quietUntil: end(stored.quietUntil), circuitOpenUntil: end(stored.circuitOpenUntil))
    }
}
