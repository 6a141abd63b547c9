import ErrandSettings

/// Logging: section `logging`.
package struct LoggingConfiguration: Sendable, Hashable {
    /// The lowest level that is logged.
    package var level = Level.info
    /// The format of log messages.
    package var format = Format.json
    /// True if each request of the API is logged.
    package var access = false
    /// True if the end of each task is logged; otherwise only failures are, the first of those that are alike.
    package var taskEnds = false

    /// The level of a log message, named as in swift-log.
    package enum Level: String, Sendable, Hashable, CaseIterable {
        /// Every step.
        case trace
        /// Details for debugging.
        case debug
        /// Regular events.
        case info
        /// Regular events that deserve attention.
        case notice
        /// Conditions that may lead to errors.
        case warning
        /// Errors.
        case error
        /// Errors that stop the gateway.
        case critical
    }

    /// The format of log messages.
    package enum Format: String, Sendable, Hashable, CaseIterable {
        /// One JSON object per line.
        case json
        /// One line of text.
        case text
    }
}

extension LoggingConfiguration {
    static let settings = SettingGroup(
        LoggingConfiguration(),
        [
            Setting(
                "level", \.level, .choice(), environment: .value("ERRAND_LOG_LEVEL"),
                "The lowest level that is logged."),
            Setting("format", \.format, .choice(), reload: .restart, "One JSON object per line, or one line of text."),
            Setting(
                "access", \.access, .boolean,
                """
                If true, each request of the API is logged when its response has ended, at the level `info`; requests \
                of `/healthz`, `/readyz` and `/metrics` at the level `debug`.
                """),
            Setting(
                "task_ends", \.taskEnds, .boolean,
                """
                If true, the end of each task is logged: at the level `info`, or as a warning if the task has failed. \
                If false, only failures are logged, and of those of a session with the same code only the first ten \
                of a minute; the others are counted.
                """),
        ])
}
