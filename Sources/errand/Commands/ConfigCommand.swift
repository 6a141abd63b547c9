import ArgumentParser
import Configuration

/// `errand config`: shows the configuration in force, and what can be configured.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Show the configuration in force, or what can be configured.")

    @OptionGroup var file: ConfigurationOption

    @Flag(help: "What to show: the effective configuration (the default), the reference page or the JSON Schema.")
    var output: Output = .print

    enum Output: String, EnumerableFlag {
        /// The effective configuration as YAML, defaults included, secrets redacted.
        case print
        /// Every setting, as Markdown.
        case reference
        /// The JSON Schema of the file, for editors.
        case schema
    }

    func run() throws {
        switch output {
        case .print:
            StandardStreams.write(ConfigurationPrinter.yaml(try file.load().configuration))
        case .reference:
            StandardStreams.write(ConfigurationReference.markdown())
        case .schema:
            StandardStreams.write(String(decoding: ConfigurationSchema.json(), as: UTF8.self))
        }
    }
}
