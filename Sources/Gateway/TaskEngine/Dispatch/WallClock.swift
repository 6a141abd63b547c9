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
        /// The number of the change, from 1.
        var number: Int
    }

    /// A time of day, and the clock changes before it.
    struct Reading: Sendable {
        /// The time of day.
        var time: Timestamp
        /// The number of the last change before the time was read.
        var changes: Int
        /// The sum of the jumps of all these changes.
        var offset: Duration
        /// True if observers are still handling a change, so that times stored before it may be wrong.
        var isSettling: Bool
    }

    fileprivate struct State {
        /// The last reading of both clocks.
        var last: (wall: Timestamp, steady: ContinuousClock.Instant)?
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
    private let steady: SteadyTime?
    private let state = Mutex(State())

    /// Creates a clock.
    ///
    /// - Parameters:
    ///   - read: Returns the time of day.
    ///   - steady: A monotonic clock; `nil` to notice no jump.
    init(_ read: @escaping @Sendable () -> Timestamp, steady: (any Clock<Duration>)?) {
        self.read = read
        self.steady = steady.map { SteadyTime($0) }
    }

    /// Adds an observer, which is held weakly.
    func add(_ observer: any WallClockObserver) {
        state.withLock { $0.observers.append(Observer(object: observer)) }
    }

    /// The time of day.
    var now: Timestamp { reading.time }

    /// The time of day with the number of clock changes; notices a jump.
    var reading: Reading {
        note { state, noted in noted.reading }
    }

    /// Returns the moment that decides whether retention times are over.
    ///
    /// It lags behind a clock that was set forward, so that what was stored before is kept for its full time.
    ///
    /// - Parameter longest: The longest of the retention times. When it has passed since the clock was set, nothing is
    ///   left of what was stored before, and the lag ends: what was stored since is kept for at most twice this time.
    func retentionMoment(longest: Duration) -> Timestamp {
        note { state, noted in
            guard let last = state.last else { return noted.now }
            return noted.now.adding(.zero - state.jumps.lead(in: longest, before: last.steady))
        }
    }

    /// Returns the time from a moment to now, both as the clock showed them, without what the clock was set by since.
    func elapsed(since moment: Timestamp) -> Duration {
        note { state, noted in state.jumps.elapsed(from: moment, to: noted.now) }
    }

    /// Records that the clock was set back before the process began.
    func noteSetback(by setback: Duration) {
        note { state, noted in state.jumps.noteSetback(from: noted.now.adding(setback), to: noted.now) }
    }

    /// Reads the clock, records a jump, and returns what follows from both.
    @inline(__always)
    private func note<Result>(_ body: (inout State, Noted) -> Result) -> Result {
        guard let steady else {
            let wall = read()
            return state.withLock { body(&$0, Noted(reading: $0.reading(wall), now: wall)) }
        }
        for _ in 1..<Self.maxReadings {
            let before = steady.now
            let wall = read()
            guard before.duration(to: steady.now) < Self.longestReading else { continue }
            let (result, change, observers) = state.withLock { state in
                let noted = state.note(wall, before)
                let observers = noted.change == nil ? [] : state.observers.compactMap(\.object)
                return (body(&state, noted), noted.change, observers)
            }
            if let change { tell(observers, of: change) }
            return result
        }
        let wall = read()
        return state.withLock { body(&$0, Noted(reading: $0.reading(wall), now: wall)) }
    }

    /// A reading that was recorded.
    fileprivate struct Noted {
        let reading: Reading
        /// The change that the reading reveals.
        var change: Change?
        /// The time of day of the reading, as the clock shows it after all changes.
        let now: Timestamp
    }

    /// True if observers are still handling a change.
    var isSettling: Bool { state.withLock { $0.unsettled > 0 } }

    private func tell(_ observers: [any WallClockObserver], of change: Change) {
        Task {
            await withTaskGroup(of: Void.self) { group in
                for observer in observers { group.addTask { await observer.clockWasSet(change) } }
            }
            let isSettled = state.withLock { state in
                state.unsettled -= 1
                return state.unsettled == 0
            }
            if isSettled { for observer in observers { observer.clockHasSettled() } }
        }
    }
}

extension WallClock.State {
    /// Returns a reading with the current number of changes.
    func reading(_ wall: Timestamp) -> WallClock.Reading {
        WallClock.Reading(time: wall, changes: changes, offset: offset, isSettling: unsettled > 0)
    }

    /// Records a reading.
    fileprivate mutating func note(_ wall: Timestamp, _ steady: ContinuousClock.Instant) -> WallClock.Noted {
        guard let last else {
            self.last = (wall, steady)
            return WallClock.Noted(reading: reading(wall), now: wall)
        }
        let difference = wall.duration(since: last.wall) - last.steady.duration(to: steady)
        let isSet = difference < .zero - WallClock.tolerance || difference > WallClock.tolerance
        // The time of day is in milliseconds: a jump is no more exact.
        let jump = isSet ? .milliseconds((difference / .milliseconds(1)).rounded()) : difference
        guard last.steady <= steady else {
            // Another thread has recorded a later reading. If this one differs from it, it was made before the last
            // change.
            guard isSet, changes > 0 else { return WallClock.Noted(reading: reading(wall), now: wall) }
            return WallClock.Noted(
                reading: WallClock.Reading(
                    time: wall, changes: changes - 1, offset: offset + jump, isSettling: unsettled > 0),
                now: wall.adding(.zero - jump))
        }
        self.last = (wall, steady)
        guard isSet else { return WallClock.Noted(reading: reading(wall), now: wall) }
        changes += 1
        offset += jump
        unsettled += 1
        jumps.note(jump, to: wall, at: steady)
        return WallClock.Noted(
            reading: reading(wall), change: WallClock.Change(jump: jump, number: changes), now: wall)
    }
}
