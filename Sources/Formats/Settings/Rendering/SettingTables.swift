import ErrandYAML

/// The tables of a reference page, generated from the declarations of settings.
package enum SettingTables {
    /// Returns a section in Markdown for the group at the root of a file, and one for each group within it.
    package static func markdown(_ shape: SettingGroupShape) -> String {
        section(shape, path: "")
    }

    private static func section(_ group: SettingGroupShape, path: String) -> String {
        var text = "\n| setting | type | default | |\n| --- | --- | --- | --- |\n"
        for setting in group.settings {
            text += row(setting, path: path)
        }
        if !group.unavailable.isEmpty {
            let names = group.unavailable.map { "`\($0)`" }.joined(separator: ", ")
            text += "\nNot available in this version: \(names).\n"
        }
        // A setting that is not printed has the settings of another one, which has its own section.
        for setting in group.settings where setting.isPrinted {
            text += sections(of: setting.shape, path: join(path, setting.name))
        }
        return text
    }

    /// Returns the sections of the groups within a shape.
    private static func sections(of shape: SettingShape, path: String) -> String {
        switch shape {
        case .group(let group), .oneOf(let group): "\n\(heading(path))\n" + section(group, path: path)
        case .list(let item, orSingle: false): sections(of: item, path: path + "[]")
        case .list(let item, orSingle: true), .nullable(let item): sections(of: item, path: path)
        case .map(_, let value): sections(of: value, path: path + ".NAME")
        case .either(let first, let second): sections(of: first, path: path) + sections(of: second, path: path)
        case .scalar, .document: ""
        }
    }

    private static func row(_ setting: SettingDescription, path: String) -> String {
        var summary = setting.summary
        if setting.reload == .restart { summary += " *A change needs a restart.*" }
        if setting.isRequired { summary += " *Required.*" }
        let cells = ["`\(setting.name)`", setting.shape.label, defaultText(setting), summary]
        return "| "
            + cells.map { $0.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|") }
            .joined(separator: " | ") + " |\n"
    }

    private static func defaultText(_ setting: SettingDescription) -> String {
        guard let value = setting.defaultValue, !isGroup(setting.shape) else { return "" }
        return "`\(YAMLWriter.text(of: value).dropLast())`"
    }

    private static func isGroup(_ shape: SettingShape) -> Bool {
        if case .group = shape { true } else { false }
    }

    private static func heading(_ path: String) -> String { "### `\(path)`" }

    private static func join(_ path: String, _ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }
}
