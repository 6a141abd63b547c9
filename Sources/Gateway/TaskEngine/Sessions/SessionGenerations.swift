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
struct SessionGenerations<Generation> {
    /// The state set by operators, as it is stored.
    private(set) var controlState: SessionControlState
    /// The current generation; `nil` if the session is not configured.
    private(set) var current: Generation?
    /// The number of the current generation.
    private var number = 0
    /// The number of attempts that use the current generation.
    private var users = 0
    /// The earlier generations that attempts still use, by number.
    private var retired: [Int: (generation: Generation, users: Int)] = [:]

    /// The current generation, and earlier ones that attempts still use.
    var alive: [Generation] { (current.map { [$0] } ?? []) + retired.values.map { $0.generation } }

    /// Creates the state of an open session.
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
        users += 1
        return (current, number)
    }

    /// Records the end of an attempt.
    ///
    /// - Returns: The generation to end, if this was the last attempt of a retired one.
    mutating func end(_ number: Int) -> Generation? {
        guard number != self.number else {
            users = max(users - 1, 0)
            return nil
        }
        guard let former = retired[number] else { return nil }
        retired[number] = former.users > 1 ? (generation: former.generation, users: former.users - 1) : nil
        return former.users > 1 ? nil : former.generation
    }

    /// Replaces the current generation; `nil` for none.
    ///
    /// - Returns: The previous generation if no attempt uses it: it must be ended at once.
    mutating func replace(with generation: Generation?) -> Generation? {
        let former = current
        let isUsed = users > 0
        if isUsed, let former { retired[number] = (generation: former, users: users) }
        current = generation
        number += 1
        users = 0
        return isUsed ? nil : former
    }
}

extension SessionGenerations: Sendable where Generation: Sendable {}
