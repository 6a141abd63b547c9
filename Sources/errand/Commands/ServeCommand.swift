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

            SIGHUP reloads the configuration: a bad file changes nothing, and what needs a restart is logged.
            """)

    @OptionGroup var file: ConfigurationOption

    func run() async throws {
        let signals = StopSignals()
        let reloads = ReloadSignals()
        let loaded = try await file.loadForService()
        let threshold = LogThreshold(Logger.Level(loaded.configuration.logging.level))
        let logger = Logger(label: "errand", loaded.configuration.logging, threshold: threshold)
        for warning in loaded.warnings {
            logger.warning("A risky setting", metadata: ["setting": "\(warning)"])
        }
        OpenFileLimit.raise()
        if !CoreDumps.keepSecrets() { logger.warning("A core dump of this process would hold secrets") }
        do {
            let source = ConfigurationSource { [file] inForce throws(ConfigurationError) in
                try file.reload(replacing: inForce)
            } didApply: { configuration in
                threshold.level = Logger.Level(configuration.logging.level)
            }
            let parts = try GatewayParts(loaded.configuration, source: source, logger)
            try await serve(parts, signals, reloads, logger)
        } catch {
            logger.critical("The gateway could not start", metadata: ["reason": "\(error)"])
            throw ExitCode.failure
        }
    }

    private func serve(
        _ parts: GatewayParts, _ signals: StopSignals, _ reloads: ReloadSignals, _ logger: Logger
    ) async throws(StartError) {
        try await parts.start()
        let isOverTLS = parts.gateway.configuration.server.tls != nil
        for address in await parts.server.addresses {
            let url = address.url(overTLS: isOverTLS)
            logger.notice("Listening", metadata: ["url": "\(url)", "version": "\(Versions.errand)"])
        }
        let reloading = Task {
            for await _ in reloads.arrivals { await parts.gateway.reload() }
        }
        await signals.first()
        reloading.cancel()
        // As the last reload wants it.
        let drain = parts.gateway.configuration.dispatcher.drain
        // Before it is told: who has read the line finds it true.
        parts.gateway.prepareToClose()
        logger.notice("Stopping", metadata: ["drain": "\(DurationText.format(drain))"])
        await parts.stop(drain: drain)
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
