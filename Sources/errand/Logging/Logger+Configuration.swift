import Configuration
import Logging

extension Logger {
    /// A logger as the configuration wants it.
    init(label: String, _ configuration: LoggingConfiguration) {
        let format: StandardErrorLogHandler.Format =
            switch configuration.format {
            case .json: .json
            case .text: .text
            }
        self.init(label: label) {
            StandardErrorLogHandler(label: $0, level: Level(configuration.level), format: format)
        }
    }
}

extension Logger.Level {
    fileprivate init(_ level: LoggingConfiguration.Level) {
        self =
            switch level {
            case .trace: .trace
            case .debug: .debug
            case .info: .info
            case .notice: .notice
            case .warning: .warning
            case .error: .error
            case .critical: .critical
            }
    }
}
