import ArgumentParser
import Configuration
import CurlEngine
import Transfer

/// `errand health`: asks a running gateway whether it is alive, for a container's health check.
struct HealthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health", abstract: "Ask a running gateway whether it is alive; exit status 0 if so.")

    @OptionGroup var file: ConfigurationOption

    @Option(help: "The gateway's address. Default: the first listening address of the configuration.")
    var url: String?

    func run() async throws {
        let base = try url ?? file.load().healthAddress
        let request: TransferRequest
        do {
            request = TransferRequest(
                url: try HTTPURL(base).resolving("/healthz"), timeouts: TransferTimeouts(total: .seconds(5)))
        } catch {
            throw ValidationError("\(base) is no URL of a gateway: \(error)")
        }
        let engine = try CurlEngine()
        let outcome = await engine.session().perform(request, receiver: NoReceiver())
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
}

/// Wants nothing but the outcome.
private final class NoReceiver: TransferReceiver {
    func transferDidStart(_ control: any TransferControl) {}

    func transferDidReceive(_ head: ResponseHead) -> HeadDecision { .proceed }

    func transferDidReceive(_ bytes: RawSpan) -> ReceiveDecision { .more }
}

extension LoadedConfiguration {
    /// Where this machine reaches the first listening address: a wildcard address is reached by loopback.
    fileprivate var healthAddress: String {
        guard let address = configuration.server.listen.first else { return "http://127.0.0.1:8080/" }
        let host =
            switch address.host {
            case "0.0.0.0": "127.0.0.1"
            case "::": "[::1]"
            case let host: address.isIPv6 ? "[\(host)]" : host
            }
        return "http://\(host):\(address.port)/"
    }
}
