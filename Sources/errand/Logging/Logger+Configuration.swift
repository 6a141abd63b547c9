import Configuration
import Logging

extension Logger {
    /// A logger as the configuration wants it.
    ///
    /// - Parameter threshold: Its level, which may change later.
    init(label: String, _ configuration: LoggingConfiguration, threshold: LogThreshold) {
        let format: StandardErrorLogHandler.Format =
            switch configuration.format {
            case .json: .json
            case .text: .text
            }
        self.init(label: label) {
            StandardErrorLogHandler(label: $0, threshold: threshold, format: format)
        }
    }
}

extension Logger.Level {
    /// The level of the configuration, by the same name.
    init(_ level: LoggingConfiguration.Level) {
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
