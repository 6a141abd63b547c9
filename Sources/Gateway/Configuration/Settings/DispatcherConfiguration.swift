import ErrandSettings

/// The start of tasks: section `dispatcher`.
package struct DispatcherConfiguration: Sendable, Hashable {
    /// The most tasks that run at once, all sessions together.
    package var maxRunning = 512
    /// The most queued tasks in memory.
    package var window = 10_000
    /// The time that running tasks have to finish when the gateway stops.
    package var drain = Duration.seconds(20)
}

extension DispatcherConfiguration {
    static let settings = SettingGroup(
        DispatcherConfiguration(),
        [
            Setting(
                "max_running", \.maxRunning, .integer(1...100_000),
                "The most tasks that run at once in all sessions together."),
            Setting(
                "window", \.window, .integer(1...1_000_000),
                "The most queued tasks in memory; the others wait in the store."),
            Setting(
                "drain", \.drain, .duration(.zero...(.seconds(86_400))),
                """
                The time that running tasks have to finish when the gateway stops, after `server.stop_delay`; \
                afterwards they are interrupted. In this time clients can read tasks, but create none (503). The \
                default values of both end before the 30 seconds after which Kubernetes kills a container.
                """),
        ])
}
