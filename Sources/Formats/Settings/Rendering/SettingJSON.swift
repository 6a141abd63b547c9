package import ErrandJSON
package import ErrandYAML

/// The values of settings as JSON.
package enum SettingJSON {
    /// Writes the node of a setting.
    ///
    /// A scalar without quotes that looks like a Boolean or a number is one.
    package static func write(_ node: YAMLNode, to writer: inout JSONWriter) {
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
