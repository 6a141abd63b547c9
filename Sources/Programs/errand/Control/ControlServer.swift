import ErrandFiles
import ErrandHTTPServer
import Logging
import MicroHTTPServer

/// The server of the control socket, which runs beside that for clients.
///
/// A gateway without it works: only the commands cannot ask the process.
actor ControlServer {
    private let candidates: [ControlSocket]
    private let handler: any HTTPHandler
    private let logger: Logger
    private var running: (server: MicroHTTPServer, socket: ControlSocket)?

    /// The most connections at a time; others wait.
    private static let maxConnections = 16

    /// Creates a server that does not listen yet.
    ///
    /// - Parameter candidates: The possible sockets, the preferred one first.
    init(candidates: [ControlSocket], handler: any HTTPHandler, logger: Logger) {
        self.candidates = candidates
        self.handler = handler
        self.logger = logger
    }

    /// Listens on the first socket that the system permits, and logs a warning if there is none.
    func start() async {
        guard running == nil else { return }
        var reasons: [String] = []
        for socket in candidates {
            do {
                try socket.prepareFolder()
                let server = server(at: socket)
                try await server.start()
                running = (server, socket)
                return
            } catch {
                reasons.append("\(error)")
                guard !Self.isInUse(error) else { break }
            }
        }
        logger.warning(
            "No control socket: errand health needs --url, and errand reload does not reach this process",
            metadata: ["reasons": .array(reasons.map { .string($0) })])
    }

    /// Stops listening, and ends the requests under way.
    func stop() async {
        guard let (server, socket) = running else { return }
        running = nil
        await server.shutdown(drain: .zero)
        socket.removeFolder()
    }

    private func server(at socket: ControlSocket) -> MicroHTTPServer {
        var configuration = ServerConfiguration(listeners: [.unix(path: socket.path, mode: 0o600)])
        configuration.limits.maxConnections = Self.maxConnections
        return MicroHTTPServer(configuration: configuration, handler: handler, logger: logger)
    }

    /// Returns true if another process listens: it was started with the same configuration file, and commands reach it.
    private static func isInUse(_ error: any Error) -> Bool {
        (error as? MicroHTTPServerError)?.isAddressInUse ?? false
    }
}
