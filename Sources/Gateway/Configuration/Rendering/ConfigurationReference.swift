import ErrandSettings

/// The reference page of all settings, generated from their declarations.
package enum ConfigurationReference {
    /// Returns the page as Markdown.
    package static func markdown() -> String {
        var page = introduction
        page += "\n## Environment variables\n\n"
        page += """
            The file is that of `--config` (`-c`), or of `ERRAND_CONFIG`, or `config.yaml` in the working directory. The \
            following variables replace settings of the file, or add to them; an empty variable counts as unset. \
            Others are described in [operations.md](operations.md#environment).


            """
        page += "| variable | setting | effect |\n| --- | --- | --- |\n"
        let shape = GatewayConfiguration.settings.shape
        for (keys, override) in shape.overrides() {
            let setting = keys.joined(separator: ".")
            page += "| `\(override.variable)` | `\(setting)` | \(override.summary) |\n"
            guard let file = override.fileVariable else { continue }
            let effect = "As `\(override.variable)`, with the content of the file at this path."
            page += "| `\(file)` | `\(setting)` | \(effect) |\n"
        }
        page += "\n## Settings\n"
        page += SettingTables.markdown(shape)
        return page
    }

    private static let introduction = """
        <!-- Generated from the declarations in Sources/Gateway/Configuration and Sources/Client/SessionSettings by `errand config --reference`: do not edit. -->
        # Configuration

        Errand is configured by one YAML file. The gateway does not start with an invalid file: `errand check` and \
        `errand serve` report all problems at once, each with its line and column and, for common mistakes, with the \
        remedy, and exit with status 78. `errand config --print` prints the effective configuration, `errand config \
        --schema` a JSON Schema for editors.

        - **Types.** The setting determines the type of a value, not its notation: `http: 2` and `http: "2"` are \
        equivalent. Booleans are `true` and `false`. `null`, `~` and an empty value are null if the setting accepts \
        null; quoted values never are.
        - **Sizes** are in bytes, `512`, `64KiB`, `8MiB`, `1GiB` or `1TiB`. **Durations** are `250ms`, `30s`, `5m`, \
        `2h` or `7d`; a bare number is in seconds. **Rates** are a size per second, `1KiB/s`, or, for requests, a \
        number per second, minute or hour, `100/s`, `600/m` or `1000/h`.
        - **Interpolation.** In any value `${NAME}` is replaced by an environment variable, which must be set; \
        `${NAME:-default}` is replaced by the default if the variable is unset or empty; `${file:/run/secrets/name}` \
        is replaced by the content of a file without its final line feed. `$$` is a dollar sign. A default or a path \
        cannot contain `${…}`, and inserted text is not interpolated again. A value without quotes is refused if it \
        is empty because a variable or a file is; with an empty default, `${NAME:-}`, it is null. A file has up to 1 \
        MiB and is read once, whatever the number of values that name it; all values with `${…}` together have up to \
        16 MiB.
        - **Sharing.** Anchors, aliases and merges (`<<`) are supported, up to these limits: 4 MiB of text, and after \
        expanding aliases 64 levels, 100,000 keys and values, 1 MiB for one value and 8 MiB for all of them.
        - **Paths** are relative to the working directory. Files of certificates and keys are read and validated \
        together with the configuration; a reload reads them again.
        - **Versions.** Settings that are listed as not available are refused until their feature exists, so that no \
        setting is ever ignored.

        """
}

/// A JSON Schema (draft 2020-12) of the configuration file, for editors; see ``SettingSchema``.
package enum ConfigurationSchema {
    /// Returns the schema as JSON text in UTF-8.
    package static func json() -> [UInt8] {
        SettingSchema.json(of: GatewayConfiguration.settings.shape, title: "Errand configuration")
    }
}
