import SessionCore

/// What one attempt has come to.
struct AttemptEnd: Sendable {
    /// What is stored of it.
    var result: AttemptResult
    /// What decides about another one; `nil` when no request was made.
    var attempt: EndedAttempt?
}
