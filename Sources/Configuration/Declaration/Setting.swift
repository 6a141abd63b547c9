import YAML

/// One setting, declared: everything that there is to know about it.
///
/// Reading, checking, printing, the reference page and the JSON Schema all come from declarations. A setting is one
/// stored property, whose initial value is the default, and one declaration beside it:
///
/// ```swift
/// var maxJSONBytes = 1 << 20
/// …
/// Setting("max_json", \.maxJSONBytes, .size(1024...64 << 20), "The largest JSON body of one task.")
/// ```
struct Setting<Owner: Sendable>: Sendable {
    /// What is told about it, apart from the type of its owner.
    let description: SettingDescription
    private let readValue: @Sendable (_ member: YAMLMember?, inout Owner, inout SettingReader) -> Void
    private let writeValue: @Sendable (Owner) -> YAMLNode?

    /// Declares a setting.
    ///
    /// - Parameters:
    ///   - name: The key in the file.
    ///   - property: Where the value is kept.
    ///   - type: How the value is read and written.
    ///   - reload: Whether a reload may change it.
    ///   - environment: The environment variable that wins over the file.
    ///   - isRequired: Whether the file has to have it: then it has no default.
    ///   - summary: What it does, in Markdown, for the reference page.
    init<Value: Sendable>(
        _ name: String, _ property: any WritableKeyPath<Owner, Value> & Sendable, _ type: SettingType<Value>,
        reload: SettingDescription.Reload = .live, environment: EnvironmentOverride? = nil, isRequired: Bool = false,
        _ summary: String
    ) {
        description = SettingDescription(
            name: name, shape: type.shape, summary: summary, reload: reload, environment: environment,
            isRequired: isRequired)
        readValue = { member, owner, reader in
            if member == nil, isRequired {
                reader.report("\(name) is required")
            }
            reader.enter(.key(name), member?.value) { reader in
                if let value = type.read(member?.value, owner[keyPath: property], &reader) {
                    owner[keyPath: property] = value
                }
            }
        }
        writeValue = { type.write($0[keyPath: property]) }
    }

    /// Declares a setting whose type depends on settings declared before it in the same group.
    ///
    /// - Parameters:
    ///   - isPrinted: Whether it is a part of the effective configuration; not so where its effect is in others.
    ///   - type: Makes the type from what has been read so far.
    init<Value: Sendable>(
        _ name: String, _ property: any WritableKeyPath<Owner, Value> & Sendable, initial: Owner,
        isPrinted: Bool = true, _ summary: String, type: @escaping @Sendable (Owner) -> SettingType<Value>
    ) {
        description = SettingDescription(name: name, shape: type(initial).shape, summary: summary, isPrinted: isPrinted)
        readValue = { member, owner, reader in
            reader.enter(.key(name), member?.value) { reader in
                if let value = type(owner).read(member?.value, owner[keyPath: property], &reader) {
                    owner[keyPath: property] = value
                }
            }
        }
        writeValue = { isPrinted ? type($0).write($0[keyPath: property]) : nil }
    }

    /// Declares a name under which there are more settings of the same structure.
    init(_ name: String, of group: SettingGroup<Owner>, _ summary: String) {
        description = SettingDescription(name: name, shape: .group(group.shape), summary: summary)
        readValue = { member, owner, reader in
            reader.enter(.key(name), member?.value) { reader in
                owner = group.read(member?.value, onto: owner, &reader)
            }
        }
        writeValue = { group.write($0) }
    }

    /// Declares a setting that has one value only.
    ///
    /// - Parameters:
    ///   - value: The value that may be written.
    ///   - unavailable: Values that are known, and refused as not available.
    init(constant name: String, _ value: String, unavailable: [String] = [], _ summary: String) {
        let type = SettingType<String>.word([value], unavailable: unavailable)
        description = SettingDescription(name: name, shape: type.shape, summary: summary)
        readValue = { member, _, reader in
            reader.enter(.key(name), member?.value) { reader in
                _ = type.read(member?.value, value, &reader)
            }
        }
        writeValue = { _ in type.write(value) }
    }

    /// The key in the file.
    var name: String { description.name }

    /// Reads the setting into its owner, which keeps its value where the file has none or a bad one.
    func read(_ member: YAMLMember?, into owner: inout Owner, _ reader: inout SettingReader) {
        readValue(member, &owner, &reader)
    }

    /// The value as the file would have it, or `nil` for a setting that is not printed.
    func write(_ owner: Owner) -> YAMLNode? {
        writeValue(owner)
    }
}
