import TaskStore

/// The place of one session: what operators did to it, and its generations.
///
/// A generation is a session object with its connections, cookies and tokens. Attempts use the one that was in force
/// when they began; a reset or another configuration puts another in force, and the old one ends with its last attempt.
/// A session that is not configured any more has none in force.
///
/// ```
/// in force ──replaced──▶ retired ──its last attempt ends──▶ ended
/// ```
///
/// A value without I/O: it says which generation is to be ended, and its owner ends it.
struct SessionSlot<Generation> {
    /// What operators did, as it is stored.
    private(set) var mark: SessionMark
    /// The generation in force; `nil` when the session is not configured.
    private(set) var current: Generation?
    private var number = 0
    /// How many attempts use each generation that is used.
    private var users: [Int: Int] = [:]
    private var retired: [Int: Generation] = [:]

    /// The generation in force, and those before it that attempts still use.
    var alive: [Generation] { (current.map { [$0] } ?? []) + retired.values }

    /// Creates the place of an open session.
    init(name: String, _ generation: Generation? = nil) {
        mark = SessionMark(name: name)
        current = generation
    }

    /// Takes over what an operator did.
    mutating func apply(_ mark: SessionMark) {
        self.mark = mark
    }

    /// An attempt begins.
    ///
    /// - Returns: What it uses, and the number to end it by; `nil` when none is in force.
    mutating func begin() -> (generation: Generation, number: Int)? {
        guard let current else { return nil }
        users[number, default: 0] += 1
        return (current, number)
    }

    /// An attempt has ended.
    ///
    /// - Returns: The generation to end, when this was the last attempt of one that is not in force any more.
    mutating func end(_ number: Int) -> Generation? {
        guard let count = users[number] else { return nil }
        users[number] = count > 1 ? count - 1 : nil
        return count > 1 ? nil : retired.removeValue(forKey: number)
    }

    /// Puts another generation in force, or none.
    ///
    /// - Returns: The former one when nobody uses it: it is to be ended at once.
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
