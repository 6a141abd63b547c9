import ErrandJSON
import ErrandSessionCore
import ErrandTaskAdmission
import ErrandTaskStore
import ErrandTime

/// The decisions that depend on the kind of a task.
///
/// A new kind needs a case of `TaskKind`, a type that conforms to this protocol, and the case's line in
/// `TaskKind.handler`. If clients create its tasks, it also needs a case of `ClientTaskKind`, and the type conforms to
/// `ClientTaskKindHandler`. No other code compares kinds.
///
/// A handler has no state: shared parts are parameters, so that finding a handler creates nothing. Any thread.
protocol TaskKindHandler: Sendable {
    // MARK: Attempts

    /// Returns the request of an attempt, which the session then checks and prepares.
    ///
    /// - Parameters:
    ///   - record: The task, running.
    ///   - sessions: The sessions, with the secrets that callbacks are signed with.
    ///   - storage: The storage of content.
    ///   - now: Returns the time of day.
    /// - Throws: An error if the stored task cannot be read, or must not be sent.
    func request(
        of record: TaskRecord, sessions: SessionCatalog, _ storage: ContentStorage, now: @Sendable () -> Timestamp
    ) async throws(SessionError) -> TaskRequest

    /// Sends the request of an attempt, and receives the content of its response.
    ///
    /// Default: one request, with content in the body files up to its ``ContentLimit``.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - record: The task, running.
    ///   - session: The session that sends the request.
    ///   - storage: The storage for the content.
    ///   - control: The control of the attempt.
    func run(
        _ request: PreparedRequest, of record: TaskRecord, in session: Session, _ storage: ContentStorage,
        control: AttemptControl
    ) async -> TransferEnd

    /// True if attempts may leave partial files, which the next attempt continues.
    ///
    /// Default: false.
    var writesFiles: Bool { get }

    /// Returns true if the content of an acceptable response becomes the body of the task, which clients can follow
    /// while it is received.
    ///
    /// Default: true.
    func keepsBody(of record: TaskRecord) -> Bool

    /// True if attempts may go to a destination, which has limits of its own within the session.
    ///
    /// Default: false.
    var hasDestinations: Bool { get }

    /// Returns the destination of a task; `nil` if only the limits of the session apply.
    ///
    /// Default: `nil`.
    func destination(of record: TaskRecord, sessions: SessionCatalog) -> Admission.DestinationKey?

    /// Returns true if a client sends the content of the request separately, and it is passed on as it arrives.
    ///
    /// Default: false.
    func passesOnContent(of record: TaskRecord) -> Bool

    // MARK: Repetitions

    /// Returns the differences of a task from the retry configuration of its session.
    ///
    /// - Throws: An error if the stored task cannot be read.
    func retryOverrides(of record: TaskRecord) throws(SessionError) -> RetryOverrides

    /// Returns the rule for further attempts.
    ///
    /// - Parameter configuration: The retry configuration of the session, with the task's own settings applied.
    func retryRule(under configuration: RetryConfiguration) -> RetryRule

    /// Returns true if a request may be sent again after a crash, when it is unknown whether the request has arrived.
    ///
    /// - Parameters:
    ///   - record: The task as it was before the crash.
    ///   - configuration: The retry configuration of the session, with the task's own settings applied.
    func mayResend(_ record: TaskRecord, under configuration: RetryConfiguration) -> Bool

    /// Returns true if an attempt may begin anew under the current configuration of its session, although its request
    /// may have arrived.
    ///
    /// It has failed without a response, under an outdated configuration.
    func mayBeginAnew(_ record: TaskRecord) -> Bool

    // MARK: The end

    /// True if the end of a task creates the callbacks that the task asks for.
    var makesCallbacks: Bool { get }

    /// Returns the task that a client's retry of a finished task creates.
    ///
    /// - Parameters:
    ///   - record: The finished task.
    ///   - overrides: The members that replace those of the finished task; `nil` for none.
    ///   - key: The client's key for the new task.
    ///   - decoder: Decodes a document with the current configuration, for the client.
    ///   - ids: Generates the identifier of a task that is not decoded.
    /// - Throws: All errors of the new task.
    func repetition(
        of record: TaskRecord, overrides: JSONDocument?, key: IdempotencyKey?, by decoder: TaskDecoder,
        ids: TaskIDGenerator
    ) async throws(TaskRejection) -> TaskRepetition
}

extension TaskKindHandler {
    func run(
        _ request: PreparedRequest, of record: TaskRecord, in session: Session, _ storage: ContentStorage,
        control: AttemptControl
    ) async -> TransferEnd {
        await runOnce(request, of: record, in: session, storage, control: control)
    }

    /// Sends one request, with content in the body files up to its ``ContentLimit``.
    func runOnce(
        _ request: PreparedRequest, of record: TaskRecord, in session: Session, _ storage: ContentStorage,
        control: AttemptControl
    ) async -> TransferEnd {
        let sink = SpoolSink(
            storage, id: record.id, limit: ContentLimit(of: request, in: session), of: (request, session))
        return TransferEnd(outcome: await session.run(request, sink: sink, control: control))
    }

    var writesFiles: Bool { false }

    func keepsBody(of record: TaskRecord) -> Bool { true }

    func passesOnContent(of record: TaskRecord) -> Bool { false }

    var hasDestinations: Bool { false }

    func destination(of record: TaskRecord, sessions: SessionCatalog) -> Admission.DestinationKey? { nil }
}

extension TaskKind {
    /// The handler of the kind.
    var handler: any TaskKindHandler {
        switch self {
        case .data: DataTaskHandler()
        case .upload: UploadTaskHandler()
        case .download: DownloadTaskHandler()
        case .callback: CallbackDeliveryHandler()
        }
    }
}

/// The task that a client's retry creates.
enum TaskRepetition: Sendable {
    /// A task that is decoded anew from the document of the finished one.
    case decoded(AcceptedTask)
    /// A task with the content of the finished one, which its session has not prepared.
    case copied(TaskRecord)
}
