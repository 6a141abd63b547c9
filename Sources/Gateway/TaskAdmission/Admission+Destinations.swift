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

    /// The maximum number of remembered destinations, besides those with running attempts.
    static let rememberedDestinations = 4096

    /// Returns the number of slots of each destination: a quarter of the session's, at least one.
    static func slots(of concurrent: Int) -> Int { max(1, concurrent / 4) }

    /// Decides on a task with a destination, which already has its slot in the session.
    ///
    /// - Parameters:
    ///   - position: The task.
    ///   - key: Its destination.
    ///   - needsToken: True for a retry, which takes a token of its destination's budget when it begins.
    ///   - now: The present.
    mutating func begin(
        _ position: QueuePosition, to key: DestinationKey, needsToken: Bool, at now: ContinuousClock.Instant
    ) -> StartVerdict {
        guard let rules = indices[key.session].map({ sessions[$0].gate.rules }) else { return .begins }
        makeRoom(for: key, at: now)
        let slots = Self.slots(of: rules.limits.concurrent)
        let verdict = destinations[key, default: Destination(rules.retryBudget, at: now)]
            .begin(position, slots: slots, needsToken: needsToken, at: now)
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
            return .later(wait)
        case .lacksToken(let wait):
            // It does not use the slot for which it may have been woken.
            let woken = destinations[key]?.wakeForFreeSlots() ?? []
            wake(woken, session: key.session)
            return .lacksToken(wait)
        }
    }

    /// Returns true if the running attempt of a task counts for its destination and not for its session.
    package func isDestined(_ task: TaskID) -> Bool { destined[task] != nil }

    /// Removes idle destinations if there are too many to add another one.
    ///
    /// An eighth of them at once, as each removal looks at all: first those without state, then the least recently
    /// used.
    mutating func makeRoom(for key: DestinationKey, at now: ContinuousClock.Instant) {
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

    /// Returns the time since the last failure of a destination, while it keeps failing and is paused because of it;
    /// `nil` at any other time.
    ///
    /// A pause that it has asked for is no failure.
    package func failureAge(of key: DestinationKey, at now: ContinuousClock.Instant) -> Duration? {
        destinations[key]?.failureAge(at: now)
    }

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
}
