import ErrandSessionCore

/// The outcome of one attempt.
struct AttemptEnd: Sendable {
    /// The part to be stored.
    var result: AttemptResult
    /// The input of the retry decision; `nil` when no request was made.
    var attempt: EndedAttempt?
}
