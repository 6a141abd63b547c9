import ErrandConfiguration
import ErrandHTTPServer
import ErrandSessionCore
import ErrandSupport
import ErrandTaskStore
import ErrandTransfer
import HTTPTypes
import Logging
import Testing

@testable import ErrandGateway
@testable import ErrandGatewayAPI
@testable import ErrandTaskEngine

/// A whole gateway behind its handler, with one session, `up`, and a scripted upstream: no server, no network.
struct GatewayFixture {
    let folder: GatewayFolder
    let store: FlakyTaskStore
    let transport: ScriptedTransport
    let gateway: Gateway

    init(
        folder: GatewayFolder? = nil, session: SessionConfiguration? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        transport: ScriptedTransport = ScriptedTransport(DispatcherFixture.response),
        logger: Logger = DispatcherFixture.logger, patience: ClientPatience = .unlimited,
        configure: (inout GatewayConfiguration) throws -> Void = { _ in }
    ) throws {
        self.folder = try folder ?? GatewayFolder()
        self.transport = transport
        store = FlakyTaskStore(try self.folder.store())
        var configuration = try Self.defaults()
        configuration.sessions = [try session ?? DispatcherFixture.configuration()]
        configuration.server.requests.maxWait = .unlimited
        try configure(&configuration)
        gateway = try Gateway(
            configuration: configuration, store: store, files: try self.folder.files(), versions: [], logger: logger,
            clocks: GatewayClocks(elapsed: clock), patience: patience, stuckAfter: .unlimited
        ) { _ in transport }
    }

    /// Returns the configuration of an empty file.
    static func defaults() throws -> GatewayConfiguration {
        try ConfigurationLoader(environment: [:], readFile: { _ in [] }).load(Array("{}".utf8), file: "test")
            .configuration
    }

    /// Runs a test with an open gateway, and closes it afterwards.
    func open(_ body: () async throws -> Void) async throws {
        try await gateway.open()
        try await body()
        await close()
    }

    /// Closes the gateway and its store.
    func close() async {
        await gateway.close(drain: .seconds(30))
        await store.close()
    }

    /// Returns the response of the gateway.
    ///
    /// - Parameters:
    ///   - fields: Header fields besides those that a client always sends.
    ///   - type: The media type of the content.
    func response(
        _ method: HTTPRequest.Method, _ target: String, json: String? = nil, fields: [String] = [],
        type: String = "application/json"
    ) async throws -> ServerResponse {
        let lines = ["Host: 127.0.0.1"] + (json == nil ? [] : ["Content-Type: \(type)"]) + fields
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

    /// Returns the task in a response with status 200.
    func task(_ method: HTTPRequest.Method, _ target: String, json: String? = nil) async throws -> TaskDocument {
        try await document(TaskDocument.self, method, target, json: json)
    }

    /// Creates a task of the session.
    func create(_ members: String = "") async throws -> TaskDocument {
        try await document(
            TaskDocument.self, .post, "/v1/tasks", json: #"{"session":"up"\#(members)}"#, status: .accepted)
    }

    /// Creates a task of the session and waits for its end.
    func run(_ members: String = "") async throws -> TaskDocument {
        let task = try await create(members)
        return try await self.task(.get, "/v1/tasks/\(task.id)?wait=1d")
    }

    /// The response was not the expected one.
    struct Unexpected: Error { var text: String }
}

/// The members of a task that tests check.
struct TaskDocument: Decodable, Sendable {
    struct Failure: Decodable { var code: String }
    struct Attempt: Decodable { var number: Int; var error: Failure? }
    var id: String
    var state: String
    var revision: Int
    var hold: String?
    var attempts: [Attempt]
    var error: Failure?
}

/// The members of a session that tests check.
struct SessionView: Decodable, Sendable {
    struct Connections: Decodable { var open: Int; var idle: Int; var reused: Int }
    var name: String
    var state: String
    var acceptsTasks: Bool
    var tasks: [String: Int]
    var inFlight: Int
    var reachability: String
    var connections: Connections?
}

/// The response to a purge or an invalidation.
struct CanceledView: Decodable, Sendable {
    var canceled: Int
    var session: SessionView
}

/// The members of a problem that tests check.
struct ProblemDocument: Decodable, Sendable {
    struct Fault: Decodable { var pointer: String; var detail: String }
    var type: String
    var detail: String?
    /// The seconds after which an item of a batch can be sent again.
    var retryAfter: Int?
    var errors: [Fault]?
}
