import ArgumentParser
import ErrandConfiguration
import ErrandCurlEngine
import ErrandJSON
import ErrandTime
import ErrandTransfer
import HTTPTypes

/// `errand health`: checks a running gateway, for a container's health check.
struct HealthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health", abstract: "Check the health of the running gateway.",
        discussion: """
            Asks the process that was started with this configuration file, over its control socket, whatever the file \
            says meanwhile and whether or not operations need a token. With --url it asks the gateway at a URL. If the \
            process has no control socket, and neither --control nor ERRAND_CONTROL names one, it asks at the first \
            configured address without client certificates.

            The exit status is 0 if the gateway is alive and its tasks run, else 1, with the reason on standard error; \
            64 is wrong usage.
            """)

    @OptionGroup var file: ConfigurationOption
    @OptionGroup var control: ControlOption

    @Option(help: "The gateway's URL, instead of the control socket.")
    var url: String?

    func run() async throws {
        if let url { return try await ask(HealthTarget(url: url)) }
        let client = control.client(configuration: file.file)
        switch try await client.send(.get, "/healthz", within: Patience.own.health) {
        case .response(let response):
            if let note = response.note { StandardStreams.writeError(note) }
            guard response.status != 200 else { return }
            let detail = response.document?.root.object?["detail"]?.string ?? "status \(response.status)"
            StandardStreams.writeError("not healthy: \(detail.visible)")
            throw ExitCode.failure
        case .late:
            StandardStreams.writeError("the gateway did not answer within \(Patience.own.health.shortText)")
            throw ExitCode.failure
        case .failed(let reason):
            StandardStreams.writeError("the gateway does not answer: \(reason)")
            throw ExitCode.failure
        case .ambiguous(let reason):
            StandardStreams.writeError(reason)
            throw ExitCode.failure
        case .notRunning(let reason):
            try await askConfigured(orFail: reason)
        }
    }

    /// Returns true for an address that only lacks `http://` to be a URL.
    private static func lacksScheme(_ text: String) -> Bool {
        !text.contains("://") && (try? HTTPURL("http://\(text)")) != nil
    }

    /// Asks at the address of the configuration file, unless the user has chosen a control socket.
    ///
    /// - Parameter reason: The message if there is no address to ask at.
    private func askConfigured(orFail reason: String) async throws {
        let target: HealthTarget?
        do {
            target = control.chosenPath == nil ? try HealthTarget(file.load().configuration.server) : nil
        } catch {
            // The problems of the file are printed already. Its status 78 is none that container engines know.
            target = nil
        }
        guard let target else {
            StandardStreams.writeError(reason)
            throw ExitCode.failure
        }
        try await ask(target)
    }

    private func ask(_ target: HealthTarget) async throws {
        let base = target.url
        let request: TransferRequest
        do {
            request = TransferRequest(
                url: try HTTPURL(base).resolving("/healthz"), timeouts: TransferTimeouts(total: Patience.own.health))
        } catch {
            let hint = Self.lacksScheme(base) ? "; begin it with http://" : ""
            throw ValidationError("invalid gateway URL \(base): \(error)\(hint)")
        }
        let engine = try CurlEngine()
        let outcome = await engine.session(target.connection).perform(request, receiver: DiscardingReceiver())
        await engine.shutdown()
        if let error = outcome.error {
            StandardStreams.writeError("\(base): \(error.message.visible)")
            throw ExitCode.failure
        }
        switch outcome.head?.status {
        case 200:
            return
        case 401:
            StandardStreams.writeError(
                "\(base): status 401: operations need a token (auth.protect_operations); ask the process without --url")
        case let status:
            StandardStreams.writeError("\(base): status \(status ?? 0)")
        }
        throw ExitCode.failure
    }
}
