import ErrandConfiguration
import ErrandSettings
import Logging

/// The log lines about the risky settings in force, and about a configuration without sessions.
struct RiskReport {
    private let settings: [RiskySetting]
    private let missingSessions: String?

    /// The most settings in the line.
    private static let limit = 20

    /// Creates the report of a configuration.
    init(_ configuration: GatewayConfiguration) {
        settings = configuration.riskySettings
        missingSessions = configuration.missingSessions
    }

    private var listed: ArraySlice<RiskySetting> { settings.prefix(Self.limit) }

    /// Returns the warnings about settings that the first line does not list.
    func others(of warnings: [ConfigurationProblem]) -> [ConfigurationProblem] {
        let paths = Set(listed.map { $0.path })
        return warnings.filter { !paths.contains("\($0.path)") }
    }

    /// Logs a line about the risky settings, if there are some, and one about missing sessions.
    func log(to logger: Logger) {
        if let missingSessions {
            logger.warning("No session is configured", metadata: ["setting": "sessions: \(missingSessions)"])
        }
        guard !settings.isEmpty else { return }
        var metadata: Logger.Metadata = ["settings": .array(listed.map { .string($0.description) })]
        if settings.count > listed.count { metadata["omitted"] = .stringConvertible(settings.count - listed.count) }
        logger.warning("Risky settings are in force", metadata: metadata)
    }
}
