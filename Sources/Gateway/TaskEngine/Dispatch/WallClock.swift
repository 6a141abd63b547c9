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
        guard let steady else { return Reading(time: read(), changes: 0, offset: .zero, isSettling: false) }
        let before = steady.now
        let wall = read()
        let after = steady.now
        guard before.duration(to: after) < Self.longestReading else { return state.withLock { $0.reading(wall) } }
        let (reading, change, observers) = state.withLock { state in
            let (reading, change) = state.note(wall, before)
            return (reading, change, change == nil ? [] : state.observers.compactMap(\.object))
        }
        if let change { tell(observers, of: change) }
        return reading
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
    ///
    /// - Returns: The reading, and the change that it reveals; `nil` if there is none.
    fileprivate mutating func note(
        _ wall: Timestamp, _ steady: ContinuousClock.Instant
    ) -> (WallClock.Reading, WallClock.Change?) {
        guard let last else {
            self.last = (wall, steady)
            return (reading(wall), nil)
        }
        let difference = wall.duration(since: last.wall) - last.steady.duration(to: steady)
        let isSet = difference < .zero - WallClock.tolerance || difference > WallClock.tolerance
        // The time of day is in milliseconds: a jump is no more exact.
        let jump = isSet ? .milliseconds((difference / .milliseconds(1)).rounded()) : difference
        guard last.steady <= steady else {
            // Another thread has recorded a later reading. If this one differs from it, it was made before the last
            // change.
            guard isSet, changes > 0 else { return (reading(wall), nil) }
            return (
                WallClock.Reading(time: wall, changes: changes - 1, offset: offset + jump, isSettling: unsettled > 0),
                nil
            )
        }
        self.last = (wall, steady)
        guard isSet else { return (reading(wall), nil) }
        changes += 1
        offset += jump
        unsettled += 1
        return (reading(wall), WallClock.Change(jump: jump, number: changes))
    }
}
