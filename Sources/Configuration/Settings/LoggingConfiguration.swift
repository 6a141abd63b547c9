/// What is logged: section `logging`.
package struct LoggingConfiguration: Sendable, Hashable {
    /// The least important messages that are logged.
    package var level = Level.info
    /// How they are written.
    package var format = Format.json

    /// How important a message is, by the names of swift-log.
    package enum Level: String, Sendable, Hashable, CaseIterable {
        /// Every step.
        case trace
        /// What helps to find a mistake.
        case debug
        /// What happens.
        case info
        /// What is worth a look.
        case notice
        /// What may go wrong.
        case warning
        /// What went wrong.
        case error
        /// What stops the gateway.
        case critical
    }

    /// How messages are written.
    package enum Format: String, Sendable, Hashable, CaseIterable {
        /// One JSON object a line.
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
                "The least important messages that are logged."),
            Setting("format", \.format, .choice(), reload: .restart, "One JSON object a line, or one line of text."),
        ])
}
