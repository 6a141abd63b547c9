import ErrandSessionCore
import ErrandSettings
import ErrandYAML
import HTTPTypes

/// The header fields of a session, which differ also if other ones are marked as secrets.
struct HeaderSettings: Sendable, Equatable {
    var fields: HTTPFields

    static func == (one: HeaderSettings, other: HeaderSettings) -> Bool {
        one.fields.isSame(as: other.fields)
    }
}

extension SessionConfiguration {
    /// The header fields as a setting.
    var headerSettings: HeaderSettings {
        get { HeaderSettings(fields: headers) }
        set { headers = newValue.fields }
    }
}

extension SettingType where Value == HeaderSettings {
    /// The type of header fields by name.
    ///
    /// They are added to the fields so far. An existing name gets the new value; null removes it.
    static var headers: SettingType {
        let value = ScalarShape(label: "text", expectation: "a header value")
        return SettingType(
            shape: .map(keys: "header names", .nullable(.scalar(value))),
            read: { node, base, reader in
                guard let node else { return nil }
                let mapping = reader.mapping(of: node)
                if InheritedEntries.reportExcess(of: mapping, to: &reader) { return nil }
                var fields = base?.fields ?? HTTPFields()
                var names: Set<HTTPField.Name> = []
                for member in mapping.members {
                    guard let name = HTTPField.Name(member.key) else {
                        reader.report("expected a header name: letters, digits and marks such as -", atKeyOf: member)
                        continue
                    }
                    if let reason = RequestHeaderRules.reasonToRefuse(name) {
                        reader.report(reason, atKeyOf: member)
                    } else if !names.insert(name).inserted {
                        reader.report("duplicate header; names are not case-sensitive", atKeyOf: member)
                    } else if member.value.isNull {
                        fields[fields: name] = []
                    } else if let text = field(member, expecting: value, reportingTo: &reader) {
                        var field = HTTPField(name: name, value: text)
                        // What the file does not contain is a secret, as in the tasks of schedules.
                        if reader.isInterpolated(member.value) { field.indexingStrategy = .disallow }
                        fields[fields: name] = [field]
                    }
                }
                return HeaderSettings(fields: fields)
            },
            write: { headers in
                .mapping(
                    headers.fields.map { field in
                        (field.name.rawName, HeaderRedaction.carriesSecret(field) ? .redacted : .text(field.value))
                    })
            })
    }

    private static func field(
        _ member: YAMLMember, expecting shape: ScalarShape, reportingTo reader: inout SettingReader
    ) -> String? {
        reader.enter(.key(member.key), node: member.value) { reader in
            guard let scalar = reader.scalar(of: member.value, expecting: shape) else { return nil }
            if let reason = RequestHeaderRules.reasonToRefuse(value: scalar.text) {
                reader.report(reason)
                return nil
            }
            return scalar.text
        }
    }
}
