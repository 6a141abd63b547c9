import ErrandJSON
import ErrandTime
import Logging

/// The format of log lines.
enum LogFormat: Sendable {
    /// One JSON object per line.
    case json
    /// Text for humans.
    case text

    /// The members of each JSON line, which no value of a message may repeat.
    private static let ownNames: Set<String> = ["time", "level", "message"]

    /// Names and values of a line, in order.
    typealias Fields = [(String, Logger.MetadataValue)]

    /// Returns a log line, with its line feed.
    ///
    /// - Parameter fields: Names and values, in order. In JSON, values have the types that the caller gave them; see
    ///   `JSONWriter.metadata(_:)`. The names `time`, `level` and `message` get the prefix `metadata_`.
    func line(_ level: Logger.Level, message: String, fields: Fields) -> [UInt8] {
        var line =
            switch self {
            case .json: Self.json(level, message: message, fields: fields)
            case .text: Self.text(level, message: message, fields: fields)
            }
        line.append(UInt8(ascii: "\n"))
        return line
    }

    private static func json(_ level: Logger.Level, message: String, fields: Fields) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("time")
        writer.plainString { Timestamp.now().write(to: &$0) }
        writer.member("level", level.rawValue)
        writer.member("message", message)
        for (key, value) in fields {
            writer.member(Self.ownNames.contains(key) ? "metadata_\(key)" : key)
            writer.metadata(value)
        }
        writer.endObject()
        return writer.bytes
    }

    private static func text(_ level: Logger.Level, message: String, fields: Fields) -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(512)
        Timestamp.now().write(to: &line)
        line.append(UInt8(ascii: " "))
        line.append(contentsOf: level.rawValue.utf8)
        line.append(UInt8(ascii: " "))
        line.append(contentsOf: message.visible.utf8)
        for (key, value) in fields {
            line.append(UInt8(ascii: " "))
            line.append(contentsOf: key.utf8)
            line.append(UInt8(ascii: "="))
            line.append(contentsOf: quoted(value.description).utf8)
        }
        return line
    }

    /// Examines scalars, not characters, so that a quote with a combining accent is escaped too.
    private static func quoted(_ value: String) -> String {
        guard value.isEmpty || value.unicodeScalars.contains(where: isSpecial) else { return value.visible }
        var quoted = String.UnicodeScalarView()
        for scalar in value.visible.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted.append("\\") }
            quoted.append(scalar)
        }
        return "\"\(String(quoted))\""
    }

    /// Returns true for a scalar with which a value must be quoted.
    private static func isSpecial(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case " ", "\"", "=", "\\": true
        default: false
        }
    }
}
