import CErrandMicroHTTPD
import ErrandEventLoop
import ErrandFiles
public import ErrandHTTPServer
public import Logging

/// An HTTP/1.1 server over libmicrohttpd.
///
/// One thread does all the I/O of a server, in an epoll loop of its own. ``HTTPHandler/admit(_:route:)`` runs on it
/// and must not block; asynchronous work runs in tasks while the connection is suspended, which costs no thread. A
/// handler's task is canceled when its client disconnects.
///
/// ```swift
/// let server = MicroHTTPServer(configuration: ServerConfiguration(), handler: router, logger: logger)
/// try await server.start()
/// print(await server.addresses)
/// await server.shutdown(drain: .seconds(10))
/// ```
///
/// ``run(drain:)`` is both calls in one, for a server that is a task of a program.
public actor MicroHTTPServer {
    private let loop: Result<ServerLoop, SystemFailure>
    private var phase = Phase.new
    /// Ends when the server has stopped; `nil` before ``shutdown(drain:)``.
    private var stopping: Task<Void, Never>?
    /// Ends the wait of ``run(drain:)`` when the server begins to stop; `nil` before that wait.
    private var stopAnnouncement: AsyncStream<Void>.Continuation?
    /// The addresses that the server listens on, with their actual ports; empty before ``start()``.
    public private(set) var addresses: [ListenAddress] = []

    private enum Phase {
        case new
        case running
        case stopped
    }

    /// Creates a server that does not listen yet.
    ///
    /// - Parameters:
    ///   - configuration: The addresses, limits and timeouts.
    ///   - handler: The application.
    ///   - logger: The logger for faults, and at debug level for libmicrohttpd's messages about misbehaving clients.
    ///   - onDescriptorsExhausted: A closure that can close descriptors that are not needed. It is called on the
    ///     server's thread, several times a second, while no connection can be accepted for lack of descriptors.
    public init(
        configuration: ServerConfiguration, handler: any HTTPHandler, logger: Logger,
        onDescriptorsExhausted: @escaping @Sendable () -> Void = {}
    ) {
        self.init(
            configuration: configuration, handler: handler, logger: logger,
            onDescriptorsExhausted: onDescriptorsExhausted, onEnd: {})
    }

    /// Creates a server that does not listen yet, for tests that wait for the ends of connections and requests.
    ///
    /// - Parameter onEnd: A closure that is called on any thread after ``statistics`` counts one of them less.
    package init(
        configuration: ServerConfiguration, handler: any HTTPHandler, logger: Logger,
        onDescriptorsExhausted: @escaping @Sendable () -> Void, onEnd: @escaping @Sendable () -> Void
    ) {
        do {
            loop = .success(
                ServerLoop(
                    configuration: configuration, handler: handler, logger: logger,
                    events: try EventLoop(name: "http-server"), onExhaustion: onDescriptorsExhausted,
                    onEnd: onEnd))
        } catch {
            loop = .failure(error)
        }
        self.configuration = configuration
    }

    private let configuration: ServerConfiguration

    /// Listens and serves until ``shutdown(drain:)``.
    ///
    /// A server can be started only once.
    ///
    /// - Throws: ``MicroHTTPServerError``; the server then listens on no address. Certificates are checked also if all
    ///   listeners are Unix sockets, which do not use them.
    public func start() async throws(MicroHTTPServerError) {
        guard phase == .new else { throw MicroHTTPServerError(.alreadyStarted) }
        guard !configuration.listeners.isEmpty else { throw MicroHTTPServerError(.invalidAddress) }
        phase = .stopped
        guard ConnectionReads.areJudged else { throw MicroHTTPServerError(.unjudgedReads) }
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
        } catch let error as SystemFailure {
            throw MicroHTTPServerError(.outOfResources, errorNumber: error.number)
        } catch {
            throw MicroHTTPServerError(.outOfResources)
        }
        phase = .running
    }

    /// Starts the server, serves until the calling Swift task is canceled, then stops as ``shutdown(drain:)`` does.
    ///
    /// ```swift
    /// try await withThrowingTaskGroup(of: Void.self) { group in
    ///     group.addTask { try await server.run() }
    ///     group.addTask { try await untilProgramShouldEnd() }
    ///     _ = try await group.next()  // throws the error of the one that ends first
    ///     group.cancelAll()
    /// }
    /// ```
    ///
    /// Returns when the server has stopped, also if that was the effect of another call of ``shutdown(drain:)``, whose
    /// drain then matters. The ``addresses`` are known once the server listens.
    ///
    /// - Parameter drain: The time for which requests may take to finish after the cancellation. Default: 10 s.
    /// - Throws: The error of ``start()``. A cancellation is no error.
    public func run(drain: Duration = .seconds(10)) async throws(MicroHTTPServerError) {
        try await start()
        let (end, announcement) = AsyncStream.makeStream(of: Void.self)
        stopAnnouncement = announcement
        // A shutdown may have come first. The loop ends with the stream, and with a cancellation.
        if phase == .running {
            for await _ in end {}
        }
        await shutdown(drain: drain)
    }

    /// Replaces the certificate of the server, and the authorities of client certificates.
    ///
    /// Connections that are accepted from now on show the new certificate. Open connections continue, and their next
    /// request is verified with the new authorities: it gets a 403 if the client has not sent a certificate of theirs.
    ///
    /// The certificates are checked, but not used, if all listeners are Unix sockets.
    ///
    /// - Throws: ``MicroHTTPServerError``: the server does not run with TLS, or the certificates are invalid. Nothing has
    ///   changed then.
    public func replaceTLS(with tls: ServerConfiguration.TLS) async throws(MicroHTTPServerError) {
        guard phase == .running, configuration.tls != nil, case .success(let loop) = loop else {
            throw MicroHTTPServerError(.noTLS)
        }
        let credentials = try TLSCredentials(tls)
        await loop.use(credentials)
    }

    /// The number of times that the thread has woken, for tests of an idle server.
    nonisolated var turns: Int {
        switch loop {
        case .success(let loop): loop.counters.turnCount
        case .failure: 0
        }
    }

    /// The current activity of the server.
    public nonisolated var statistics: ServerStatistics {
        switch loop {
        case .success(let loop): loop.counters.statistics
        case .failure: ServerStatistics(connections: 0, exchanges: 0, requests: 0)
        }
    }

    /// Stops listening, lets active requests finish, then cancels the remaining ones and stops.
    ///
    /// Connections without a request are closed at once, the others after their response. Returns when the thread has
    /// ended; handlers that ignore their cancellation may still run, and their responses are dropped.
    ///
    /// A later call waits for the end of the first one, and its `drain` does not matter. Before ``start()`` a call does
    /// nothing.
    ///
    /// - Parameter drain: The time for which requests may take to finish.
    public func shutdown(drain: Duration) async {
        if phase == .running, case .success(let loop) = loop {
            phase = .stopped
            stopping = Task { await loop.stop(drain: drain) }
            stopAnnouncement?.finish()
        }
        await stopping?.value
    }
}

extension MicroHTTPServer {
    /// The version of libmicrohttpd.
    public static var libraryVersion: String {
        MHD_get_version().map { String(cString: $0) } ?? "unknown"
    }
}
