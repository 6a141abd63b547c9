import ArgumentParser
import BodyFiles
import Configuration
import CurlEngine
import Gateway
import Glibc
import HTTPServer
import Logging
import MicroHTTPServer
import TaskStore
import TaskStoreSQLite

/// `errand serve`: the gateway.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run the gateway.",
        discussion: """
            Stops at SIGTERM or SIGINT after the running tasks have ended (dispatcher.drain); a second signal ends it \
            at once, which loses nothing: what was accepted is on disk.
            """)

    @OptionGroup var file: ConfigurationOption

    func run() async throws {
        let signals = StopSignals()
        let loaded = try file.load()
        let configuration = loaded.configuration
        let logger = Logger(label: "errand", configuration.logging)
        for warning in loaded.warnings {
            logger.warning("A risky setting", metadata: ["setting": "\(warning)"])
        }
        OpenFileLimit.raise()
        do {
            try await serve(configuration, signals, logger)
        } catch {
            logger.critical("The gateway could not start", metadata: ["reason": "\(error)"])
            throw ExitCode.failure
        }
    }

    private func serve(
        _ configuration: GatewayConfiguration, _ signals: StopSignals, _ logger: Logger
    ) async throws(StartError) {
        let parts = try GatewayParts(configuration, logger)
        try await parts.start()
        for address in await parts.server.addresses {
            logger.notice("Listening", metadata: ["url": "http://\(address)/", "version": "\(Versions.errand)"])
        }
        await signals.first()
        logger.notice("Stopping", metadata: ["drain": "\(DurationText.format(configuration.dispatcher.drain))"])
        await parts.stop(drain: configuration.dispatcher.drain)
        logger.notice("Stopped")
    }
}

/// Why the gateway could not start, for the log.
struct StartError: Error, CustomStringConvertible {
    let description: String

    init(_ what: String, _ error: any Error) {
        description = "\(what): \(error)"
    }
}
