import ErrandResponseSerialization
import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import HTTPTypes

/// A session with hooks over a scripted transport, with a clock that a test advances.
struct HookedSession {
    let clock: ManualClock
    let transport: ScriptedTransport
    let session: Session

    /// Creates a session over a transport.
    ///
    /// - Parameter configure: Changes the configuration, whose responses are not read at first.
    init(
        _ hooks: SessionHooks, over transport: ScriptedTransport,
        configure: (inout SessionConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = SessionConfiguration(name: "example", baseURL: try HTTPURL("http://e.com/"))
        configuration.userAgent = nil
        configuration.response.serializer = .raw
        configure(&configuration)
        clock = ManualClock()
        self.transport = transport
        session = Session(configuration, transport: transport, hooks: hooks, clock: clock)
    }

    /// Creates a session with one response for each request, the last one for all that follow.
    init(
        _ hooks: SessionHooks, statuses: [Int] = [200], configure: (inout SessionConfiguration) -> Void = { _ in }
    ) throws {
        let responses = statuses.map { [ScriptedTransport.Step.head($0)] }
        try self.init(hooks, over: Example.transport(responses), configure: configure)
    }

    /// Returns the outcome of a task.
    func outcome(of request: TaskRequest = TaskRequest()) async throws -> SessionOutcome {
        let task = try session.task(request)
        task.resume()
        return await task.outcome
    }
}

/// Content that can be read only once, of which a part was taken.
final class SpentSource: BodySource {
    var length: Int64? { 1 }
    var isSpent: Bool { true }

    func read(into buffer: inout OutputRawSpan) -> SourceAnswer { .end }
    func rewind() -> Bool { false }
}

/// An error of a program.
struct OwnError: Error, Equatable {
    var text: String
}
