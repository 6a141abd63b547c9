import ErrandSessionCore
import ErrandSettings
import ErrandYAML

extension RetryConfiguration {
    static let settings = SettingGroup(
        RetryConfiguration(),
        [
            Setting(
                "max_attempts", \.maxAttempts, .integer(RetryConfiguration.maxAttemptsRange),
                "The most attempts of one task, including the first; 1 for no retries."),
            Setting("backoff", \.backoff, .group(Backoff.settings), "The delays between attempts."),
            Setting(
                "max_elapsed", \.maxElapsed, .duration(RetryConfiguration.maxElapsedRange),
                "The time from the start of the first attempt in which further attempts may start."),
            Setting(
                "methods", \.methods, .list(of: .method),
                """
                The methods whose requests may be sent again even if the upstream may have received them. Requests \
                with other methods are retried only if nothing was sent, or if they have an `Idempotency-Key`.
                """),
            Setting(
                "statuses", \.statuses.ranges, .list(of: .statusRange),
                """
                The statuses after which an attempt is retried, also those of redirects that the session does not \
                follow (`redirects`).
                """),
            Setting(
                "respect_retry_after", \.respectsRetryAfter, .boolean,
                """
                If true, all tasks of the session wait as long as the upstream asks for (`Retry-After`, \
                `RateLimit`), at most for `backoff.max`.
                """),
            Setting(
                "budget", \.budget, .group(Budget.settings),
                "The limit of retries in the session: a share of its attempts, plus a number per second."),
            Setting(
                "after_crash", \.afterCrash, .choice(),
                """
                The handling of attempts that were running when the process ended. `safe`: an attempt is repeated if \
                its request may be sent twice, and fails with `interrupted` otherwise. `resend`: it is repeated. \
                `fail`: it fails. The last attempt of `max_attempts` always fails: with `max_attempts: 1`, nothing is \
                repeated.
                """),
        ],
        shorthand: "max_attempts")
}

extension RetryConfiguration.Backoff {
    fileprivate static let settings = SettingGroup(
        RetryConfiguration.Backoff(),
        [
            Setting(
                "initial", \.initial, .duration(RetryConfiguration.Backoff.initialRange),
                "The first delay, at most `max`."),
            Setting(
                "multiplier", \.multiplier, .number(RetryConfiguration.Backoff.multiplierRange),
                "The factor by which each delay exceeds the previous one."),
            Setting(
                "max", \.max, .duration(RetryConfiguration.Backoff.maxRange),
                "The longest delay before `jitter`, which may lengthen it by that fraction."),
            Setting(
                "jitter", \.jitter, .number(RetryConfiguration.Backoff.jitterRange),
                "The fraction by which a delay is randomly extended or shortened."),
        ]
    ) { backoff, node, reader in
        guard backoff.initial > backoff.max, reader.isSound("initial"), reader.isSound("max") else { return }
        if node?.mapping?["initial"] != nil {
            reader.report(backoff.initialExcess, at: "initial", in: node)
        } else if node?.mapping?["max"] != nil {
            reader.report(backoff.maxDeficit, at: "max", in: node)
        }
    }
}

extension RetryConfiguration.Budget {
    fileprivate static let settings = SettingGroup(
        RetryConfiguration.Budget(),
        [
            Setting("ratio", \.ratio, .number(0...100), "The number of retries for each first attempt."),
            Setting(
                "min_per_second", \.minPerSecond, .number(RetryConfiguration.Budget.minPerSecondRange),
                """
                The number of retries per second that are always allowed, so that a session with few attempts can \
                still retry.
                """),
        ])
}
