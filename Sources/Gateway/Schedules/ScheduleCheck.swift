package import Configuration
import JSON
import Logging
import SessionCore
import Transfer

/// Looks for what is wrong with the tasks of schedules in a configuration: all that `POST /v1/tasks` would refuse, before
/// the configuration is in force.
package enum ScheduleCheck {
    /// What is wrong, each with its place in the file; empty when nothing is.
    package static func problems(of configuration: GatewayConfiguration) async -> [ConfigurationProblem] {
        guard !configuration.schedules.isEmpty else { return [] }
        let logger = Logger(label: "errand.check") { _ in SwiftLogNoOpLogHandler() }
        let sessions = SessionCatalog(
            configuration.sessions, defaultName: configuration.defaultSession,
            callbacks: CallbackSigning(configuration.callbacks),
            factory: SessionFactory(uploads: AnyUploads(), logger: logger) { _ in NoTransport() }, logger: logger)
        let decoder = TaskDecoder(sessions: sessions, caller: .anonymous, maxDepth: configuration.server.maxDepth)
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
        case .forbidden:
            [task.problem(of: name, at: ["session"], "there is no such session")]
        case .invalid(let problems):
            problems.map { task.problem(of: name, at: $0.pointer.tokens, $0.detail) }
        }
    }
}

/// A transport of sessions that only judge.
private struct NoTransport: Transport {
    func perform(_ request: TransferRequest, receiver: any TransferReceiver) async -> TransferOutcome {
        TransferOutcome(error: Self.refusal)
    }

    func connect(to url: HTTPURL, timeout: Duration) async -> TransferError? { Self.refusal }

    private static let refusal = TransferError(.sessionClosed, "A session that only judges sends nothing")
}

/// Files that are all there, and empty: a file that a task sends has to be there when it is sent.
private struct AnyUploads: UploadFiles {
    func source(of name: String) throws(SessionError) -> any BodySource { Empty() }

    private final class Empty: BodySource {
        let length: Int64? = 0

        func read(into buffer: inout OutputRawSpan) -> SourceAnswer { .end }

        func rewind() -> Bool { true }
    }
}
