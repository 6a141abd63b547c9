/// How long tasks are kept that are done: section `store.retention`.
package struct RetentionConfiguration: Sendable, Hashable {
    /// Those that have succeeded, after their end; `nil` for ever.
    package var succeeded: Duration? = .seconds(86_400)
    /// Those that have failed: the list of what somebody should look at.
    package var failed: Duration? = .seconds(7 * 86_400)
    /// Those that were canceled.
    package var canceled: Duration? = .seconds(86_400)
    /// Idempotency keys, after their first use.
    package var idempotencyKeys = Duration.seconds(86_400)
    /// The most tasks that are kept done, 0 for any number; beyond them those that were done first go.
    package var maxTasks = 0

    /// Creates the configuration; everything has its default.
    package init() {}
}

extension RetentionConfiguration {
    private static let range: ClosedRange<Duration> = .seconds(1)...(.seconds(10 * 365 * 86_400))

    static let settings = SettingGroup(
        RetentionConfiguration(),
        [
            Setting(
                "succeeded", \.succeeded, .nullable(.duration(range)),
                "How long a task that has succeeded is kept after its end; null for ever."),
            Setting(
                "failed", \.failed, .nullable(.duration(range)),
                "How long a task that has failed is kept: the list of what somebody should look at, and may retry."),
            Setting("canceled", \.canceled, .nullable(.duration(range)), "How long a canceled task is kept."),
            Setting(
                "idempotency_keys", \.idempotencyKeys, .duration(range),
                "How long an `Idempotency-Key` is known after its first use."),
            Setting(
                "max_tasks", \.maxTasks, .integer(0...1_000_000_000),
                "The most tasks that are kept done; beyond them those that were done first go. 0 for any number."),
        ])
}
