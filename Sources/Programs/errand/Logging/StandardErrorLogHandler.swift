import ErrandGateway
import ErrandGatewayAPI
import ErrandLogOutput
import Logging

/// A log handler that writes each line to standard error as a whole: lines of several threads do not mix.
struct StandardErrorLogHandler: LogHandler {
    let label: String
    let format: LogFormat
    var metadata: Logger.Metadata = [:]
    private let threshold: LogThreshold
    private let writer: LogWriter
    /// The level set for this handler alone.
    private var ownLevel: Logger.Level?

    /// - Parameters:
    ///   - threshold: The minimum level that is written.
    ///   - writer: The writer of the lines.
    init(label: String, threshold: LogThreshold, format: LogFormat, writer: LogWriter) {
        self.label = label
        self.format = format
        self.threshold = threshold
        self.writer = writer
    }

    var logLevel: Logger.Level {
        get { ownLevel ?? threshold.level }
        set { ownLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let own = event.metadata ?? [:]
        let merged = metadata.isEmpty ? own : metadata.merging(own) { _, new in new }
        let fields = merged.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        writer.write(
            format.line(event.level, message: event.message.description, fields: fields),
            as: event.source == AuditLog.source ? .audit : .ordinary, isUrgent: event.level >= .error)
    }
}

extension LogWriter {
    /// Returns a writer to standard error.
    ///
    /// - Parameter format: The format of the report of dropped lines.
    static func standardError(_ format: LogFormat) throws(StartError) -> LogWriter {
        do {
            return try LogWriter(.standardError) { losses in
                format.line(
                    .warning, message: "Log lines dropped; the reader of the log is too slow",
                    fields: [
                        ("audit_lines", .stringConvertible(losses.audit)),
                        ("other_lines", .stringConvertible(losses.ordinary)),
                    ])
            }
        } catch {
            throw StartError("cannot start the log thread", error)
        }
    }
}
