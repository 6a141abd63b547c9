import ArgumentParser
import ErrandBodyFiles
import ErrandConfiguration
import ErrandCurlEngine
import ErrandGateway
import ErrandGatewayAPI
import ErrandHTTPServer
import ErrandLogOutput
import ErrandSettings
import ErrandTaskStore
import ErrandTaskStoreSQLite
import ErrandTime
import Foundation
import Glibc
import Logging
import MicroHTTPServer

/// `errand serve`: runs the gateway.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run the gateway.",
        discussion: """
            Stops at SIGTERM: everything goes on for server.stop_delay, while /readyz is 503. Then it accepts no more \
            tasks and waits for running ones to end (dispatcher.drain), while clients can read them. SIGINT (Ctrl-C) \
            stops it without the delay. A second such signal ends it at once, which loses nothing: what was accepted \
            is on disk.

            SIGHUP and errand reload reload the configuration: a bad file changes nothing, and what needs a restart \
            is logged. SIGUSR1 makes the log more verbose by one level; after trace it restores the configured level.
            """)

    @OptionGroup var file: ConfigurationOption

    func run() async throws {
        let signals = StopSignals()
        let reloads = RepeatedSignal(SIGHUP)
        let moreLog = RepeatedSignal(SIGUSR1)
        let loaded = try await file.loadForService()
        let threshold = LogThreshold(Logger.Level(loaded.configuration.logging.level))
        let writer = try LogWriter.standardError(LogFormat(loaded.configuration.logging.format))
        // Everything else has stopped by then; a reader that does not read the log delays the exit at most this long.
        defer { writer.finish(within: Patience.own.log) }
        let logger = Logger(label: "errand", loaded.configuration.logging, threshold: threshold, writer: writer)
        signals.beforeSecond { signal, status in
            logger.warning(
                "Ended at once by a second signal; the next start recovers the tasks that were running",
                metadata: [
                    "signal": .string(signal == SIGTERM ? "SIGTERM" : "SIGINT"), "status": .stringConvertible(status),
                ])
            writer.finish(within: Patience.own.lastLines)
        }
        let verbosity = Task { await threshold.increaseVerbosity(at: moreLog, logger: logger) }
        defer { verbosity.cancel() }
        for warning in RiskReport(loaded.configuration).others(of: loaded.warnings) {
            logger.warning("Risky setting", metadata: ["setting": "\(warning)"])
        }
        let files = OpenFileLimit.raise()
        var configuration = loaded.configuration
        for change in files.fit(&configuration) {
            logger.warning("Limit lowered to the maximum that the system allows", metadata: ["limit": "\(change)"])
        }
        if !CoreDumps.keepSecrets() { logger.warning("A core dump of this process would contain secrets") }
        do {
            let source = ConfigurationSource { [file] inForce throws(ConfigurationError) in
                var reloaded = try file.reload(replacing: inForce, within: files)
                reloaded.warnings = RiskReport(reloaded.configuration).others(of: reloaded.warnings)
                return reloaded
            }
            let sockets = ControlSocket.candidates(
                configuration: file.file, environment: ProcessInfo.processInfo.environment)
            let parts = try GatewayParts(configuration, source: source, controlSockets: sockets, logger)
            try await serve(parts, until: signals, reloadingOn: reloads, threshold: threshold, logger: logger)
        } catch {
            logger.critical("Gateway failed to start", metadata: ["reason": "\(error)"])
            // A person at a terminal need not find the reason in a line of JSON.
            if loaded.configuration.logging.format == .json {
                StandardStreams.writeError("errand: the gateway did not start: \(error)")
            }
            throw ExitCode.failure
        }
    }

    private func serve(
        _ parts: GatewayParts, until signals: StopSignals, reloadingOn reloads: RepeatedSignal, threshold: LogThreshold,
        logger: Logger
    ) async throws(StartError) {
        let isStarted = try await parts.start(unless: signals) { configuration in
            threshold.configure(Logger.Level(configuration.logging.level))
            RiskReport(configuration).log(to: logger)
        }
        guard isStarted else {
            logger.notice("Stopped during the start; no task was sent")
            return
        }
        let started = parts.gateway.configuration
        let listeners = await parts.server.addresses.map { $0.url(overTLS: started.server.tls != nil) }
        for url in listeners {
            logger.notice("Listening", metadata: ["url": "\(url)", "version": "\(Versions.errand)"])
        }
        StartReport(configuration: started, listeners: listeners).log(to: logger)
        let manager = ServiceManager(logger: logger)
        let watchdog = manager.start()
        defer { watchdog.cancel() }
        let reloading = Task {
            for await _ in reloads.arrivals {
                await manager.reload { await parts.gateway.reload() }
            }
        }
        let signal = await signals.first()
        let configuration = parts.gateway.configuration
        // A gateway that is stopped by Ctrl-C has no load balancer.
        let delay = signal == SIGINT ? .zero : configuration.server.stopDelay
        // Before the log line, so that its readers find the gateway draining.
        parts.gateway.prepareToClose()
        manager.stop()
        logger.notice(
            "Stopping",
            metadata: [
                "drain": "\(configuration.dispatcher.drain.shortText)", "stop_delay": "\(delay.shortText)",
            ])
        // Nothing cancels this task, so the sleep does not end early.
        try? await ContinuousClock().boundedSleep(for: delay)
        reloading.cancel()
        // The configuration may have been reloaded during the delay.
        let drain = parts.gateway.configuration.dispatcher.drain
        logger.notice(
            "Draining; no more tasks are accepted",
            metadata: [
                "attempts": .stringConvertible(parts.gateway.attemptsUnderWay),
                "drain": "\(drain.shortText)",
            ])
        await parts.stop(drain: drain)
        logger.notice("Stopped")
    }
}
