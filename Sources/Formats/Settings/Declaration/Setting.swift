import ErrandYAML

/// The complete declaration of one setting.
///
/// Reading, validation, printing, the reference page and the JSON Schema all derive from declarations. A setting
/// consists of one stored property, whose initial value is the default, and one declaration next to it:
///
/// ```swift
/// var maxJSONBytes = 1 << 20
/// …
/// Setting("max_json", \.maxJSONBytes, .size(1024...64 << 20), "The largest JSON body of one task.")
/// ```
package struct Setting<Owner: Sendable>: Sendable {
    /// The description of the setting, independent of the type of its owner.
    let description: SettingDescription
    private let readValue: @Sendable (_ member: YAMLMember?, inout Owner, inout SettingReader) -> Void
    private let writeValue: @Sendable (Owner) -> YAMLNode?
    private let comparison: SettingComparison<Owner>

    /// Declares a setting.
    ///
    /// The name, property, type and summary have no labels, because every declaration gives them in this order.
    ///
    /// - Parameters:
    ///   - name: The key in the file.
    ///   - property: The property that stores the value.
    ///   - type: The type that reads and writes the value.
    ///   - reload: `.live` if a reload may change the setting, `.restart` if only a restart may.
    ///   - environment: The environment variable that takes precedence over the file.
    ///   - isRequired: True if the file must contain the setting. It then has no default.
    ///   - summary: The effect of the setting, in Markdown, for the reference page.
    package init<Value: Sendable & Equatable>(
        _ name: String, _ property: any WritableKeyPath<Owner, Value> & Sendable, _ type: SettingType<Value>,
        reload: SettingDescription.Reload = .live, environment: EnvironmentOverride? = nil, isRequired: Bool = false,
        _ summary: String
    ) {
        description = SettingDescription(
            name: name, shape: type.shape, summary: summary, reload: reload, environment: environment,
            isRequired: isRequired)
        readValue = { member, owner, reader in
            reader.enter(.key(name), node: member?.value) { reader in
                if let value = type.read(member?.value, owner[keyPath: property], &reader) {
                    owner[keyPath: property] = value
                }
            }
        }
        writeValue = { type.write($0[keyPath: property]) }
        comparison = .of(property, named: name, reload: reload) { _ in type }
    }

    /// Declares a setting whose type depends on settings declared before it in the same group.
    ///
    /// The name, property and summary have no labels, as in the declarations of other settings.
    ///
    /// - Parameters:
    ///   - isPrinted: False if the printed configuration omits the setting because its effect shows in other settings.
    ///   - isRequired: True if the file must contain the setting. It then has no default.
    ///   - type: Returns the type, given the values read so far.
    package init<Value: Sendable & Equatable>(
        _ name: String, _ property: any WritableKeyPath<Owner, Value> & Sendable, initial: Owner,
        isPrinted: Bool = true, isRequired: Bool = false, _ summary: String,
        type: @escaping @Sendable (Owner) -> SettingType<Value>
    ) {
        description = SettingDescription(
            name: name, shape: type(initial).shape, summary: summary, isRequired: isRequired, isPrinted: isPrinted)
        readValue = { member, owner, reader in
            reader.enter(.key(name), node: member?.value) { reader in
                if let value = type(owner).read(member?.value, owner[keyPath: property], &reader) {
                    owner[keyPath: property] = value
                }
            }
        }
        writeValue = { isPrinted ? type($0).write($0[keyPath: property]) : nil }
        comparison = isPrinted ? .of(property, named: name, reload: .live, type: type) : .none
    }

    /// Declares a nested group whose settings are stored in the same structure.
    package init(_ name: String, of group: SettingGroup<Owner>, _ summary: String) {
        description = SettingDescription(name: name, shape: .group(group.shape), summary: summary)
        readValue = { member, owner, reader in
            reader.enter(.key(name), node: member?.value) { reader in
                owner = group.read(member?.value, onto: owner, &reader)
            }
        }
        writeValue = { group.write($0) }
        let inner = group.comparison
        comparison = SettingComparison { former, new in
            inner.changes(former, new).map { $0.below(name) }
        } keepRestartOnly: { former, new in
            inner.keepRestartOnly(former, &new)
        }
    }

    /// The key in the file.
    var name: String { description.name }

    /// Reads the setting into its owner, which keeps its current value if the file has no valid one.
    func read(_ member: YAMLMember?, into owner: inout Owner, _ reader: inout SettingReader) {
        readValue(member, &owner, &reader)
    }

    /// Returns the value as a node of the file, or `nil` for a setting that is not printed.
    func write(_ owner: Owner) -> YAMLNode? {
        writeValue(owner)
    }

    /// Returns the changes between two structures: the setting itself, or settings below it.
    func changes(from former: Owner, to new: Owner) -> [SettingChange] {
        comparison.changes(former, new)
    }

    /// Restores the former value in the new structure if only a restart may change it.
    func keepRestartOnly(of former: Owner, in new: inout Owner) {
        comparison.keepRestartOnly(former, &new)
    }
}

extension SettingComparison {
    /// The comparison of a setting that is never compared because its effect shows in other settings.
    fileprivate static var none: SettingComparison {
        SettingComparison { _, _ in
            []
        } keepRestartOnly: { _, _ in
        }
    }

    /// Returns the comparison of one stored property.
    ///
    /// If the values differ but no setting below differs, the setting itself is reported. So no change is missed. The
    /// settings below are compared even if the values are equal, because `==` may ignore a difference between them.
    ///
    /// - Parameter reload: With `.restart`, everything below the setting needs a restart too.
    fileprivate static func of<Property: Sendable & Equatable>(
        _ property: any WritableKeyPath<Value, Property> & Sendable, named name: String,
        reload: SettingDescription.Reload, type: @escaping @Sendable (Value) -> SettingType<Property>
    ) -> SettingComparison {
        SettingComparison { former, new in
            let (one, other) = (former[keyPath: property], new[keyPath: property])
            guard reload == .live, let below = type(new).comparison?.changes(one, other), !below.isEmpty else {
                return one == other ? [] : [SettingChange(path: YAMLPath([.key(name)]), reload: reload)]
            }
            return below.map { $0.below(name) }
        } keepRestartOnly: { former, new in
            if reload == .restart {
                new[keyPath: property] = former[keyPath: property]
            } else {
                type(new).comparison?.keepRestartOnly(former[keyPath: property], &new[keyPath: property])
            }
        }
    }
}
