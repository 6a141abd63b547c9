import ErrandLocking
import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

/// A session of an example upstream, with its requests and responses.
///
/// The suites beside this file are tables of rules, one row each, tested through a session as its users see it. A rule
/// named after AFNetworking or Alamofire is one on which their users rely.
struct Example: Sendable {
    var configuration: SessionConfiguration
    /// The files that tasks can send.
    var uploads: (any UploadFiles)?
    let clock = ManualClock()

    /// - Parameters:
    ///   - base: The base URL; `nil` for none.
    ///   - configure: Changes the configuration, which has no `User-Agent` at first.
    init(
        _ base: String? = "http://e.com/", _ configure: (inout SessionConfiguration) -> Void = { _ in }
    ) throws {
        configuration = SessionConfiguration(name: "example", baseURL: try base.map { try HTTPURL($0) })
        configuration.userAgent = nil
        configure(&configuration)
    }

    /// The request as sent, without cookies and credentials.
    func request(_ task: TaskRequest) throws -> TransferRequest {
        try session(over: ScriptedTransport([])).prepare(task).transfer
    }

    /// The problems of a request.
    func problems(_ task: TaskRequest) -> [RequestProblem] {
        do throws(RequestProblems) {
            _ = try session(over: ScriptedTransport([])).prepare(task)
            return []
        } catch {
            return error.problems
        }
    }

    /// Returns the outcome of a request that is answered with these steps.
    func outcome(of task: TaskRequest = TaskRequest(), _ steps: [ScriptedTransport.Step]) async throws -> SessionOutcome
    {
        try await exchange(task) { _ in steps }.outcome
    }

    /// Returns the outcome of a request and the requests sent, each answered by a script.
    func exchange(
        _ task: TaskRequest = TaskRequest(), script: @escaping @Sendable (TransferRequest) -> [ScriptedTransport.Step]
    ) async throws -> (outcome: SessionOutcome, requests: [TransferRequest]) {
        try await exchange(task, over: ScriptedTransport(script))
    }

    /// Does the same with one response for each request, the last one for all that follow.
    func exchange(
        _ task: TaskRequest = TaskRequest(), responses: [[ScriptedTransport.Step]]
    ) async throws -> (outcome: SessionOutcome, requests: [TransferRequest]) {
        try await exchange(task, over: Self.transport(responses))
    }

    private func exchange(
        _ task: TaskRequest, over transport: ScriptedTransport
    ) async throws -> (outcome: SessionOutcome, requests: [TransferRequest]) {
        let session = session(over: transport)
        let outcome = await session.run(try session.prepare(task), sink: MemorySink())
        return (outcome, transport.requests)
    }

    /// A transport with one response for each request, the last one for all that follow.
    static func transport(_ responses: [[ScriptedTransport.Step]]) -> ScriptedTransport {
        let rest = Mutex(responses)
        return ScriptedTransport { _ in rest.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? [] } }
    }

    /// The session over a transport, with a clock that does not advance.
    func session(over transport: ScriptedTransport) -> Session {
        // 2015-08-30T12:36:00Z, the time of AWS's published signatures.
        Session(configuration, transport: transport, uploads: uploads, clock: clock, now: { 1_440_938_160 })
    }
}

extension ScriptedTransport.Step {
    /// The head of a response.
    static func head(_ status: Int, _ fields: HTTPFields = [:]) -> Self {
        .head(ResponseHead(status: status, headers: fields))
    }

    /// Content in UTF-8.
    static func text(_ text: String) -> Self { .bytes(Array(text.utf8)) }
}

extension TransferRequest {
    /// The content as text; `nil` when there is none, or none in memory.
    var content: String? {
        if case .bytes(let bytes) = body { String(decoding: bytes, as: UTF8.self) } else { nil }
    }
}

extension TaskRequest {
    /// A request with parameters as JSON.
    init(_ method: String, _ path: String = "", json: String?, _ headers: [TaskHeader] = []) {
        self.init(method: method, path: path, parameters: json.map { Array($0.utf8) }, headers: headers)
    }
}

extension SessionOutcome {
    /// The codes of the error and of its underlying errors, outermost first.
    var codes: [SessionErrorCode] {
        Array(sequence(first: error) { $0?.underlying }.prefix { $0 != nil }.compactMap { $0?.code })
    }

    /// The numbers of the error and of its underlying errors, outermost first.
    var numbers: [Int?] { codes.map(\.number) }

    /// The object as JSON text.
    var object: String? {
        response?.json.map { String(decoding: $0, as: UTF8.self) }
    }
}
