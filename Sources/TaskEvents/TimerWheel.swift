import HeapModule

/// Things to be done at a time, by time; those of nearly the same time share one tick.
///
/// A value: times are durations since a moment of the owner's. Adding and removing cost the same however many there
/// are, and the memory of what was removed is bounded by the ticks up to the farthest time.
struct TimerWheel<Action> {
    /// One of the things, to be removed by.
    struct Alarm: Sendable, Hashable {
        fileprivate var tick: Int64
        fileprivate var number: Int
    }

    /// What is to be done at a tick, which is here exactly as long as it is in `order`.
    private var ticks: [Int64: [Int: Action]] = [:]
    private var order = Heap<Int64>()
    private var lastNumber = 0

    /// Adds an action.
    ///
    /// - Parameters:
    ///   - time: It is due then, or a little later.
    ///   - grain: It is done at the next multiple of this, at least a millisecond: not more than this too late.
    mutating func add(_ action: Action, at time: Duration, grain: Duration) -> Alarm {
        let grain = max(1, grain.wholeMilliseconds)
        let tick = (max(0, time.wholeMilliseconds) + grain - 1) / grain * grain
        lastNumber += 1
        if ticks[tick] == nil { order.insert(tick) }
        ticks[tick, default: [:]][lastNumber] = action
        return Alarm(tick: tick, number: lastNumber)
    }

    /// Removes an action; nothing happens when it is gone.
    mutating func remove(_ alarm: Alarm) {
        ticks[alarm.tick]?[alarm.number] = nil
    }

    /// When the next action is to be done; `nil` when there is none.
    mutating func nextTime() -> Duration? {
        while let tick = order.min {
            guard ticks[tick]?.isEmpty ?? true else { return .milliseconds(tick) }
            order.removeMin()
            ticks[tick] = nil
        }
        return nil
    }

    /// Takes the actions that are due.
    mutating func takeDue(at now: Duration) -> [Action] {
        var due: [Action] = []
        while let tick = order.min, tick <= now.wholeMilliseconds {
            order.removeMin()
            if let actions = ticks.removeValue(forKey: tick) { due += actions.values }
        }
        return due
    }
}

extension Duration {
    /// Whole milliseconds, rounded up, and no more than a century.
    fileprivate var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        guard abs(seconds) < 3_200_000_000 else { return seconds < 0 ? 0 : 3_200_000_000_000 }
        return seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }
}
