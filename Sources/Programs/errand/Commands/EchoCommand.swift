import ArgumentParser
import ErrandConfiguration
import ErrandEcho
import ErrandLogOutput
import Logging
import MicroHTTPServer

/// `errand echo`: runs the sample upstream.
struct EchoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "echo", abstract: "Run a small sample upstream, for experiments and tests.",
        discussion: "GET / lists its endpoints.")

    @Option(help: "The address and port to listen on; port 0 lets the system choose.")
    var listen = "127.0.0.1:8081"

    func run() async throws {
        guard let parsed = TCPAddress(listen) else {
            throw ValidationError("--listen: expected an address and a port such as 127.0.0.1:8081, found \(listen)")
        }
        let address = ListenAddress.tcp(host: parsed.host, port: parsed.port)
        let threshold = LogThreshold(.info)
        let writer = try LogWriter.standardError(.text)
        defer { writer.finish(within: .seconds(1)) }
        let logger = Logger(label: "echo") {
            StandardErrorLogHandler(label: $0, threshold: threshold, format: .text, writer: writer)
        }
        let signals = StopSignals()
        var configuration = ServerConfiguration(listeners: [address])
        Patience.own.extendAll(&configuration.timeouts)
        let server = MicroHTTPServer(configuration: configuration, handler: try EchoHandler(), logger: logger)
        do {
            try await server.start()
        } catch {
            StandardStreams.writeError("errand echo: \(address): \(error)")
            throw ExitCode.failure
        }
        for address in await server.addresses {
            try StandardStreams.write("echo listens on http://\(address)/")
        }
        _ = await signals.first()
        await server.shutdown(drain: .seconds(1))
    }
}
