import YAML

/// The settings that fill one structure.
struct SettingGroup<Owner: Sendable>: Sendable {
    /// A check across settings: reports what is wrong with a value that was read from a node.
    typealias Check = @Sendable (_ value: Owner, _ node: YAMLNode?, _ reader: inout SettingReader) -> Void

    /// The structure with all its defaults.
    let initial: Owner
    /// The settings in the order in which they are read, printed and documented.
    let settings: [Setting<Owner>]
    /// Names of settings whose feature does not exist in this version: refused by name, so that they can be told from
    /// mistakes in writing.
    let unavailable: [String]
    /// What is told about the settings.
    let shape: SettingGroupShape
    let check: Check

    /// Declares a group.
    init(
        _ initial: Owner, _ settings: [Setting<Owner>], unavailable: [String] = [],
        check: @escaping Check = { _, _, _ in }
    ) {
        self.initial = initial
        self.settings = settings
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

    /// Reads a node onto a value: settings that the node does not have keep what the value has.
    func read(_ node: YAMLNode?, onto base: Owner, _ reader: inout SettingReader) -> Owner {
        var value = base
        let mapping = reader.mapping(of: node)
        for setting in settings {
            setting.read(mapping[setting.name], into: &value, &reader)
        }
        for member in mapping.members {
            refuse(member, &reader)
        }
        check(value, node, &reader)
        return value
    }

    /// The value as the file would have it.
    func write(_ value: Owner) -> YAMLNode {
        .mapping(settings.compactMap { setting in setting.write(value).map { (setting.name, $0) } })
    }

    /// Reports a member that no setting has taken.
    private func refuse(_ member: YAMLMember, _ reader: inout SettingReader) {
        let names = settings.map(\.name)
        guard !names.contains(member.key) else { return }
        if unavailable.contains(member.key) {
            reader.report("\(member.key) is not available in this version", atKeyOf: member)
        } else {
            reader.reportUnknown(member, among: names + unavailable)
        }
    }
}
