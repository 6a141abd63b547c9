import Locking
import Logging

/// Keeps what is logged.
final class RecordedLog: Sendable {
    /// One line of a log.
    struct Line: Sendable, Hashable {
        var level: Logger.Level
        var message: String
        var metadata: [String: String]

        /// The value of a key.
        subscript(key: String) -> String? { metadata[key] }
    }

    private let recorded = Mutex<[Line]>([])

    /// What was logged, in order.
    var lines: [Line] { recorded.withLock { $0 } }

    /// Logs to it, everything.
    var logger: Logger {
        Logger(label: "test") { _ in Handler(log: self) }
    }

    private struct Handler: LogHandler {
        let log: RecordedLog
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let merged = metadata.merging(event.metadata ?? [:]) { _, new in new }
            let line = Line(
                level: event.level, message: event.message.description, metadata: merged.mapValues(\.description))
            log.recorded.withLock { $0.append(line) }
        }
    }
}
