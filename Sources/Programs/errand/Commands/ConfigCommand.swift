import ArgumentParser
import ErrandConfiguration

/// `errand config`: shows the effective configuration or the available settings.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Show the effective configuration or the available settings.")

    @OptionGroup var file: ConfigurationOption

    @Flag(help: "The output: the effective configuration (default), the reference page or the JSON Schema.")
    var output: Output = .print

    enum Output: String, EnumerableFlag {
        /// The effective configuration as YAML, with defaults, and with secrets redacted.
        case print
        /// A reference of all settings, as Markdown.
        case reference
        /// The JSON Schema of the configuration file, for editors.
        case schema
    }

    func run() throws {
        switch output {
        case .print:
            try StandardStreams.write(ConfigurationPrinter.yaml(file.load().configuration))
        case .reference:
            // The page ends with a line break of its own.
            try StandardStreams.write(String(ConfigurationReference.markdown().dropLast()))
        case .schema:
            try StandardStreams.write(String(decoding: ConfigurationSchema.json(), as: UTF8.self))
        }
    }
}
