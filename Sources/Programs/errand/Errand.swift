import ArgumentParser

/// The `errand` program.
@main
struct Errand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "errand",
        abstract: "A REST gateway for outbound HTTP work.",
        version: Versions.errand,
        subcommands: [
            ServeCommand.self, CheckCommand.self, ConfigCommand.self, PinCommand.self, HealthCommand.self,
            ReloadCommand.self, BackupCommand.self, RestoreCommand.self, UpgradeCommand.self, EchoCommand.self,
            OpenAPICommand.self, VerifyCallbackCommand.self,
        ])
}
