import SessionCore

extension RetryConfiguration {
    static let settings = SettingGroup(
        RetryConfiguration(),
        [
            Setting(
                "max_attempts", \.maxAttempts, .integer(RetryConfiguration.maxAttemptsRange),
                "The most attempts of one task, the first included; 1 for no retries."),
            Setting("backoff", \.backoff, .group(Backoff.settings), "How long to wait between two attempts."),
            Setting(
                "max_elapsed", \.maxElapsed, .duration(RetryConfiguration.maxElapsedRange),
                "The longest that attempts go on after the first one began."),
            Setting(
                "methods", \.methods, .list(of: .method),
                """
                The methods whose requests may be sent again when they may have arrived. Others are retried only when \
                nothing of the request was sent, or when it carries an `Idempotency-Key`.
                """),
            Setting(
                "statuses", \.statuses.ranges, .list(of: .statusRange),
                "The statuses after which it is worth trying again."),
            Setting(
                "respect_retry_after", \.respectsRetryAfter, .boolean,
                """
                Whether to do as the upstream says when it tells how long to wait (`Retry-After`, `RateLimit`): all tasks \
                of the session wait then.
                """),
            Setting(
                "budget", \.budget, .group(Budget.settings),
                "How many retries the session makes: a share of its attempts, and a number for each second besides."),
            Setting(
                "after_crash", \.afterCrash, .choice(),
                """
                What becomes of an attempt that was under way when the process ended. `safe`: it is made again when its \
                request may be sent twice, and fails with `interrupted` otherwise. `resend`: it is made again. `fail`: \
                it fails.
                """),
        ])
}

extension RetryConfiguration.Backoff {
    fileprivate static let settings = SettingGroup(
        RetryConfiguration.Backoff(),
        [
            Setting("initial", \.initial, .duration(RetryConfiguration.Backoff.initialRange), "The first pause."),
            Setting(
                "multiplier", \.multiplier, .number(RetryConfiguration.Backoff.multiplierRange),
                "What each pause is multiplied by for the next one."),
            Setting("max", \.max, .duration(RetryConfiguration.Backoff.maxRange), "The longest pause."),
            Setting(
                "jitter", \.jitter, .number(RetryConfiguration.Backoff.jitterRange),
                "The part of a pause by which it is made longer or shorter at random."),
        ])
}

extension RetryConfiguration.Budget {
    fileprivate static let settings = SettingGroup(
        RetryConfiguration.Budget(),
        [
            Setting("ratio", \.ratio, .number(0...100), "The retries for each first attempt."),
            Setting(
                "min_per_second", \.minPerSecond, .number(0.001...1_000_000),
                "The retries for each second, whatever else is attempted: a quiet session is never starved."),
        ])
}
