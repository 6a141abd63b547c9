import ArgumentParser
import Configuration

/// `errand check`: reads a configuration and says everything that is wrong with it.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check a configuration file.",
        discussion: "Prints every problem with its place. The exit status is 0 when there is none, 78 otherwise.")

    @OptionGroup var file: ConfigurationOption

    func run() async throws {
        let loaded = try await file.loadForService()
        for warning in loaded.warnings { StandardStreams.writeError("warning: \(warning.text(file: file.file))") }
        StandardStreams.write("\(file.file): ok")
    }
}
