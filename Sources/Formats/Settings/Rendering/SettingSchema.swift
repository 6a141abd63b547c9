import ErrandJSON
import ErrandYAML

/// The JSON Schema (draft 2020-12) of a file of settings, for editors, generated from the declarations.
///
/// It is as strict as possible without refusing a valid file: it accepts interpolated values, and numbers and Booleans
/// in quotes, whose range it does not check, and does not contain checks across settings.
package enum SettingSchema {
    /// Returns the schema as JSON text in UTF-8.
    ///
    /// - Parameters:
    ///   - shape: The settings, from the root of the file.
    ///   - title: The title of the schema.
    package static func json(of shape: SettingGroupShape, title: String) -> [UInt8] {
        var writer = JSONWriter(capacity: 32 << 10)
        writer.beginObject()
        writer.member("$schema", "https://json-schema.org/draft/2020-12/schema")
        writer.member("title", title)
        writer.member("$defs")
        writer.object { writer in
            writer.member("interpolated")
            writer.object { writer in
                writer.member("type", "string")
                writer.member("pattern", #"\$\{"#)
            }
        }
        writer.group(shape)
        writer.endObject()
        return writer.bytes
    }
}

extension JSONWriter {
    /// Writes the members of the schema of a group.
    ///
    /// - Parameter isNullable: True if an empty value stands for all defaults.
    fileprivate mutating func group(_ group: SettingGroupShape, isNullable: Bool = true) {
        if isNullable {
            array("type") { writer in
                writer.string("object")
                writer.string("null")
            }
        } else {
            type("object")
        }
        member("additionalProperties", false)
        let required = group.settings.filter(\.isRequired)
        if !required.isEmpty {
            array("required") { writer in required.forEach { writer.string($0.name) } }
        }
        member("properties")
        object { writer in
            for setting in group.settings {
                writer.member(setting.name)
                writer.object { $0.setting(setting) }
            }
        }
    }

    private mutating func setting(_ setting: SettingDescription) {
        member("description", setting.summary)
        if case .group = setting.shape {
            // A group's default is made of the defaults of its settings.
        } else if let value = setting.defaultValue {
            member("default")
            value.write(to: &self)
        }
        shape(setting.shape)
    }

    private mutating func shape(_ shape: SettingShape) {
        switch shape {
        case .group(let group):
            self.group(group)
        case .oneOf(let group):
            self.group(group, isNullable: false)
            // The group's schema already has the members; only their number is missing.
            member("minProperties", 1)
            member("maxProperties", 1)
        case .either(let first, let second):
            anyOf { writer in
                writer.object { $0.shape(first) }
                writer.object { $0.shape(second) }
            }
        case .scalar(let scalar):
            self.scalar(scalar)
        case .nullable(let shape):
            anyOf { writer in
                writer.object { $0.shape(shape) }
                writer.object { $0.type("null") }
            }
        case .list(let item, orSingle: false):
            list(of: item)
        case .list(let item, orSingle: true):
            anyOf { writer in
                writer.object { $0.shape(item) }
                writer.object { $0.list(of: item) }
            }
        case .document:
            type("object")
        case .map(_, let value):
            array("type") { writer in
                writer.string("object")
                writer.string("null")
            }
            member("additionalProperties")
            object { $0.shape(value) }
        }
    }

    private mutating func scalar(_ scalar: ScalarShape) {
        anyOf { writer in
            switch scalar.constraint {
            case .none:
                // Text that looks like a number or a boolean needs no quotes.
                for type in ["string", "number", "boolean"] { writer.object { $0.type(type) } }
            case .boolean:
                writer.object { $0.type("boolean") }
                writer.object { writer in
                    writer.array("enum") { writer in
                        writer.string("true")
                        writer.string("false")
                    }
                }
            case .integer(let range):
                writer.object { $0.integer(range.lowerBound, range.upperBound) }
                writer.object { $0.text("^-?[0-9]+$") }
            case .number(let range):
                writer.object { writer in
                    writer.type("number")
                    writer.member("minimum", range.lowerBound)
                    writer.member("maximum", range.upperBound)
                }
                writer.object { $0.text(#"^([0-9]+\.?[0-9]*|\.[0-9]+)$"#) }
            case .words(let words):
                writer.object { writer in
                    writer.array("enum") { writer in
                        words.forEach { writer.string($0) }
                        words.filter { Double($0) != nil }.forEach { writer.raw($0.utf8) }
                    }
                }
            case .pattern(let pattern, let orInteger):
                writer.object { $0.text(pattern) }
                if orInteger { writer.object { $0.integer(0, nil) } }
            }
            writer.object { writer in
                writer.member("$ref", "#/$defs/interpolated")
            }
        }
    }

    private mutating func list(of item: SettingShape) {
        type("array")
        member("items")
        object { $0.shape(item) }
    }

    private mutating func integer(_ minimum: Int, _ maximum: Int?) {
        type("integer")
        member("minimum", minimum)
        guard let maximum else { return }
        member("maximum", maximum)
    }

    private mutating func text(_ pattern: String) {
        type("string")
        member("pattern", pattern)
    }

    private mutating func type(_ name: String) {
        member("type", name)
    }

    private mutating func anyOf(_ schemas: (inout JSONWriter) -> Void) {
        array("anyOf", schemas)
    }
}

extension YAMLNode {
    /// Writes a default as JSON.
    ///
    /// Scalars other than null are text, which every setting takes.
    fileprivate func write(to writer: inout JSONWriter) {
        switch content {
        case .scalar(let scalar):
            writer.string(scalar.isNull ? nil : scalar.text)
        case .sequence(let items):
            writer.beginArray()
            items.forEach { $0.write(to: &writer) }
            writer.endArray()
        case .mapping(let mapping):
            writer.beginObject()
            for member in mapping.members {
                writer.member(member.key)
                member.value.write(to: &writer)
            }
            writer.endObject()
        }
    }
}
