import ArgumentParser
import ErrandConfiguration
import ErrandCurlEngine
import ErrandTransfer

/// `errand health`: checks a running gateway, for a container's health check.
struct HealthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health", abstract: "Check the health of a running gateway; exit status 0 if it is alive.")

    @OptionGroup var file: ConfigurationOption

    @Option(help: "The gateway's URL. Default: the first configured address without client certificates.")
    var url: String?

    func run() async throws {
        let target = try target()
        let base = target.url
        let request: TransferRequest
        do {
            request = TransferRequest(
                url: try HTTPURL(base).resolving("/healthz"), timeouts: TransferTimeouts(total: Patience.own.health))
        } catch {
            throw ValidationError("invalid gateway URL \(base): \(error)")
        }
        let engine = try CurlEngine()
        let outcome = await engine.session(target.connection).perform(request, receiver: DiscardingReceiver())
        await engine.shutdown()
        if let error = outcome.error {
            StandardStreams.writeError("\(base): \(error.message)")
            throw ExitCode.failure
        }
        guard outcome.head?.status == 200 else {
            StandardStreams.writeError("\(base): status \(outcome.head?.status ?? 0)")
            throw ExitCode.failure
        }
    }

    private func target() throws -> HealthTarget {
        if let url { return HealthTarget(url: url) }
        guard let target = try HealthTarget(file.load().configuration.server) else {
            throw ValidationError(
                "each listening address requires a client certificate; add a Unix socket to server.listen")
        }
        return target
    }
}
