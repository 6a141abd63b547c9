import ErrandSessionCore

extension RetryRule {
    /// The retry rule of callbacks; the retry configuration of the session that sends them does not apply.
    ///
    /// | after attempt | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 |
    /// | --- | --- | --- | --- | --- | --- | --- | --- | --- |
    /// | pause | 5 s | 30 s | 2 min | 10 min | 1 h | 6 h | 24 h | it has failed |
    ///
    /// Each pause is up to a fifth shorter or longer, so that a recovering receiver does not get all messages at once.
    /// A receiver's `Retry-After` extends the pause, to a day at most. The status 410 means that the receiver wants no
    /// more messages. It ends the delivery at once, as do redirects and addresses that the session does not allow,
    /// because these do not change.
    static let callbacks = RetryRule(
        listed: [
            .seconds(5), .seconds(30), .seconds(120), .seconds(600), .seconds(3600), .seconds(6 * 3600),
            .seconds(24 * 3600),
        ], jitter: 0.2, final: [410])
}
