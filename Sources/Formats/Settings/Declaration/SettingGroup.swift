package import ErrandYAML

/// The settings that fill one structure.
package struct SettingGroup<Owner: Sendable>: Sendable {
    /// A check across settings, which reports problems of a value that was read from a node.
    package typealias Check = @Sendable (_ value: Owner, _ node: YAMLNode?, _ reader: inout SettingReader) -> Void

    /// The structure with all its defaults.
    let initial: Owner
    /// The settings in the order in which they are read, printed and documented.
    let settings: [Setting<Owner>]
    /// The names of settings whose feature does not exist in this version.
    ///
    /// They are refused with a message of their own, so that users can tell them from spelling mistakes.
    let unavailable: [String]
    /// The setting that a scalar in place of the group most likely means, for messages.
    let shorthand: String?
    /// The description of the settings.
    package let shape: SettingGroupShape
    package let check: Check

    /// Declares a group.
    package init(
        _ initial: Owner, _ settings: [Setting<Owner>], shorthand: String? = nil, unavailable: [String] = [],
        check: @escaping Check = { _, _, _ in }
    ) {
        self.initial = initial
        self.settings = settings
        self.shorthand = shorthand
        self.unavailable = unavailable
        self.check = check
        let descriptions = settings.map { setting in
            var description = setting.description
            if !description.isRequired, !description.shape.isSecret {
                description.defaultValue = setting.write(initial)
            }
            return description
        }
        shape = SettingGroupShape(settings: descriptions, unavailable: unavailable)
    }

    /// Returns the same settings with the defaults of another structure.
    package func starting(from initial: Owner) -> SettingGroup {
        SettingGroup(initial, settings, shorthand: shorthand, unavailable: unavailable, check: check)
    }

    /// Reads a node onto a value.
    ///
    /// Settings missing in the node keep their value from `base`.
    package func read(_ node: YAMLNode?, onto base: Owner, _ reader: inout SettingReader) -> Owner {
        var value = base
        let meant = shorthand.flatMap { reader.reasonToRefuse($0) == nil ? $0 : nil }
        let mapping = reader.mapping(of: node, shorthand: meant.map { ($0, isSecret: isSecret($0)) })
        // Text or a list in place of the group is one problem, and not also those of settings that are missing in it.
        let isReadable = node.map { $0.isNull || $0.mapping != nil } ?? true
        for member in mapping.members {
            refuse(member, &reader)
        }
        for setting in settings {
            let member = reader.reasonToRefuse(setting.name) == nil ? mapping[setting.name] : nil
            if member == nil, setting.description.isRequired, isReadable, reader.isSound(setting.name) {
                reader.report("\(setting.name) is required")
            }
            setting.read(member, into: &value, &reader)
        }
        if isReadable { check(value, node, &reader) }
        return value
    }

    private func isSecret(_ name: String) -> Bool {
        settings.contains { $0.name == name && $0.description.shape.isSecret }
    }

    /// Returns the value as a node of the file.
    package func write(_ value: Owner) -> YAMLNode {
        .mapping(settings.compactMap { setting in setting.write(value).map { (setting.name, $0) } })
    }

    /// Reports a member that does not match any setting, or one for which the program has no use.
    private func refuse(_ member: YAMLMember, _ reader: inout SettingReader) {
        let names = settings.map(\.name).filter { reader.reasonToRefuse($0) == nil }
        guard !names.contains(member.key) else { return }
        if let reason = reader.reasonToRefuse(member.key) {
            reader.report(reason, atKeyOf: member)
        } else if unavailable.contains(member.key) {
            reader.report("\(member.key) is not available in this version", atKeyOf: member)
        } else {
            reader.reportUnknown(member, among: names + unavailable)
        }
    }
}
