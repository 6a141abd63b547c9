import BodyFiles
import Configuration
import CurlEngine
import Gateway
import HTTPServer
import HTTPSession
import Logging
import MicroHTTPServer
import Sealing
import SessionCore
import TaskStore
import TaskStoreSQLite
import TaskStoreSealed

/// The gateway with the implementations that this program chooses: libmicrohttpd, libcurl, SQLite.
struct GatewayParts {
    /// What clients talk to.
    let server: MicroHTTPServer
    /// What answers them.
    let gateway: Gateway
    private let store: SealedTaskStore
    private let logger: Logger
    private let engine: CurlEngine

    /// How long the last answers may take, after the tasks have ended or were cut off.
    private static let answerTime = Duration.seconds(2)

    /// Opens the store and puts everything together; nothing runs yet.
    ///
    /// - Parameter source: Where to read the configuration again.
    init(
        _ configuration: GatewayConfiguration, source: ConfigurationSource, _ logger: Logger
    ) throws(StartError) {
        let durability: Durability = configuration.store.durability == .full ? .full : .normal
        do {
            let keys = try configuration.store.encryptionKeys.map { key throws(SealingError) in try SealingKey(key) }
            let files = try SQLiteTaskStore(path: configuration.store.sqlite.path, durability: durability)
            store = SealedTaskStore(files, keys: SealingKeyring(keys))
        } catch {
            throw StartError("the task store \(configuration.store.sqlite.path)", error)
        }
        let bodies: BodyFiles
        do {
            bodies = try BodyFiles(
                directory: configuration.files.dataDirectory, inlineLimitBytes: configuration.store.inlineBodyBytes,
                durability: durability)
        } catch {
            throw StartError("the data directory \(configuration.files.dataDirectory)", error)
        }
        let engine: CurlEngine
        do {
            engine = try CurlEngine()
        } catch {
            throw StartError("the transfer engine", error)
        }
        do {
            gateway = try Gateway(
                configuration: configuration, source: source, store: store, bodies: bodies,
                uploads: FolderUploads.folder(configuration.files.uploads),
                versions: Versions.all, logger: logger
            ) { engine.session($0.transportOptions) }
        } catch {
            throw StartError("the routes", error)
        }
        self.engine = engine
        self.logger = logger
        server = MicroHTTPServer(
            configuration: HTTPServerConfiguration(configuration.server), handler: gateway.handler,
            logger: logger)
    }

    /// Takes up what an earlier process left, then listens.
    func start() async throws(StartError) {
        do {
            for key in try await store.missingKeys() {
                logger.error(
                    "Tasks wait that are sealed with a key which is missing in store.encryption_keys",
                    metadata: ["key": "\(key.id)", "task": "\(key.task)"])
            }
            try await gateway.open()
        } catch {
            throw StartError("recovering the tasks of the last run", error)
        }
        do {
            try await server.start()
        } catch {
            throw StartError("listening", error)
        }
    }

    /// Lets what runs end, in the order in which it depends on each other.
    ///
    /// - Parameter drain: How long it may take.
    func stop(drain: Duration) async {
        gateway.prepareToClose()
        // Those who wait for a task are answered when the gateway is closed, which may take all of the drain.
        async let requests: Void = server.shutdown(drain: drain + Self.answerTime)
        await gateway.close(drain: drain)
        await requests
        await engine.shutdown()
        await store.close()
    }
}
