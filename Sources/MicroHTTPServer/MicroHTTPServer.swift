import EventLoop
public import HTTPServer
public import Logging

/// An HTTP/1.1 server over libmicrohttpd.
///
/// One thread does all the I/O of a server, in an epoll loop of its own. ``HTTPHandler/admit(_:)`` runs on it and must
/// not wait; everything asynchronous runs in tasks, while the connection is suspended and costs nothing. A handler's
/// task is cancelled when its client leaves.
///
/// ```swift
/// let server = MicroHTTPServer(configuration: ServerConfiguration(), handler: router, logger: logger)
/// try await server.start()
/// print(await server.addresses)
/// await server.shutdown(drain: .seconds(10))
/// ```
public actor MicroHTTPServer {
    private let loop: Result<ServerLoop, EventLoopError>
    private var phase = Phase.new
    /// The addresses that the server listens on, with their real ports; empty before ``start()``.
    public private(set) var addresses: [ListenAddress] = []

    private enum Phase {
        case new
        case running
        case stopped
    }

    /// Creates a server that does not listen yet.
    ///
    /// - Parameters:
    ///   - configuration: Where to listen, and the limits.
    ///   - handler: What answers.
    ///   - logger: For faults, and at debug level what libmicrohttpd says about misbehaving clients.
    public init(configuration: ServerConfiguration, handler: any HTTPHandler, logger: Logger) {
        do {
            loop = .success(
                ServerLoop(
                    configuration: configuration, handler: handler, logger: logger,
                    events: try EventLoop(name: "http-server")))
        } catch {
            loop = .failure(error)
        }
        self.configuration = configuration
    }

    private let configuration: ServerConfiguration

    /// Listens and serves until ``shutdown(drain:)``.
    ///
    /// A server starts once.
    ///
    /// - Throws: ``MicroHTTPServerError``; the server listens nowhere then.
    public func start() async throws(MicroHTTPServerError) {
        guard phase == .new else { throw MicroHTTPServerError(.alreadyStarted) }
        guard !configuration.listeners.isEmpty else { throw MicroHTTPServerError(.invalidAddress) }
        phase = .stopped
        do {
            let loop = try loop.get()
            do {
                var bound: [ListenAddress] = []
                for address in configuration.listeners {
                    bound.append(try loop.listen(on: address))
                }
                try loop.events.start(loop)
                addresses = bound
            } catch {
                loop.abandon()
                throw error
            }
        } catch let error as MicroHTTPServerError {
            throw error
        } catch let error as EventLoopError {
            throw MicroHTTPServerError(.outOfResources, errorNumber: error.errorNumber)
        } catch {
            throw MicroHTTPServerError(.outOfResources)
        }
        phase = .running
    }

    /// How often the thread has woken, for tests that it does not when there is nothing to do.
    nonisolated var turns: Int {
        switch loop {
        case .success(let loop): loop.counters.turnCount
        case .failure: 0
        }
    }

    /// What the server is doing at the moment.
    public nonisolated var statistics: ServerStatistics {
        switch loop {
        case .success(let loop): loop.counters.statistics
        case .failure: ServerStatistics(connections: 0, exchanges: 0, requests: 0)
        }
    }

    /// Stops to listen, lets requests that have begun finish, then cancels what is left, and stops.
    ///
    /// Connections without a request are closed at once, the others after their answer. Returns when the thread has
    /// ended; handlers that do not heed their cancellation may still run, and their answers go nowhere.
    ///
    /// - Parameter drain: How long requests may take to finish.
    public func shutdown(drain: Duration) async {
        guard phase == .running, case .success(let loop) = loop else { return }
        phase = .stopped
        await loop.stop(drain: drain)
    }
}
