import Glibc
import JSON
import Logging
import TaskStore

/// Writes each log line to standard error at once, as JSON or as text, whole: lines of several threads do not mix.
struct StandardErrorLogHandler: LogHandler {
    /// How a line looks.
    enum Format: Sendable {
        /// One JSON object a line.
        case json
        /// For people.
        case text
    }

    let label: String
    let format: Format
    var metadata: Logger.Metadata = [:]
    private let threshold: LogThreshold
    /// The level that somebody has set for this handler alone.
    private var ownLevel: Logger.Level?

    /// - Parameter threshold: The least important level that is written.
    init(label: String, threshold: LogThreshold, format: Format) {
        self.label = label
        self.format = format
        self.threshold = threshold
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
        let merged = metadata.merging(event.metadata ?? [:]) { _, new in new }
        let fields = merged.sorted { $0.key < $1.key }.map { ($0.key, $0.value.description) }
        var line =
            switch format {
            case .json: json(event.level, event.message.description, fields)
            case .text: text(event.level, event.message.description, fields)
            }
        line.append(UInt8(ascii: "\n"))
        StandardStreams.write(line, to: STDERR_FILENO)
    }

    private func json(_ level: Logger.Level, _ message: String, _ fields: [(String, String)]) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("time")
        writer.string(Timestamp.now().description)
        writer.member("level")
        writer.string(level.rawValue)
        writer.member("message")
        writer.string(message)
        for (key, value) in fields {
            writer.member(key)
            writer.string(value)
        }
        writer.endObject()
        return writer.bytes
    }

    private func text(_ level: Logger.Level, _ message: String, _ fields: [(String, String)]) -> [UInt8] {
        let values = fields.map { " \($0)=\(Self.quoted($1))" }.joined()
        return Array("\(Timestamp.now()) \(level.rawValue) \(Self.oneLine(message))\(values)".utf8)
    }

    /// Control characters would let a value pretend to be a line of its own, or change what a terminal shows.
    private static func oneLine(_ text: String) -> String {
        var line = String.UnicodeScalarView()
        line.append(contentsOf: text.unicodeScalars.map { isInvisible($0) ? "\u{FFFD}" : $0 })
        return String(line)
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// Scalars are looked at, not characters: a quote with an accent is one for who reads the line by bytes.
    private static func quoted(_ value: String) -> String {
        let special: Set<Unicode.Scalar> = [" ", "\"", "=", "\\"]
        guard value.isEmpty || value.unicodeScalars.contains(where: special.contains) else { return oneLine(value) }
        var quoted = String.UnicodeScalarView()
        for scalar in oneLine(value).unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted.append("\\") }
            quoted.append(scalar)
        }
        return "\"\(String(quoted))\""
    }
}
