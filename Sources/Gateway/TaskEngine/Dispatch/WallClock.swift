import ErrandLocking
import ErrandTaskStore
import ErrandTime

/// An observer of changes of the system's clock.
protocol WallClockObserver: AnyObject, Sendable {
    /// Handles a change of the clock.
    ///
    /// Called in a separate task.
    func clockWasSet(_ change: WallClock.Change) async

    /// Called when all observers have handled all changes.
    func clockHasSettled()
}

extension WallClockObserver {
    func clockHasSettled() {}
}

/// The time of day, which may be set, compared at each reading with a monotonic clock.
///
/// Small steps and small differences in speed, with which time services correct the clock, are not jumps. Any thread.
final class WallClock: Sendable {
    /// The smallest difference that counts as a jump.
    static let tolerance = Duration.seconds(1)
    /// The longest duration of a usable reading: during a longer one, the process may have been stopped.
    private static let longestReading = Duration.milliseconds(100)
    /// The number of readings that are tried until one is usable.
    private static let maxReadings = 5

    /// A change of the clock.
    struct Change: Sendable, Hashable {
        /// The difference between the time of day and the time without the change; negative if the clock was set back.
        var jump: Duration
    }

    /// A time of day, and the clock changes before it.
    struct Reading: Sendable {
        /// The time of day.
        var time: Timestamp
        /// The number of the last change before the time was read, since the process began.
        var changes: Int
        /// The sum of all jumps before the time was read, with those that the store knows of earlier processes.
        var offset: Duration
    }

    fileprivate struct State {
        /// The last reading: the time of day, and the monotonic time before and after it was read.
        var last: (wall: Timestamp, before: ContinuousClock.Instant, after: ContinuousClock.Instant)?
        var observers: [Observer] = []
        var changes = 0
        var offset = Duration.zero
        /// Recorded with the reading that reveals each jump, so that no reading counts as time what is a jump.
        var jumps = ClockJumps()
        /// The number of changes that observers are still handling.
        var unsettled = 0
    }

    fileprivate struct Observer {
        weak var object: (any WallClockObserver)?
    }

    private let read: @Sendable () -> Timestamp
    private let monotonic: MonotonicClock?
    private let state = Mutex(State())

    /// Creates a clock.
    ///
    /// - Parameters:
    ///   - read: Returns the time of day.
    ///   - jumpDetection: The monotonic clock that the time of day is compared with; `nil` to notice no jump.
    init(_ read: @escaping @Sendable () -> Timestamp, jumpDetection: (any Clock<Duration>)?) {
        self.read = read
        monotonic = jumpDetection.map { MonotonicClock($0) }
    }

    /// Adds an observer, which is held weakly.
    func add(_ observer: any WallClockObserver) {
        state.withLock { $0.observers.append(Observer(object: observer)) }
    }

    /// The time of day.
    var now: Timestamp { reading.time }

    /// The time of day with the number of clock changes; notices a jump.
    var reading: Reading {
        note { state, reading in reading }
    }

    /// Returns the moment that decides whether retention times are over.
    ///
    /// It lags behind a clock that was set forward, so that what was stored before is kept for its full time.
    ///
    /// - Parameter longest: The longest retention time of what may be stored (``LongestRetention``). When it has passed
    ///   since the clock was set, nothing is left of what was stored before, and the lag ends: what was stored since is
    ///   kept for at most twice this time.
    func retentionMoment(longest: Duration) -> Timestamp {
        note { state, reading in
            guard let last = state.last else { return reading.time }
            return reading.time.adding(.zero - state.jumps.lead(in: longest, before: last.before))
        }
    }

    /// Returns the time from a moment to now, both as the clock showed them, without what the clock was set by since.
    func elapsed(since moment: Timestamp) -> Duration {
        note { state, reading in state.jumps.elapsed(from: moment, to: reading.time) }
    }

    /// Records the jumps of the clock before the process began.
    ///
    /// - Parameters:
    ///   - offset: The sum of those that the store knows.
    ///   - setback: The time by which the clock was set back since; zero if it was not.
    func resume(from offset: Duration, setBackBy setback: Duration) {
        note { state, reading in
            if setback > .zero { state.jumps.noteSetback(from: reading.time.adding(setback), to: reading.time) }
            state.offset += offset - setback
        }
    }

    /// Records that the caller handles a change before the process began, and calls ``didHandleChange()`` afterwards.
    func willHandleChange() {
        state.withLock { $0.unsettled += 1 }
    }

    /// Reads the clock, records a jump, and returns what follows from both.
    @inline(__always)
    private func note<Result>(_ body: (inout State, Reading) -> Result) -> Result {
        guard let monotonic else {
            let wall = read()
            return state.withLock { body(&$0, $0.reading(wall)) }
        }
        for _ in 1..<Self.maxReadings {
            let before = monotonic.now
            let wall = read()
            let after = monotonic.now
            guard before.duration(to: after) < Self.longestReading else { continue }
            let noted = state.withLock { state -> (Result, Change?, [any WallClockObserver])? in
                guard let (reading, change) = state.note(wall, from: before, to: after) else { return nil }
                let observers = change == nil ? [] : state.observers.compactMap(\.object)
                return (body(&state, reading), change, observers)
            }
            guard let (result, change, observers) = noted else { continue }
            if let change { tell(observers, of: change) }
            return result
        }
        let wall = read()
        return state.withLock { body(&$0, $0.reading(wall)) }
    }

    /// True if observers are still handling a change.
    var isSettling: Bool { state.withLock { $0.unsettled > 0 } }

    private func tell(_ observers: [any WallClockObserver], of change: Change) {
        Task {
            await withTaskGroup(of: Void.self) { group in
                for observer in observers { group.addTask { await observer.clockWasSet(change) } }
            }
            didHandleChange()
        }
    }

    /// Records that a change was handled, and notifies the observers if it was the last one.
    func didHandleChange() {
        let observers = state.withLock { state -> [any WallClockObserver] in
            state.unsettled -= 1
            return state.unsettled == 0 ? state.observers.compactMap(\.object) : []
        }
        for observer in observers { observer.clockHasSettled() }
    }
}

extension WallClock.State {
    /// Returns a reading with the current number of changes.
    func reading(_ wall: Timestamp) -> WallClock.Reading {
        WallClock.Reading(time: wall, changes: changes, offset: offset)
    }

    /// Records a reading, and the change that it reveals.
    ///
    /// - Parameters:
    ///   - before: The monotonic time before `wall` was read.
    ///   - after: The monotonic time afterwards.
    /// - Returns: `nil` if the clock was set between this reading and one that another thread has made in the meantime:
    ///   it is unknown which was first, so the clock must be read again.
    fileprivate mutating func note(
        _ wall: Timestamp, from before: ContinuousClock.Instant, to after: ContinuousClock.Instant
    ) -> (WallClock.Reading, WallClock.Change?)? {
        guard let last else {
            self.last = (wall, before, after)
            return (reading(wall), nil)
        }
        let difference = wall.duration(since: last.wall) - last.before.duration(to: before)
        let isSet = difference < .zero - WallClock.tolerance || difference > WallClock.tolerance
        guard last.after <= before else { return isSet ? nil : (reading(wall), nil) }
        self.last = (wall, before, after)
        guard isSet else { return (reading(wall), nil) }
        // The time of day is in milliseconds: a jump is no more exact.
        let jump = Duration.milliseconds((difference / .milliseconds(1)).rounded())
        changes += 1
        offset += jump
        unsettled += 1
        jumps.note(jump, to: wall, at: before)
        return (reading(wall), WallClock.Change(jump: jump))
    }
}
