package import BodyFiles
package import Configuration
import Digest
package import HTTPServer
package import Logging
package import SessionCore
import Synchronization
package import TaskStore
package import Transfer

/// The gateway put together: sessions, dispatcher and endpoints around a store, behind one handler.
///
/// It knows neither which server asks the handler, nor which store and transports it was given.
package final class Gateway: Sendable {
    /// What answers clients.
    package let handler: any HTTPHandler
    private let store: any TaskStore
    private let sessions: SessionCatalog
    private let dispatcher: Dispatcher
    private let isDraining: Flag

    private final class Flag: Sendable {
        private let state = Atomic(false)

        var isSet: Bool { state.load(ordering: .relaxed) }

        func set() { state.store(true, ordering: .relaxed) }
    }

    /// Puts a gateway together.
    ///
    /// It starts no task until ``open()``.
    ///
    /// - Parameters:
    ///   - uploads: Opens the files that tasks send; without it they send none.
    ///   - versions: What `/version` says: names and versions of the program and its libraries.
    ///   - now: The clock.
    ///   - clock: Measures how long tasks are suspended, and the time between probes.
    ///   - transport: Makes the transport of a session; asked again when a session is reset.
    package init(
        configuration: GatewayConfiguration, store: any TaskStore, bodies: BodyFiles,
        uploads: (any UploadFiles)? = nil, versions: [(name: String, version: String)], logger: Logger,
        clock: any Clock<Duration> = ContinuousClock(), now: @escaping @Sendable () -> Timestamp = Timestamp.now,
        transport: @escaping @Sendable (SessionConfiguration) -> any Transport
    ) throws(RouteError) {
        let sessions = SessionCatalog(
            configuration.sessions, defaultName: configuration.defaultSession,
            factory: SessionFactory(
                cookies: store, uploads: uploads, clock: clock, now: now, logger: logger, transport: transport),
            logger: logger)
        let dispatcher = Dispatcher(
            store: store, sessions: sessions, bodies: bodies, maxRunning: configuration.dispatcher.maxRunning,
            window: configuration.dispatcher.window, now: now, logger: logger)
        let draining = Flag()
        let tasks = TaskEndpoints(
            dispatcher: dispatcher,
            limits: RequestLimits(
                maxJSONBytes: configuration.server.maxJSONBytes, maxDepth: configuration.server.maxDepth,
                maxWait: configuration.server.maxWait),
            ids: TaskIDGenerator(now: now), logger: logger)
        let operations = OperationEndpoints(store: store, versions: versions) { draining.isSet }
        let sessionEndpoints = SessionEndpoints(
            dispatcher: dispatcher,
            operations: SessionOperations(dispatcher: dispatcher, sessions: sessions, logger: logger), logger: logger)
        let router = try Router(
            routes: tasks.routes + BodyEndpoint(dispatcher: dispatcher, logger: logger).routes
                + sessionEndpoints.routes + operations.routes,
            miss: RouteMiss.answer)
        let tokens = configuration.auth.tokens.map(AccessToken.init)
        let access = AccessControl(
            inner: router, tokens: tokens, protectsOperations: configuration.auth.protectsOperations)
        let browsers = BrowserRules(
            inner: access, corsOrigins: Set(configuration.server.cors.origins),
            hosts: tokens.isEmpty && !configuration.auth.allowsAnonymous ? HostNames(configuration.server) : nil)
        handler = RequestIdentity(browsers)
        self.store = store
        self.sessions = sessions
        self.dispatcher = dispatcher
        isDraining = draining
    }

    /// Takes up what an earlier process left, and starts tasks.
    package func open() async throws(TaskStoreError) {
        let marks = try await store.sessionMarks()
        for mark in marks { sessions.apply(mark) }
        try await dispatcher.open(marks: marks)
        sessions.startMonitoring()
    }

    /// Says that the gateway is about to stop: `/readyz` tells whoever sends it clients.
    package func prepareToClose() {
        isDraining.set()
    }

    /// Starts nothing more, waits for the attempts under way, and writes down what sessions want kept.
    ///
    /// The store is to be closed after it.
    ///
    /// - Parameter drain: How long they may take; what is left then is cut off, and recovered by the next start.
    package func close(drain: Duration) async {
        prepareToClose()
        await dispatcher.close(patience: drain)
        await sessions.close()
    }
}

extension AccessToken {
    /// The token of the configuration; only its digest is kept.
    fileprivate init(_ token: AuthConfiguration.Token) {
        switch token.credential {
        case .text(let text): self.init(name: token.name, sha256: SHA256.hash(Array(text.utf8)))
        case .sha256(let digest): self.init(name: token.name, sha256: digest)
        }
    }
}

extension HostNames {
    /// The configured names, and the addresses that the gateway listens on.
    fileprivate init(_ server: ServerConfiguration) {
        self.init(server.hosts + server.listen.map { $0.isIPv6 ? "[\($0.host)]" : $0.host })
    }
}
