import ErrandBodyFiles
import ErrandFileSources
import ErrandJSON
import ErrandSessionCore
import ErrandTaskStore
import ErrandTime
import ErrandTransfer

/// The handler of the kind `upload`: a request whose content may be of any size.
///
/// The client can send the content separately, after the task (`{"content": "later"}`); it is then in a file, from which
/// each attempt sends it. Or it is passed on while the client sends it (`{"content": "stream"}`), once. Otherwise an
/// upload is a task of the kind `data`.
struct UploadTaskHandler: ClientTaskKindHandler {
    private var data: DataTaskHandler { DataTaskHandler() }

    /// The time for which a task waits for its content.
    static let patience = Duration.seconds(86_400)

    // MARK: The document

    func read(
        _ task: inout JSONObjectReader, of document: JSONDocument, for session: Session?, _ problems: JSONProblems
    ) -> TaskRequest {
        let request = TaskRequestReader(document: document, takesContentLater: true).read(&task, problems)
        if request.body == nil, !task.says("body") {
            task.report("body", #"an upload needs a body, such as {"content": "later"} or {"file": "NAME"}"#)
        }
        return request
    }

    func awaitsContent(_ request: TaskRequest) -> Bool {
        guard case .source(let source)? = request.body else { return false }
        return source is AwaitedContent
    }

    func request(
        of record: TaskRecord, sessions: SessionCatalog, _ storage: ContentStorage, now: @Sendable () -> Timestamp
    ) async throws(SessionError) -> TaskRequest {
        var request = try await data.request(of: record, sessions: sessions, storage, now: now)
        switch record.content {
        case nil where Self.isPassedOn(request.body):
            guard let stream = storage.contentsUnderWay.stream(of: record.id) else {
                throw SessionError(
                    .contentIncomplete, "The client that sends the content of the request is gone; nothing was sent")
            }
            request.body = .source(stream)
        case nil: break
        case .awaited: throw SessionError(.contentMissing, "The content of the request has not arrived")
        case .passedOn: throw SessionError(.contentMissing, "The content of the request was passed on, and not stored")
        case .stored(0, _): request.body = .bytes([])
        case .stored(let size, let sha256):
            request.body = .source(try await Self.source(of: record.id, size: size, sha256: sha256, storage))
        }
        return request
    }

    /// Opens the content of a task.
    ///
    /// - Throws: An error if the file is missing or has another size.
    private static func source(
        of id: TaskID, size: Int64, sha256: [UInt8], _ storage: ContentStorage
    ) async throws(SessionError) -> FileSource {
        guard let contents = storage.contents else {
            throw SessionError(.fileNotFound, "This gateway has no folder for the content of requests")
        }
        let source: FileSource
        do throws(FileSourceError) {
            source = try await FileSource.open(path: contents.path(of: id), sha256: sha256)
        } catch {
            throw SessionError(
                error.code == .fileNotFound ? .fileNotFound : .badFile, "The content of the request: \(error.message)")
        }
        guard source.length == size else {
            throw SessionError(
                .badFile,
                "The content of the request has \(source.length ?? 0) bytes instead of the \(size) that arrived")
        }
        return source
    }

    // MARK: Content that is passed on

    private static func isPassedOn(_ body: TaskBody?) -> Bool {
        guard case .source(let source)? = body else { return false }
        return (source as? AwaitedContent)?.isPassedOn ?? false
    }

    func passesOnContent(of record: TaskRecord) -> Bool {
        // Content that is stored, or will be, is not passed on.
        guard record.content?.storedSize == nil, let request = try? TaskDocuments.request(of: record.specification)
        else {
            return false
        }
        return Self.isPassedOn(request.body)
    }

    func run(
        _ request: PreparedRequest, of record: TaskRecord, in session: Session, _ storage: ContentStorage,
        control: AttemptControl
    ) async -> TransferEnd {
        var end = await runOnce(request, of: record, in: session, storage, control: control)
        guard case .source(let source) = request.transfer.body, let stream = source as? ContentStream else {
            return end
        }
        end.passedOn = stream.passedOn
        if let failure = stream.failure, let error = end.outcome.error, error.code == .transportError {
            end.outcome.error = SessionError(
                .contentIncomplete, "The client did not send all of the content: \(failure)",
                mayHaveArrived: error.mayHaveArrived || end.outcome.metrics.bytesSent > 0)
        }
        return end
    }

    /// Returns false for content that is passed on: it is gone.
    func mayResend(_ record: TaskRecord, under configuration: RetryConfiguration) -> Bool {
        !passesOnContent(of: record) && data.mayResend(record, under: configuration)
    }

    // MARK: Repetitions

    /// Returns a task with the content of a failed one.
    ///
    /// Without a stored content, and with another `body`, the new task waits for its own.
    func repetition(
        of record: TaskRecord, overrides: JSONDocument?, key: IdempotencyKey?, by decoder: TaskDecoder,
        ids: TaskIDGenerator
    ) async throws(TaskRejection) -> TaskRepetition {
        let task = try await TaskRepeat(decoder: decoder).accept(record, overrides: overrides, key: key)
        guard task.content != nil, overrides?.root.object?["body"] == nil, record.state == .failed,
            let content = record.content, case .stored = content
        else {
            return .decoded(task)
        }
        return .decoded(task.with(content))
    }
}
