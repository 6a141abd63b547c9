import HTTPTypes
import SessionCore
import YAML

extension SettingType where Value == HTTPFields {
    /// Header fields by name.
    ///
    /// They are added to the ones so far; of a name that is there already the value is replaced, and null removes it.
    static var headers: SettingType {
        let value = ScalarShape(label: "text", expectation: "a header value")
        return SettingType(
            shape: .map(keys: "header names", .nullable(.scalar(value))),
            read: { node, base, reader in
                guard let node else { return nil }
                var fields = base ?? HTTPFields()
                var names: Set<HTTPField.Name> = []
                for member in reader.mapping(of: node).members {
                    guard let name = HTTPField.Name(member.key) else {
                        reader.report("expected a header name: letters, digits and marks such as -", atKeyOf: member)
                        continue
                    }
                    if let reason = RequestHeaderRules.reasonToRefuse(name) {
                        reader.report(reason, atKeyOf: member)
                    } else if !names.insert(name).inserted {
                        reader.report("the header is there already: case makes no difference", atKeyOf: member)
                    } else if member.value.isNull {
                        fields[fields: name] = []
                    } else if let text = field(member, value, &reader) {
                        fields[fields: name] = [HTTPField(name: name, value: text)]
                    }
                }
                return fields
            },
            write: { fields in
                .mapping(
                    fields.map { field in
                        let isSecret = HeaderRedaction.looksSecret(field.name)
                        return (field.name.rawName, isSecret ? .redacted : .text(field.value))
                    })
            })
    }

    private static func field(_ member: YAMLMember, _ shape: ScalarShape, _ reader: inout SettingReader) -> String? {
        reader.enter(.key(member.key), member.value) { reader in
            guard let scalar = reader.scalar(of: member.value, expecting: shape) else { return nil }
            if let reason = RequestHeaderRules.reasonToRefuse(value: scalar.text) {
                reader.report(reason)
                return nil
            }
            return scalar.text
        }
    }
}
