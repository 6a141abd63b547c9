import ArgumentParser
import ErrandConfiguration

/// `errand check`: validates a configuration and prints all problems.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check a configuration file.",
        discussion: "Prints every problem with its location. The exit status is 0 without problems, else 78.")

    @OptionGroup var file: ConfigurationOption

    func run() async throws {
        let loaded = try await file.loadForService()
        for warning in loaded.warnings { StandardStreams.writeError("warning: \(warning.text(file: file.file))") }
        StandardStreams.write("\(file.file): ok")
    }
}
