import ErrandConfiguration
import Logging

/// The log line about the risky settings in force.
struct RiskReport {
    private let settings: [RiskySetting]

    /// The most settings in the line.
    private static let limit = 20

    /// Creates the report of a configuration.
    init(_ configuration: GatewayConfiguration) {
        settings = configuration.riskySettings
    }

    private var listed: ArraySlice<RiskySetting> { settings.prefix(Self.limit) }

    /// Returns the warnings about settings that the line does not list.
    func others(of warnings: [ConfigurationProblem]) -> [ConfigurationProblem] {
        let paths = Set(listed.map { $0.path })
        return warnings.filter { !paths.contains("\($0.path)") }
    }

    /// Logs the line, unless there are no risky settings.
    func log(to logger: Logger) {
        guard !settings.isEmpty else { return }
        var metadata: Logger.Metadata = ["settings": .array(listed.map { .string($0.description) })]
        if settings.count > listed.count { metadata["omitted"] = .stringConvertible(settings.count - listed.count) }
        logger.warning("Risky settings are in force", metadata: metadata)
    }
}
