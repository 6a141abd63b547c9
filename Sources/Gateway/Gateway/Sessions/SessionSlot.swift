import ErrandTaskStore

/// The state of one session: the state set by operators, and its generations.
///
/// A generation is a session object with its connections, cookies and tokens. Attempts use the generation that was
/// current when they began; a reset or a new configuration replaces it, and the old one ends with its last attempt. A
/// session that is no longer configured has no current generation.
///
/// ```
/// current ──replaced──▶ retired ──its last attempt ends──▶ ended
/// ```
///
/// A value without I/O: it decides which generation is to be ended, and its owner ends it.
struct SessionSlot<Generation> {
    /// The state set by operators, as it is stored.
    private(set) var controlState: SessionControlState
    /// The current generation; `nil` if the session is not configured.
    private(set) var current: Generation?
    private var number = 0
    /// The number of attempts that use each generation.
    private var users: [Int: Int] = [:]
    private var retired: [Int: Generation] = [:]

    /// The current generation, and earlier ones that attempts still use.
    var alive: [Generation] { (current.map { [$0] } ?? []) + retired.values }

    /// Creates the slot of an open session.
    init(name: String, _ generation: Generation? = nil) {
        controlState = SessionControlState(name: name)
        current = generation
    }

    /// Applies an operator's change.
    mutating func apply(_ controlState: SessionControlState) {
        self.controlState = controlState
    }

    /// Records the start of an attempt.
    ///
    /// - Returns: The generation that it uses, and the number to end it with; `nil` if there is no current generation.
    mutating func begin() -> (generation: Generation, number: Int)? {
        guard let current else { return nil }
        users[number, default: 0] += 1
        return (current, number)
    }

    /// Records the end of an attempt.
    ///
    /// - Returns: The generation to end, if this was the last attempt of a retired one.
    mutating func end(_ number: Int) -> Generation? {
        guard let count = users[number] else { return nil }
        users[number] = count > 1 ? count - 1 : nil
        return count > 1 ? nil : retired.removeValue(forKey: number)
    }

    /// Replaces the current generation; `nil` for none.
    ///
    /// - Returns: The previous generation if no attempt uses it: it must be ended at once.
    mutating func replace(with generation: Generation?) -> Generation? {
        let former = current
        let isUsed = users[number] != nil
        if isUsed { retired[number] = former }
        current = generation
        number += 1
        return isUsed ? nil : former
    }
}

extension SessionSlot: Sendable where Generation: Sendable {}
