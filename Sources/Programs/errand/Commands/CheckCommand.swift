import ArgumentParser
import ErrandConfiguration
import ErrandSettings

/// `errand check`: validates a configuration and prints all problems.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check a configuration file.",
        discussion: """
            Prints every problem with its location, and the settings that give up a protection as warnings. The exit \
            status is 0 without problems, else 78. A valid configuration is summarized: listeners, store, sessions. \
            The file can be named without --config.
            """)

    @OptionGroup var file: ConfigurationOption

    @Argument(help: ArgumentHelp("The configuration file, as with --config.", valueName: "file"))
    var argument: String?

    func validate() throws {
        if argument != nil, file.path != nil {
            throw ValidationError("name the configuration file once, as an argument or with --config")
        }
    }

    func run() async throws {
        var file = file
        file.path = argument ?? file.path
        let loaded = try await file.loadForService()
        var warnings = loaded.warnings.map { $0.text(file: file.file) }
        let located = Set(loaded.warnings.map { "\($0.path)" })
        warnings += loaded.configuration.riskySettings.filter { !located.contains($0.path) }.map(\.description)
        if let missing = loaded.configuration.missingSessions {
            warnings.append("\(file.file): sessions: \(missing)")
        }
        for warning in warnings { StandardStreams.writeError("warning: \(warning)") }
        let lines = CheckReport(loaded.configuration).lines + ["warnings: \(warnings.count)"]
        try StandardStreams.write((["\(file.file): ok"] + lines).joined(separator: "\n"))
    }
}
