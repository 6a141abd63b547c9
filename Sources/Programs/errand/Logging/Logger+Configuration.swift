import ErrandConfiguration
import ErrandLogOutput
import Logging

extension Logger {
    /// Creates a logger from the configuration.
    ///
    /// - Parameters:
    ///   - threshold: The minimum level, which may change later.
    ///   - writer: The writer of its lines.
    init(label: String, _ configuration: LoggingConfiguration, threshold: LogThreshold, writer: LogWriter) {
        self.init(label: label) {
            StandardErrorLogHandler(
                label: $0, threshold: threshold, format: LogFormat(configuration.format), writer: writer)
        }
    }
}

extension LogFormat {
    /// Creates the format of the configuration.
    init(_ format: LoggingConfiguration.Format) {
        self =
            switch format {
            case .json: .json
            case .text: .text
            }
    }
}

extension Logger.Level {
    /// Creates the level with the same name.
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
