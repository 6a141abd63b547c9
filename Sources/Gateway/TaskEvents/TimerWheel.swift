import ErrandTime
import HeapModule

/// Actions ordered by time; those at nearly the same time share one tick.
///
/// A value: times are durations since a reference time of the owner. Adding and removing cost the same for any number
/// of actions. The memory of removed actions is bounded by the number of ticks up to the latest time.
struct TimerWheel<Action> {
    /// The place of an action, by which it is removed.
    struct Entry: Sendable, Hashable {
        fileprivate var tick: Int64
        fileprivate var number: Int
    }

    /// The actions of each tick; a tick is present exactly as long as it is in `order`.
    private var ticks: [Int64: [Int: Action]] = [:]
    private var order = Heap<Int64>()
    private var lastNumber = 0

    /// Adds an action.
    ///
    /// - Parameters:
    ///   - time: The earliest time of the action.
    ///   - grain: The action is performed at the next multiple of this, at least a millisecond.
    mutating func add(_ action: Action, at time: Duration, grain: Duration) -> Entry {
        let grain = max(1, grain.wheelMilliseconds)
        let tick = (max(0, time.wheelMilliseconds) + grain - 1) / grain * grain
        lastNumber += 1
        if ticks[tick] == nil { order.insert(tick) }
        // `removeValue` and not a change in place: the accessor of `default:` allocates.
        var actions = ticks.removeValue(forKey: tick) ?? [:]
        actions[lastNumber] = action
        ticks[tick] = actions
        return Entry(tick: tick, number: lastNumber)
    }

    /// Removes an action; no-op if it is already gone.
    mutating func remove(_ entry: Entry) {
        guard var actions = ticks.removeValue(forKey: entry.tick) else { return }
        actions.removeValue(forKey: entry.number)
        ticks[entry.tick] = actions
    }

    /// Returns the time of the next action, or `nil` without one.
    mutating func nextTime() -> Duration? {
        while let tick = order.min {
            guard ticks[tick]?.isEmpty ?? true else { return .milliseconds(tick) }
            order.removeMin()
            ticks[tick] = nil
        }
        return nil
    }

    /// Removes and returns the actions that are due.
    mutating func takeDue(at now: Duration) -> [Action] {
        var due: [Action] = []
        while let tick = order.min, tick <= now.wheelMilliseconds {
            order.removeMin()
            if let actions = ticks.removeValue(forKey: tick) { due += actions.values }
        }
        return due
    }
}

extension Duration {
    /// The duration in whole milliseconds, rounded up, at most a century.
    fileprivate var wheelMilliseconds: Int64 { min(max(wholeMillisecondsRoundedUp, 0), 3_200_000_000_000) }
}
