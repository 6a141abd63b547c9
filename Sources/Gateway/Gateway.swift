package import BodyFiles
package import Configuration
package import HTTPServer
package import Logging
package import SessionCore
import TaskEvents
package import TaskStore
package import Transfer

import struct Synchronization.Atomic

/// The gateway put together: sessions, dispatcher and endpoints around a store, behind one handler.
///
/// It knows neither which server asks the handler, nor which store and transports it was given.
package final class Gateway: Sendable {
    let store: any TaskStore
    let sessions: SessionCatalog
    let dispatcher: Dispatcher
    let watch: EventWatch
    let scheduler: Scheduler
    let endpoints: GatewayRoutes
    let reloader: ConfigurationReloader
    let audit: AuditLog
    let door: CurrentDoor
    let logger: Logger
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
    ///   - configuration: What it begins with.
    ///   - source: Where to read the configuration again; without it there is no ``reload()``.
    ///   - uploads: Opens the files that tasks send; without it they send none.
    ///   - versions: What `/version` says: names and versions of the program and its libraries.
    ///   - now: The clock.
    ///   - clock: Measures how long tasks are suspended, and the time between probes.
    ///   - transport: Makes the transport of a session; asked again when a session is reset or configured differently.
    package init(
        configuration: GatewayConfiguration, source: ConfigurationSource? = nil, store: any TaskStore,
        bodies: BodyFiles, uploads: (any UploadFiles)? = nil, versions: [(name: String, version: String)],
        logger: Logger, clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Timestamp = Timestamp.now,
        transport: @escaping @Sendable (SessionConfiguration) -> any Transport
    ) throws(RouteError) {
        let sessions = SessionCatalog(
            configuration.sessions, defaultName: configuration.defaultSession,
            callbacks: CallbackSigning(configuration.callbacks),
            factory: SessionFactory(
                cookies: store, uploads: uploads, clock: clock, now: now, logger: logger, transport: transport),
            logger: logger)
        let dispatcher = Dispatcher(
            store: store, sessions: sessions, bodies: bodies, maxRunning: configuration.dispatcher.maxRunning,
            window: configuration.dispatcher.window, retention: configuration.store.retention, clock: clock, now: now,
            logger: logger)
        let watch = EventWatch(dispatcher: dispatcher, timer: SharedTimer(clock))
        let ids = TaskIDGenerator(now: now)
        let scheduler = Scheduler(dispatcher: dispatcher, ids: ids, clock: clock, now: now, logger: logger)
        let draining = Flag()
        let reloader = ConfigurationReloader(source, inForce: configuration, logger: logger)
        let endpoints = GatewayRoutes(
            dispatcher: dispatcher,
            operations: SessionOperations(dispatcher: dispatcher, sessions: sessions, logger: logger),
            watch: watch, scheduler: scheduler, reloader: reloader, ids: ids, versions: versions,
            isDraining: { draining.isSet }, logger: logger)
        let audit = AuditLog(logger)
        door = CurrentDoor(
            try FrontDoor(configuration, routes: endpoints.routes(for: configuration), audit: audit))
        self.store = store
        self.sessions = sessions
        self.dispatcher = dispatcher
        self.watch = watch
        self.scheduler = scheduler
        self.endpoints = endpoints
        self.reloader = reloader
        self.audit = audit
        self.logger = logger
        isDraining = draining
    }

    /// What answers clients.
    package var handler: any HTTPHandler { door }

    /// The ways into it, with what each needs.
    var routes: [APIRoute] { endpoints.routes(for: configuration) }

    /// What is in force: what it began with, or the last reload.
    package var configuration: GatewayConfiguration { reloader.inForce }

    /// Takes up what an earlier process left, and starts tasks; from now on it can be reloaded.
    package func open() async throws(TaskStoreError) {
        let marks = try await store.sessionMarks()
        for mark in marks { sessions.apply(mark) }
        try await watch.open()
        try await dispatcher.open(marks: marks)
        sessions.startMonitoring()
        try await scheduler.load()
        try await scheduler.apply(configuration)
        scheduler.open()
        // Held until the gateway is closed.
        reloader.open { configuration in try await self.apply(configuration) }
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
        await reloader.close()
        await scheduler.close()
        await dispatcher.close(patience: drain)
        // After the last of what there is to tell.
        watch.close()
        await sessions.close()
    }
}
