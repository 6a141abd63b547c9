package import ErrandJSON
package import ErrandSessionCore
import ErrandYAML

extension ConfigurationPrinter {
    /// Writes the configuration of one session as a JSON object.
    ///
    /// It has the members and values of the file: every setting, including defaults, with secrets as `[redacted]`. The
    /// session for callbacks lacks the settings that have no effect in it.
    package static func write(_ session: SessionConfiguration, to writer: inout JSONWriter) {
        write(CallbackSessionSettings.write(session), to: &writer)
    }

    private static func write(_ node: YAMLNode, to writer: inout JSONWriter) {
        switch node.content {
        case .scalar(let scalar):
            write(scalar, to: &writer)
        case .sequence(let items):
            writer.beginArray()
            for item in items { write(item, to: &writer) }
            writer.endArray()
        case .mapping(let mapping):
            writer.beginObject()
            for member in mapping.members {
                writer.member(member.key)
                write(member.value, to: &writer)
            }
            writer.endObject()
        }
    }

    private static func write(_ scalar: YAMLScalar, to writer: inout JSONWriter) {
        if scalar.isNull {
            writer.null()
        } else if !scalar.isQuoted, scalar.text == "true" || scalar.text == "false" {
            writer.bool(scalar.text == "true")
        } else if !scalar.isQuoted, let number = Int(scalar.text) {
            writer.int(number)
        } else if !scalar.isQuoted, let number = Double(scalar.text), number.isFinite {
            writer.double(number)
        } else {
            writer.string(scalar.text)
        }
    }
}
