import SessionCore

extension RetryRule {
    /// When a delivery that has failed is tried again, whatever the session that carries it says of its own tasks.
    ///
    /// | after attempt | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 |
    /// | --- | --- | --- | --- | --- | --- | --- | --- | --- |
    /// | pause | 5 s | 30 s | 2 min | 10 min | 1 h | 6 h | 24 h | it has failed |
    ///
    /// Each pause is up to a fifth shorter or longer, so that a receiver who comes back is not asked by all at once. One
    /// who says when to come back (`Retry-After`) is not asked before, for a day at most. 410 says that he wants no message any more; a
    /// redirect, and an address that the session does not allow, stay so: they end the delivery at once.
    static let callbacks = RetryRule(
        listed: [
            .seconds(5), .seconds(30), .seconds(120), .seconds(600), .seconds(3600), .seconds(6 * 3600),
            .seconds(24 * 3600),
        ], jitter: 0.2, final: [410])
}
