import ErrandLocking
import Logging

/// A log that records its lines.
final class RecordedLog: Sendable {
    /// A line of the log.
    struct Line: Sendable, Hashable {
        var level: Logger.Level
        var message: String
        var metadata: [String: String]

        /// Returns the value of a key.
        subscript(key: String) -> String? { metadata[key] }
    }

    private let recorded = Mutex<[Line]>([])

    /// The lines, in order.
    var lines: [Line] { recorded.withLock { $0 } }

    /// A logger of all levels that writes to it.
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
