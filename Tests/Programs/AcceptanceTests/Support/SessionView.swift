import ErrandSupport
import Foundation

/// The members of a session that the tests check.
struct SessionView: Decodable, Sendable {
    var name: String
    var state: String
    var acceptsTasks: Bool
    var inFlight: Int
    var reachability: String
    var tasks: [String: Int]

    /// Decodes the session in a response.
    init(_ response: RawHTTPClient.Response) throws {
        guard response.status == 200 else { throw UnexpectedResponse(response: response) }
        self = try TaskView.decoder.decode(SessionView.self, from: Data(response.body))
    }
}

/// The response of an operation that cancels tasks.
struct CancellationView: Decodable, Sendable {
    var canceled: Int
    var session: SessionView

    /// Decodes the response.
    init(_ response: RawHTTPClient.Response) throws {
        guard response.status == 200 else { throw UnexpectedResponse(response: response) }
        self = try TaskView.decoder.decode(CancellationView.self, from: Data(response.body))
    }
}

extension APIClient {
    /// Suspends a task.
    @discardableResult
    func suspend(_ task: TaskView) async throws -> TaskView {
        try TaskView(await post("/v1/tasks/\(task.id)/suspend"))
    }

    /// Resumes a task.
    @discardableResult
    func resume(_ task: TaskView) async throws -> TaskView {
        try TaskView(await post("/v1/tasks/\(task.id)/resume"))
    }

    /// Reads a session.
    func session(_ name: String) async throws -> SessionView {
        try SessionView(await get("/v1/sessions/\(name)"))
    }

    /// Suspends a session.
    @discardableResult
    func suspendSession(_ name: String) async throws -> SessionView {
        try SessionView(await post("/v1/sessions/\(name)/suspend"))
    }

    /// Resumes a session.
    @discardableResult
    func resumeSession(_ name: String) async throws -> SessionView {
        try SessionView(await post("/v1/sessions/\(name)/resume"))
    }

    /// Cancels the waiting tasks of a session.
    func purge(_ name: String) async throws -> CancellationView {
        try CancellationView(await post("/v1/sessions/\(name)/purge"))
    }

    /// Invalidates a session, or resets its session object.
    @discardableResult
    func invalidate(_ name: String, _ options: String = "{}") async throws -> CancellationView {
        try CancellationView(await post("/v1/sessions/\(name)/invalidate", json: options))
    }
}
