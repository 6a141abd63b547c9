import Foundation
import Support

/// A session as a client reads it: the members that the tests look at.
struct SessionView: Decodable, Sendable {
    var name: String
    var state: String
    var acceptsTasks: Bool
    var inFlight: Int
    var reachability: String
    var tasks: [String: Int]

    /// Reads the session out of an answer.
    init(_ answer: RawHTTPClient.Answer) throws {
        guard answer.status == 200 else { throw UnexpectedAnswer(answer: answer) }
        self = try TaskView.decoder.decode(SessionView.self, from: Data(answer.body))
    }
}

/// What an operation that cancels tasks answers.
struct SweepView: Decodable, Sendable {
    var canceled: Int
    var session: SessionView

    /// Reads it out of an answer.
    init(_ answer: RawHTTPClient.Answer) throws {
        guard answer.status == 200 else { throw UnexpectedAnswer(answer: answer) }
        self = try TaskView.decoder.decode(SweepView.self, from: Data(answer.body))
    }
}

extension APIClient {
    /// Has a task stand still.
    @discardableResult
    func suspend(_ task: TaskView) async throws -> TaskView {
        try TaskView(await post("/v1/tasks/\(task.id)/suspend"))
    }

    /// Lets a task go on.
    @discardableResult
    func resume(_ task: TaskView) async throws -> TaskView {
        try TaskView(await post("/v1/tasks/\(task.id)/resume"))
    }

    /// Reads a session.
    func session(_ name: String) async throws -> SessionView {
        try SessionView(await get("/v1/sessions/\(name)"))
    }

    /// Lets nothing of a session start.
    @discardableResult
    func suspendSession(_ name: String) async throws -> SessionView {
        try SessionView(await post("/v1/sessions/\(name)/suspend"))
    }

    /// Ends a ``suspendSession(_:)``.
    @discardableResult
    func resumeSession(_ name: String) async throws -> SessionView {
        try SessionView(await post("/v1/sessions/\(name)/resume"))
    }

    /// Cancels what waits in a session.
    func purge(_ name: String) async throws -> SweepView {
        try SweepView(await post("/v1/sessions/\(name)/purge"))
    }

    /// Ends a session's life, or only that of its session object.
    @discardableResult
    func invalidate(_ name: String, _ options: String = "{}") async throws -> SweepView {
        try SweepView(await post("/v1/sessions/\(name)/invalidate", json: options))
    }
}
