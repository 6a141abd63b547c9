import ErrandSessionCore
import ErrandTaskStore

/// A destination of a session whose tasks go to several origins, such as the receivers of callbacks.
///
/// Each has its share of the session's slots, its own retry budget, and its own pause after failures, so that a
/// destination that hangs or is gone blocks no other. A value without a clock.
struct Destination {
    /// The decision on a task that is about to start.
    enum Verdict: Sendable, Hashable {
        /// The task has a slot.
        case begins
        /// All slots are taken, or another task probes the destination: the task is queued again when a slot is free
        /// or the probe has ended, unless it has a slot itself.
        case waitsForSlot
        /// The task must be postponed by this time.
        case later(Duration)
        /// The task is a retry, and the budget has no token: it must be postponed by this time.
        case lacksToken(Duration)
    }

    /// The number of consecutive failures without a pause.
    static let tolerated = 2
    /// The first pause after more failures; it doubles with each further failure.
    static let firstPause = Duration.seconds(1)
    /// The maximum pause.
    static let longestPause = Duration.seconds(30)
    /// The time after which a failure is not in a row with the one before it: the destination was not asked meanwhile,
    /// although it could have been.
    static let longestSilence = Duration.seconds(3600)
    /// The maximum number of tasks that wait here for a slot; others try again later.
    static let roomForWaiting = 256
    /// The minimum delay of a task that finds no room to wait.
    private static let pauseWithoutSlot = Duration.milliseconds(250)
    /// The minimum delay of a task that finds another one to probe the destination, and no room to wait for its end.
    static let probePause = Duration.seconds(15)

    /// The retry budget.
    var budget: RetryBudget
    private(set) var running: Set<TaskID> = []
    private(set) var lastUsed: ContinuousClock.Instant
    /// The tasks to be queued again when an attempt ends, in the order in which they start; empty unless one is running.
    private var waiting: [QueuePosition] = []
    /// The number of failures in a row.
    private var failures = 0
    /// The time of the last of them.
    private var lastFailure: ContinuousClock.Instant?
    /// The end of the pause after failures, which a success ends earlier.
    private var pausedUntil: ContinuousClock.Instant?
    private var requestedPause = RequestedPause()
    /// The task that may probe the destination, with the time until which it is expected to begin; `nil` if none is
    /// expected.
    private var expectedProbe: (task: TaskID, until: ContinuousClock.Instant)?
    private var queue = LookAgainQueue()
    /// The schedule of tasks that wait longer than any other here, so that it does not delay those.
    private var probeQueue = LookAgainQueue()
    /// The number of slots, as of the last check of a task or the last change.
    private var slots = 1

    init(_ budget: RetryConfiguration.Budget, at now: ContinuousClock.Instant) {
        self.budget = RetryBudget(budget, at: now)
        lastUsed = now
    }

    /// Decides on a task that is about to start.
    ///
    /// - Parameters:
    ///   - position: The task.
    ///   - slots: The number of slots of the destination.
    ///   - needsToken: True for a retry, which takes a token when it begins.
    ///   - now: The present.
    mutating func begin(
        _ position: QueuePosition, slots: Int, needsToken: Bool = false, at now: ContinuousClock.Instant
    ) -> Verdict {
        lastUsed = now
        self.slots = slots
        // An earlier start of the same task has its slot already; this one has nothing to wait for.
        guard !running.contains(position.id) else { return .waitsForSlot }
        if let end = pauseEnd(at: now) { return .later(queue.next(at: now, notBefore: end)) }
        // One attempt at a time checks whether it has recovered.
        if isFailing, !running.isEmpty {
            return addWaiting(position) ? .waitsForSlot : .later(probeQueue.next(at: now, notBefore: Self.probePause))
        }
        guard running.count < slots else {
            return addWaiting(position)
                ? .waitsForSlot : .later(queue.next(at: now, notBefore: Self.pauseWithoutSlot))
        }
        if needsToken, let wait = takeRetry(at: now) { return .lacksToken(wait) }
        running.insert(position.id)
        return .begins
    }

    /// Adds a task to those that wait here; returns false if there is no room.
    private mutating func addWaiting(_ position: QueuePosition) -> Bool {
        if let index = waiting.firstIndex(where: { $0.id == position.id }) {
            // A client may have told it to run at once since.
            waiting.remove(at: index)
        }
        guard waiting.count < Self.roomForWaiting else { return false }
        waiting.insert(position, at: waiting.firstIndex { position < $0 } ?? waiting.endIndex)
        return true
    }

    /// True if so many attempts have failed in a row that only one at a time may be made.
    var isFailing: Bool { failures > Self.tolerated }

    /// Returns the time since the last failure, while the destination keeps failing and is paused because of it; `nil`
    /// at any other time.
    ///
    /// When the pause is over, the failure proves nothing any more: the next attempt shows whether it still fails.
    func failureAge(at now: ContinuousClock.Instant) -> Duration? {
        guard isFailing, let lastFailure, let pausedUntil, now < pausedUntil else { return nil }
        return lastFailure.duration(to: now)
    }

    /// Returns true if a failure would be in a row with the last one.
    private func isInARow(at now: ContinuousClock.Instant) -> Bool {
        guard let lastFailure else { return true }
        let mayAsk = max(lastFailure, pausedUntil ?? lastFailure, requestedPause.requestedEnd ?? lastFailure)
        return mayAsk.duration(to: now) <= Self.longestSilence
    }

    /// Returns the end of the pause, after failures or as requested; `nil` if there is none.
    private func pauseEnd(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        let end = max(pausedUntil ?? now, requestedPause.end(at: now) ?? now)
        return now < end ? end : nil
    }

    /// Returns the time by which a task that becomes due must be postponed; `nil` if it may be queued.
    ///
    /// Of a destination that keeps failing one task is queued, to probe it; the others would only wait for that.
    mutating func pause(of task: TaskID, at now: ContinuousClock.Instant) -> Duration? {
        lastUsed = now
        if let end = pauseEnd(at: now) { return queue.next(at: now, notBefore: end) }
        guard isFailing else { return nil }
        guard running.isEmpty, expectedProbe.map({ $0.task == task || $0.until <= now }) ?? true else {
            return probeQueue.next(at: now, notBefore: Self.probePause)
        }
        // Another one is queued if this one is canceled, or its session is paused.
        expectedProbe = (task, now.advanced(by: Self.longestPause))
        return nil
    }

    /// Changes the retry budget.
    mutating func changeBudget(_ change: (inout RetryBudget) -> Void) { change(&budget) }

    /// Takes a token for a retry that is about to begin.
    ///
    /// - Returns: `nil` when the retry may begin, otherwise the time to postpone it.
    mutating func takeRetry(at now: ContinuousClock.Instant) -> Duration? {
        lastUsed = now
        let wait = budget.take(at: now)
        notePostponed(wait)
        return wait
    }

    /// Returns the time by which a retry that becomes due must be postponed, as there is no token; `nil` if it may be
    /// queued.
    mutating func retryPause(at now: ContinuousClock.Instant) -> Duration? {
        lastUsed = now
        let wait = budget.wait(at: now)
        notePostponed(wait)
        return wait
    }

    /// Forgets the expected probe if a retry is postponed by a time, as it probes nothing then.
    private mutating func notePostponed(_ wait: Duration?) {
        if wait != nil { expectedProbe = nil }
    }

    /// Records the outcome of an attempt.
    mutating func note(_ outcome: CircuitBreaker.Outcome, at now: ContinuousClock.Instant) {
        switch outcome {
        case .neutral:
            break
        case .success:
            failures = 0
            lastFailure = nil
            pausedUntil = nil
            queue.restart(at: now)
            probeQueue.restart(at: now)
        case .failure:
            if !isInARow(at: now) { failures = 0 }
            failures += 1
            lastFailure = now
            guard isFailing else { return }
            let doublings = min(failures - Self.tolerated - 1, 5)
            let pause = min(Self.firstPause * (1 << doublings), Self.longestPause)
            pausedUntil = max(pausedUntil ?? now, now.advanced(by: pause))
        }
    }

    /// Starts no attempt before `end`, or before a later time requested earlier, even if another one succeeds.
    mutating func stayQuiet(until end: ContinuousClock.Instant) {
        requestedPause.extend(to: end)
    }

    /// Ends the attempt of a task, started or not.
    ///
    /// - Returns: The tasks to be queued again: one for each free slot, as one woken earlier may have been canceled
    ///   since; all of them if no running attempt is left that would queue them later.
    mutating func end(_ task: TaskID, at now: ContinuousClock.Instant) -> [QueuePosition] {
        lastUsed = now
        guard running.remove(task) != nil else { return [] }
        expectedProbe = nil
        let all = running.isEmpty || isFailing
        return takeWaiting(all ? waiting.count : max(1, slots - running.count))
    }

    /// Changes the number of slots, and the longest pause that the destination can ask for.
    ///
    /// - Parameters:
    ///   - slots: The number of slots.
    ///   - longestPause: The longest pause, to which one under way is shortened; `nil` if none is respected.
    ///   - now: The present.
    /// - Returns: The tasks to be queued again: one for each free slot.
    mutating func configure(
        slots: Int, longestPause: Duration?, at now: ContinuousClock.Instant
    ) -> [QueuePosition] {
        self.slots = slots
        requestedPause.shorten(to: longestPause, at: now)
        return wakeForFreeSlots()
    }

    /// Wakes the tasks that start first.
    ///
    /// - Returns: The tasks to be queued again: one for each free slot.
    mutating func wakeForFreeSlots() -> [QueuePosition] {
        takeWaiting(max(0, slots - running.count))
    }

    /// Forgets the failures, and the pauses after them and those that were asked for.
    ///
    /// - Returns: The tasks to be queued again: one for each free slot.
    mutating func forgetFailures() -> [QueuePosition] {
        failures = 0
        lastFailure = nil
        pausedUntil = nil
        requestedPause = RequestedPause()
        expectedProbe = nil
        queue = LookAgainQueue()
        probeQueue = LookAgainQueue()
        return wakeForFreeSlots()
    }

    /// Removes and returns the tasks that start first, at most `count`.
    private mutating func takeWaiting(_ count: Int) -> [QueuePosition] {
        let taken = Array(waiting.prefix(count))
        waiting.removeFirst(taken.count)
        return taken
    }

    /// Returns true if the destination has no state worth keeping.
    func isForgettable(at now: ContinuousClock.Instant) -> Bool {
        running.isEmpty && waiting.isEmpty && failures == 0 && pauseEnd(at: now) == nil && budget.isFull(at: now)
    }
}
