import YAML

/// The reference page of all settings, made from their declarations.
package enum ConfigurationReference {
    /// The page as Markdown.
    package static func markdown() -> String {
        var page = introduction
        page += "\n## Environment variables\n\n"
        page += "`ERRAND_CONFIG` names the file. These win over what is in it; an empty one counts as none.\n\n"
        page += "| variable | setting | effect |\n| --- | --- | --- |\n"
        let shape = GatewayConfiguration.settings.shape
        for (keys, override) in shape.overrides() {
            page += "| `\(override.variable)` | `\(keys.joined(separator: "."))` | \(override.summary) |\n"
        }
        page += "\n## Settings\n"
        page += section(shape, path: "")
        return page
    }

    private static let introduction = """
        <!-- Made from the declarations in Sources/Configuration by `errand config --reference`: change them, not this. -->
        # Configuration

        Errand is configured by one YAML file. A file with a mistake never starts the gateway: `errand check` and \
        `errand serve` tell all mistakes at once, each with its line and column, and exit with status 78. \
        `errand config --print` shows the configuration in force, `errand config --schema` a JSON Schema for editors.

        - **Types.** A value is what its setting says, whatever it looks like: `http: 2` and `http: "2"` are the same. \
        Booleans are `true` and `false`. `null`, `~` and nothing are null where a setting takes it; a value in quotes \
        never is.
        - **Sizes** are bytes, `512`, `64KiB`, `8MiB`, `1GiB` or `1TiB`. **Durations** are `250ms`, `30s`, `5m`, `2h` \
        or `7d`; a bare number is seconds. **Rates** are a size for each second, `1KiB/s`, or, of requests, a number for each second, minute or hour, \
        `100/s`, `600/m` or `1000/h`.
        - **Interpolation.** In any value `${NAME}` is an environment variable, which has to be set; \
        `${NAME:-default}` is the default where it is unset or empty; `${file:/run/secrets/name}` is the content of a \
        file without the line feed at its end. `$$` is a dollar sign. What is put in is not looked at again.
        - **Sharing.** Anchors, aliases and merges (`<<`) work. Within limits: 4 MiB of text, 64 levels, 100,000 keys \
        and values with aliases expanded, 1 MiB for a value.
        - **Paths** are relative to the working directory. Files of certificates and keys are read and checked together \
        with the configuration; a reload reads them again.
        - **Versions.** The settings listed as not available are known names, refused until their feature exists, so \
        that none is ever ignored.

        """

    private static func section(_ group: SettingGroupShape, path: String) -> String {
        var text = "\n| setting | type | default | |\n| --- | --- | --- | --- |\n"
        for setting in group.settings {
            text += row(setting, path: path)
        }
        if !group.unavailable.isEmpty {
            let names = group.unavailable.map { "`\($0)`" }.joined(separator: ", ")
            text += "\nNot available in this version: \(names).\n"
        }
        // What is not printed has the settings of what it is a part of, and those have a section of their own.
        for setting in group.settings where setting.isPrinted {
            text += sections(of: setting.shape, path: join(path, setting.name))
        }
        return text
    }

    /// The sections of the groups that a shape holds.
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
