import ErrandSettings

/// The retention of finished tasks: section `store.retention`.
package struct RetentionConfiguration: Sendable, Hashable {
    /// The time that succeeded tasks are kept after their end; `nil` for no limit.
    package var succeeded: Duration? = .seconds(86_400)
    /// The time that failed tasks are kept, so that users can inspect and retry them; `nil` for no limit.
    package var failed: Duration? = .seconds(7 * 86_400)
    /// The time that canceled tasks are kept; `nil` for no limit.
    package var canceled: Duration? = .seconds(86_400)
    /// The time that idempotency keys are kept after their first use.
    package var idempotencyKeys = Duration.seconds(86_400)
    /// The most finished tasks that are kept, 0 for no limit.
    ///
    /// The oldest ones beyond it are deleted.
    package var maxTasks = 0

    /// Creates a configuration with default values.
    package init() {}

    /// The longest of the retention times that have a limit.
    package var longest: Duration {
        [succeeded, failed, canceled].compactMap(\.self).reduce(idempotencyKeys, max)
    }
}

extension RetentionConfiguration {
    private static let range: ClosedRange<Duration> = .seconds(1)...(.seconds(10 * 365 * 86_400))

    static let settings = SettingGroup(
        RetentionConfiguration(),
        [
            Setting(
                "succeeded", \.succeeded, .nullable(.duration(range)),
                "The time that a succeeded task is kept after its end; null for no limit."),
            Setting(
                "failed", \.failed, .nullable(.duration(range)),
                "The time that a failed task is kept, so that users can inspect and retry it; null for no limit."),
            Setting(
                "canceled", \.canceled, .nullable(.duration(range)),
                "The time that a canceled task is kept; null for no limit."),
            Setting(
                "idempotency_keys", \.idempotencyKeys, .duration(range),
                """
                The time that an `Idempotency-Key` is remembered after its first use, also if its task is scheduled \
                for later: it should be longer than the longest delay of such tasks.
                """),
            Setting(
                "max_tasks", \.maxTasks, .integer(0...1_000_000_000),
                """
                The most finished tasks that are kept; beyond it the ones that ended first are deleted. 0 for no \
                limit.
                """),
        ])
}
