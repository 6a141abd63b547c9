import ErrandSessionCore
package import ErrandTaskStore

/// Destinations within a session whose tasks go to several origins.
///
/// The destination of a task is known only when its record is read, after the task has taken its slot in the session.
/// So the task is checked again between that and its start.
extension Admission {
    /// A destination within a session.
    package struct DestinationKey: Hashable, Sendable {
        /// The session's name.
        package var session: String
        /// The origin of the URL, as text.
        package var origin: String

        /// Creates a key.
        package init(session: String, origin: String) {
            self.session = session
            self.origin = origin
        }
    }

    /// The decision on a task with a destination.
    package enum DestinationVerdict: Sendable, Hashable {
        /// The task may start.
        case begins
        /// The task lost its slot, and is queued again as soon as its destination has a free slot or was probed.
        case waits
        /// The task lost its slot, and must be postponed by this time.
        case later(Duration)
    }

    /// The maximum number of remembered destinations, besides those with running attempts.
    static let rememberedDestinations = 4096

    /// Returns the number of slots of each destination: a quarter of the session's, at least one.
    static func slots(of concurrent: Int) -> Int { max(1, concurrent / 4) }

    /// Decides on a task with a destination, which already has its slot in the session.
    ///
    /// - Parameter hasToken: True if the task has taken a retry token, which it gets back if it is postponed.
    package mutating func begin(
        _ position: QueuePosition, to key: DestinationKey, hasToken: Bool = false, at now: ContinuousClock.Instant
    ) -> DestinationVerdict {
        guard let rules = indices[key.session].map({ sessions[$0].gate.rules }) else { return .begins }
        makeRoom(for: key, at: now)
        let slots = Self.slots(of: rules.limits.concurrent)
        let verdict = destinations[key, default: Destination(rules.retryBudget, at: now)]
            .begin(position, slots: slots, at: now)
        switch verdict {
        case .begins:
            destined[position.id] = key
            waitingAtDestinations.remove(position.id)
            if destinations[key]?.running.count == 1 { busyDestinations += 1 }
            return .begins
        case .waitsForSlot:
            // A task that has a slot already waits for nothing.
            if destined[position.id] == nil { waitingAtDestinations.insert(position.id) }
            giveBack(position.id, session: key.session, at: now)
            return .waits
        case .later(let wait):
            giveBack(position.id, session: key.session, at: now)
            if hasToken { destinations[key]?.budget.giveBack(at: now) }
            return .later(wait)
        }
    }

    /// Returns true if the running attempt of a task counts for its destination and not for its session.
    package func isDestined(_ task: TaskID) -> Bool { destined[task] != nil }

    /// Removes idle destinations if there are too many to add another one.
    ///
    /// An eighth of them at once, as each removal looks at all: first those without state, then the least recently
    /// used.
    private mutating func makeRoom(for key: DestinationKey, at now: ContinuousClock.Instant) {
        guard destinations.count - busyDestinations >= Self.rememberedDestinations, destinations[key] == nil else {
            return
        }
        let idle = destinations.filter { $0.value.running.isEmpty }.map { key, destination in
            (key: key, isForgettable: destination.isForgettable(at: now), lastUsed: destination.lastUsed)
        }
        let forgotten = idle.sorted { one, other in
            one.isForgettable == other.isForgettable ? one.lastUsed < other.lastUsed : one.isForgettable
        }
        for destination in forgotten.prefix(Self.rememberedDestinations / 8) { destinations[destination.key] = nil }
    }

    /// Applies the rules of sessions to their destinations, and queues the tasks waiting for a new slot again.
    mutating func configureDestinations(_ rules: [String: SessionRules], at now: ContinuousClock.Instant) {
        for key in destinations.keys {
            guard let rules = rules[key.session] else { continue }
            destinations[key]?.budget.configure(rules.retryBudget, at: now)
            let slots = Self.slots(of: rules.limits.concurrent)
            let woken =
                destinations[key]?.configure(slots: slots, longestPause: rules.longestPause, at: now) ?? []
            wake(woken, session: key.session)
        }
    }

    /// Queues tasks again that have waited at a destination of a session.
    private mutating func wake(_ woken: [QueuePosition], session: String) {
        for position in woken {
            waitingAtDestinations.remove(position.id)
            enqueue(position, session: session)
        }
    }

    /// Forgets the failures and pauses of the destinations of a session, and queues the tasks waiting for them again.
    mutating func forgetDestinations(of session: String) {
        for key in destinations.keys where key.session == session {
            let woken = destinations[key]?.forgetFailures() ?? []
            wake(woken, session: session)
        }
    }

    /// Returns true if a destination keeps failing; a pause that it has asked for is no failure.
    package func isFailing(_ key: DestinationKey) -> Bool { destinations[key]?.isFailing ?? false }

    /// Returns true if a queued task waits for a slot at its destination, or for the end of a probe of it.
    package func waitsAtDestination(_ task: TaskID) -> Bool { waitingAtDestinations.contains(task) }

    /// Ends the attempt of a task with a destination, started or not, and queues the tasks waiting for its slot again.
    mutating func endDestined(_ task: TaskID, at now: ContinuousClock.Instant) {
        guard let key = destined.removeValue(forKey: task),
            let woken = destinations[key]?.end(task, at: now)
        else { return }
        if destinations[key]?.running.isEmpty ?? false { busyDestinations -= 1 }
        wake(woken, session: key.session)
    }

    /// Returns the time by which a task that becomes due must be postponed, because its destination is paused or
    /// another task probes it; `nil` if it may be queued.
    ///
    /// In a paused session no task can probe the destination: all are queued, and wait for the session.
    package mutating func pause(
        of key: DestinationKey, for task: TaskID, at now: ContinuousClock.Instant
    ) -> Duration? {
        guard let index = indices[key.session], sessions[index].pauseReasons.isEmpty else { return nil }
        return destinations[key]?.pause(of: task, at: now)
    }

    // MARK: Retries

    /// Takes a retry token for a retry due now.
    ///
    /// - Parameter key: The destination, if the session has several.
    /// - Returns: `nil` when the retry may start, otherwise the time to postpone it.
    package mutating func takeRetry(
        session: String, to key: DestinationKey? = nil, at now: ContinuousClock.Instant
    ) -> Duration? {
        guard let index = indices[session] else { return nil }
        guard let key else { return sessions[index].gate.budget.take(at: now) }
        makeRoom(for: key, at: now)
        let rules = sessions[index].gate.rules
        return destinations[key, default: Destination(rules.retryBudget, at: now)].takeRetry(at: now)
    }

    /// Returns the token of a retry that was not queued after it had taken it.
    ///
    /// - Parameter key: The destination, if the session has several.
    package mutating func giveBackRetry(
        session: String, to key: DestinationKey? = nil, at now: ContinuousClock.Instant
    ) {
        if let key {
            destinations[key]?.budget.giveBack(at: now)
        } else if let index = indices[session] {
            sessions[index].gate.budget.giveBack(at: now)
        }
    }

    /// Returns the token of a successful retry of `task`; called before the slot of the task is released.
    package mutating func noteRetrySuccess(of task: TaskID, session: String, at now: ContinuousClock.Instant) {
        if let key = destined[task] {
            destinations[key]?.budget.noteSuccess(at: now)
        } else if let index = indices[session] {
            sessions[index].gate.budget.noteSuccess(at: now)
        }
    }

    /// Counts the first attempt of `task`, which adds retry tokens.
    package mutating func noteFirstAttempt(of task: TaskID, session: String, at now: ContinuousClock.Instant) {
        if let key = destined[task] {
            destinations[key]?.budget.noteFirstAttempt(at: now)
        } else if let index = indices[session] {
            sessions[index].gate.budget.noteFirstAttempt(at: now)
        }
    }
}
