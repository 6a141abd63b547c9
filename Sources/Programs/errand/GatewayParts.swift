import ErrandBodyFiles
import ErrandConfiguration
import ErrandCryptography
import ErrandCurlEngine
import ErrandDownloads
import ErrandFiles
import ErrandGateway
import ErrandGatewayAPI
import ErrandHTTPServer
import ErrandSessionCore
package import ErrandTaskEngine
import ErrandTaskStore
import ErrandTaskStoreSQLite
import ErrandTaskStoreSealed
import HTTPSession
import Logging
import MicroHTTPServer

/// The gateway with the implementations chosen by this program: libmicrohttpd, libcurl and SQLite.
struct GatewayParts {
    /// The server for clients.
    let server: MicroHTTPServer
    /// The gateway behind the server.
    let gateway: Gateway
    private let control: ControlServer
    private let store: SealedTaskStore
    private let logger: Logger
    private let engine: CurlEngine
    /// The exclusive right to the data directory.
    private let data: FolderClaim

    /// Opens the store and creates all parts; nothing runs yet.
    ///
    /// - Parameters:
    ///   - source: The source of the configuration for reloads.
    ///   - controlSockets: The possible control sockets, the preferred one first.
    init(
        _ configuration: GatewayConfiguration, source: ConfigurationSource, controlSockets: [ControlSocket],
        _ logger: Logger
    ) throws(StartError) {
        let owner: FolderClaim.Owner
        let durability: Durability = configuration.store.durability == .full ? .full : .normal
        do {
            let keys = try configuration.store.encryptionKeys.map { key throws(SealingError) in try SealingKey(key) }
            let files = try SQLiteTaskStore(
                path: configuration.store.sqlite.path, durability: durability,
                readTimeout: configuration.store.readTimeout, logger: logger)
            owner = FolderClaim.Owner(files.identity)
            store = SealedTaskStore(files, keys: SealingKeyring(keys))
        } catch {
            throw StartError("the task store \(configuration.store.sqlite.path) (store.sqlite.path)", error)
        }
        // Before anything in the folders is removed: they may have the files of another store.
        data = try FolderClaim(data: configuration.files.dataDirectory, by: owner)
        let downloads = try DownloadFolder(configuration.files, ownedBy: owner)
        if !data.isMarked {
            logger.warning(
                """
                files.data could not be marked as the folder of this task store: its disk is full, or its file system \
                has no symbolic links
                """,
                metadata: ["folder": "\(configuration.files.dataDirectory)"])
        }
        let bodies: BodyFiles
        let contents: BodyFiles
        do {
            let data = configuration.files.dataDirectory
            let minFree = Int64(configuration.files.minFreeBytes)
            bodies = try BodyFiles(
                directory: data, inlineLimitBytes: configuration.store.inlineBodyBytes, durability: durability,
                minFreeBytes: minFree, logger: logger)
            contents = try BodyFiles(
                directory: data, name: "contents", inlineLimitBytes: 0, durability: durability, minFreeBytes: minFree,
                logger: logger)
        } catch {
            throw StartError("the data directory \(configuration.files.dataDirectory) (files.data)", error)
        }
        let engine: CurlEngine
        do {
            engine = try CurlEngine(maxIdleTime: Patience.own.idleConnections)
        } catch {
            throw StartError("the transfer engine", error)
        }
        do {
            gateway = try Gateway(
                configuration: configuration, source: source, store: store,
                files: ContentFiles(bodies: bodies, downloads: downloads, contents: contents),
                uploads: FolderUploads.folder(configuration.files.uploads), versions: Versions.all, logger: logger,
                patience: Patience.own.clients, stuckAfter: Patience.own.tasks
            ) { engine.session($0.transportOptions) }
            control = ControlServer(
                candidates: controlSockets, handler: try gateway.ownerHandler(), logger: logger)
        } catch {
            throw StartError("the routes", error)
        }
        self.engine = engine
        self.logger = logger
        var serverConfiguration = ServerConfiguration(configuration.server)
        Patience.own.extend(&serverConfiguration.timeouts)
        server = MicroHTTPServer(
            configuration: serverConfiguration, handler: gateway.handler, logger: logger,
            onDescriptorsExhausted: { engine.closeIdleConnections() })
    }

    /// Recovers the state of an earlier process, listens, and starts tasks last.
    ///
    /// A failed start, such as for a port in use, has sent no request and starts no task; it may have recovered the tasks
    /// that were running when the earlier process ended. The same holds for a start during which a signal arrives.
    ///
    /// - Parameter didReload: Called with the configuration in force after each reload.
    /// - Returns: False if a signal has arrived before tasks start; then all parts are stopped.
    func start(
        unless signals: StopSignals, didReload: @escaping @Sendable (GatewayConfiguration) -> Void
    ) async throws(StartError) -> Bool {
        do throws(StartError) {
            try await prepare()
        } catch {
            await stop(drain: .zero)
            throw error
        }
        guard !signals.haveArrived else {
            await stop(drain: .zero)
            return false
        }
        gateway.start { [self] configuration in
            didReload(configuration)
            await replaceCertificates(configuration.server)
        }
        return true
    }

    /// Lets the server use the certificates of a reloaded configuration, whose files may have other contents.
    private func replaceCertificates(_ configuration: GatewayServerConfiguration) async {
        guard let tls = ServerConfiguration(configuration).tls else { return }
        do {
            try await server.replaceTLS(with: tls)
        } catch {
            logger.error(
                "Certificates of the server not replaced; the former ones stay in use", metadata: ["error": "\(error)"])
        }
    }

    private func prepare() async throws(StartError) {
        do {
            try await KeyCheck(store: store, logger: logger).run()
            try await gateway.prepare()
        } catch {
            throw StartError("recovering the tasks of the last run", error)
        }
        do {
            try await server.start()
        } catch {
            throw StartError("listening", error, remedy: error.remedy)
        }
        await control.start()
    }

    /// Stops the parts in the order of their dependencies.
    ///
    /// The server accepts clients until the drain has ended. The stop takes at most `drain` and ``Patience/responses``,
    /// and the time to close the store. That leaves a long write-ahead log to the next start, but waits for a device
    /// that does not answer.
    ///
    /// - Parameter drain: The time for running attempts to finish.
    func stop(drain: Duration) async {
        let end = ContinuousClock.now + drain + Patience.own.responses
        await gateway.drain(patience: drain, polls: Patience.own.polls)
        // Requests that wait for tasks, and event streams, end when the gateway closes.
        let rest = max(ContinuousClock.now.duration(to: end), .seconds(1))
        async let requests: Void = server.shutdown(drain: rest)
        await gateway.close(spans: rest)
        await requests
        await control.stop()
        await engine.shutdown()
        await store.close()
    }
}

extension CurlSession: ConnectionCounting {
    /// The number of connections in libcurl's pool.
    package var connectionCounts: ConnectionCounts {
        let counts = counts
        return ConnectionCounts(
            open: counts.openConnections, idle: counts.idleConnections, reused: counts.reusedConnections)
    }
}
