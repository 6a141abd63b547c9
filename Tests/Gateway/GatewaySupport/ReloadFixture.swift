import ErrandConfiguration
import ErrandHTTPServer
import ErrandLocking
import ErrandSessionCore
import ErrandSettings
import ErrandSupport
import ErrandTaskStore
import ErrandTime
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandGateway
@testable import ErrandGatewayAPI
@testable import ErrandTaskEngine

/// A whole gateway whose configuration text a test can change, with scripted upstreams.
final class ReloadFixture: Sendable {
    /// A transfer started by a session.
    struct Begun: Sendable {
        /// The configuration of the session object that started it.
        var session: SessionConfiguration
        var request: TransferRequest

        /// The path on the upstream.
        var path: String { request.url.string.split(separator: "/", maxSplits: 2).last.map(String.init) ?? "" }
    }

    typealias Script = @Sendable (Begun) -> [ScriptedTransport.Step]

    let store: FlakyTaskStore
    let gateway: Gateway
    let log = RecordedLog()
    /// The started transfers, in order.
    let begun = EventLog<Begun>()
    /// The configurations reported as applied.
    let applied = EventLog<GatewayConfiguration>()
    private let file: File
    private let folder: GatewayFolder

    /// Two sessions, of which most tests change `up`.
    static let yaml = """
        server: {max_json: 4KiB}
        sessions:
          up: {base_url: "http://upstream.example/"}
          other: {base_url: "http://other.example/"}
        """

    /// Creates a gateway that is not open.
    ///
    /// - Parameters:
    ///   - yaml: The initial text of the configuration.
    ///   - folder: The folder of an earlier fixture, to continue with its store.
    ///   - time: The clock of the gateway, and of the time of day; `nil` for the real clocks.
    ///   - connectError: The error of mere connections, which probe upstreams; `nil` for success.
    ///   - script: The upstreams.
    init(
        _ yaml: String = yaml, folder: GatewayFolder? = nil, time: ManualClock? = nil,
        connectError: TransferError? = nil,
        _ script: @escaping Script = { _ in DispatcherFixture.response }
    ) throws {
        self.folder = try folder ?? GatewayFolder()
        store = FlakyTaskStore(try self.folder.store())
        let file = File(yaml)
        let loader = ConfigurationLoader(environment: [:], readFile: { _ in [] })
        let begun = begun
        let now: @Sendable () -> Timestamp
        if let time {
            now = { DispatcherFixture.start.adding(time.now.offset) }
        } else {
            now = { Timestamp.now() }
        }
        let jumpDetection: any Clock<Duration> = if let time { OrderedClock(time) } else { ContinuousClock() }
        gateway = try Gateway(
            configuration: loader.load(Array(yaml.utf8), file: "config.yaml").configuration,
            source: ConfigurationSource { inForce throws(ConfigurationError) in
                try loader.load(Array(file.text.withLock { $0 }.utf8), file: "config.yaml", replacing: inForce)
            },
            store: store, files: try self.folder.files(), versions: [], logger: log.logger,
            clocks: GatewayClocks(elapsed: time ?? ContinuousClock(), now: now, jumpDetection: jumpDetection),
            patience: .unlimited
        ) { session in
            ScriptedTransport(connecting: { _ in connectError }) { request in
                let transfer = Begun(session: session, request: request)
                begun.append(transfer)
                return script(transfer)
            }
        }
        self.file = file
    }

    /// Runs a test with an open gateway, and closes it afterwards.
    func open(_ body: () async throws -> Void) async throws {
        let applied = applied
        try await gateway.open { applied.append($0) }
        try await body()
        await gateway.close(drain: .seconds(30))
        await store.close()
    }

    private final class File: Sendable {
        let text: Mutex<String>

        init(_ text: String) {
            self.text = Mutex(text)
        }
    }

    /// The text of the configuration file.
    var text: String { file.text.withLock { $0 } }

    /// Replaces the text.
    func write(_ yaml: String) {
        file.text.withLock { $0 = yaml }
    }

    /// Replaces a part of the text.
    func replace(_ former: String, with new: String) {
        file.text.withLock { $0 = $0.replacing(former, with: new) }
    }

    /// Reloads, and checks that it succeeded.
    @discardableResult
    func reload(sourceLocation: SourceLocation = #_sourceLocation) async throws -> ReloadedConfiguration {
        let outcome = await gateway.reload()
        guard case .applied(let reloaded) = outcome else {
            Issue.record("not applied: \(outcome)", sourceLocation: sourceLocation)
            throw NotApplied()
        }
        return reloaded
    }

    /// The reload failed.
    struct NotApplied: Error {}

    // MARK: Tasks

    /// Creates a task like a client.
    func create(_ path: String = "", session: String = "up", method: String = "GET") async throws -> TaskDocument {
        try await document(
            TaskDocument.self, .post, "/v1/tasks",
            json: #"{"session":"\#(session)","path":"\#(path)","method":"\#(method)"}"#, status: .accepted)
    }

    /// Waits for the end of a task.
    func finished(_ task: TaskDocument) async throws -> TaskDocument {
        while true {
            // The configuration limits each wait.
            let current = try await document(TaskDocument.self, .get, "/v1/tasks/\(task.id)?wait=1m")
            if TaskState(rawValue: current.state)?.isTerminal == true { return current }
        }
    }

    /// Creates a task and waits for its end.
    func run(_ path: String = "", session: String = "up", method: String = "GET") async throws -> TaskDocument {
        try await finished(create(path, session: session, method: method))
    }

    /// Returns the current task.
    func current(_ task: TaskDocument) async throws -> TaskDocument {
        try await document(TaskDocument.self, .get, "/v1/tasks/\(task.id)")
    }

    // MARK: Requests

    /// Returns the response of the gateway.
    func response(_ method: HTTPRequest.Method, _ target: String, json: String? = nil) async throws -> ServerResponse {
        let lines = ["Host: 127.0.0.1"] + (json == nil ? [] : ["Content-Type: application/json"])
        let head = try RequestHead.sample(method, target, lines: lines)
        return try await gateway.handler.response(to: head, content: json)
    }

    /// Returns the document in a response with the expected status.
    func document<Document: Decodable>(
        _ type: Document.Type, _ method: HTTPRequest.Method, _ target: String, json: String? = nil,
        status: HTTPResponse.Status = .ok
    ) async throws -> Document {
        try await response(method, target, json: json).document(type, status: status)
    }
}
