package import ErrandConfiguration
import ErrandJSON
import ErrandLogs
import ErrandSessionCore
package import ErrandSettings
import ErrandTransfer
import Logging

/// Finds errors in the tasks of a configuration's schedules before the configuration comes into force.
///
/// The errors are those with which `POST /v1/tasks` would refuse the tasks.
package enum ScheduleCheck {
    /// Returns a configuration error with the errors in its schedules' tasks added, as far as they can be determined.
    ///
    /// The author learns of all errors at once.
    package static func completing(_ error: ConfigurationError) async -> ConfigurationError {
        guard let configuration = error.withJudgeableSchedules else { return error }
        return error.adding(await problems(of: configuration))
    }

    /// Returns the errors, each with its place in the file; empty if there are none.
    package static func problems(of configuration: GatewayConfiguration) async -> [ConfigurationProblem] {
        guard !configuration.schedules.isEmpty else { return [] }
        let logger = Logger.discarding
        let sessions = SessionCatalog(
            configuration.sessions, defaultName: configuration.defaultSession,
            callbacks: CallbackSigning(configuration.callbacks),
            factory: SessionFactory(uploads: AnyUploads(), logger: logger) { _ in NoTransport() }, logger: logger)
        let decoder = TaskDecoder(
            sessions: sessions, caller: .anonymous, maxDepth: configuration.server.requests.maxDepth)
        var problems: [ConfigurationProblem] = []
        for schedule in configuration.schedules {
            do throws(TaskRejection) {
                _ = try await decoder.decode(schedule.task.document, as: .schedule)
            } catch {
                problems += schedule.problems(error)
            }
        }
        await sessions.close()
        return problems
    }
}

extension ScheduleConfiguration {
    fileprivate func problems(_ rejection: TaskRejection) -> [ConfigurationProblem] {
        switch rejection {
        case .malformed(let error):
            [task.problem(of: name, at: [], error.description)]
        case .tooDeep:
            [task.problem(of: name, at: [], rejection.reason)]
        case .forbidden:
            [task.problem(of: name, at: ["session"], "unknown session")]
        case .invalid(let problems):
            problems.map { task.problem(of: name, at: $0.pointer.tokens, $0.detail) }
        }
    }
}

/// The transport of sessions that only check tasks.
private struct NoTransport: Transport {
    func perform(_ request: TransferRequest, receiver: any TransferReceiver) async -> TransferOutcome {
        TransferOutcome(error: Self.refusal)
    }

    func connect(to url: HTTPURL, timeout: Duration) async -> TransferError? { Self.refusal }

    private static let refusal = TransferError(.sessionClosed, "A session that only checks tasks sends nothing")
}

/// Upload files that all exist and are empty: a file needs to exist only when it is sent.
private struct AnyUploads: UploadFiles {
    func source(of name: String) throws(SessionError) -> any BodySource { MemorySource([]) }
}
