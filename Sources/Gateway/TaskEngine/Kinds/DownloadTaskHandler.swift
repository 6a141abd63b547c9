import ErrandBodyFiles
import ErrandCryptography
import ErrandDownloads
import ErrandJSON
import ErrandSessionCore
import ErrandTaskStore
import ErrandTime
import ErrandTransfer
import HTTPTypes

/// The handler of the kind `download`: a request whose content becomes a file, or a body of any size.
///
/// An attempt continues what earlier ones have left: ``ConfinedDownload`` with a destination, otherwise
/// ``BodyDownload``. Except for the content, a download is a task of the kind `data`.
struct DownloadTaskHandler: ClientTaskKindHandler {
    private var data: DataTaskHandler { DataTaskHandler() }

    // MARK: The document

    func read(
        _ task: inout JSONObjectReader, of document: JSONDocument, for session: Session?, _ problems: JSONProblems
    ) -> TaskRequest {
        let request = data.read(&task, of: document, for: session, problems)
        if task.says("response_serializer") {
            task.report("response_serializer", "the content of a download is kept as it is; remove this member")
        }
        for header in request.headers where ["range", "if-range"].contains(header.name.lowercased()) {
            problems.report(
                task.pointer.appending("headers").appending(header.name),
                "the download sets this field itself; remove it")
        }
        let specification = DownloadSpecification.read(&task)
        if specification.destination != nil, request.method?.uppercased() == "HEAD" {
            task.report("method", "the response to HEAD has no content for the file; use GET")
        }
        return specification.applied(to: request, under: session?.configuration.response ?? ResponseConfiguration())
    }

    func request(
        of record: TaskRecord, sessions: SessionCatalog, _ storage: ContentStorage, now: @Sendable () -> Timestamp
    ) async throws(SessionError) -> TaskRequest {
        let request = try await data.request(of: record, sessions: sessions, storage, now: now)
        let configuration = sessions.configuration(of: record.session)?.response ?? ResponseConfiguration()
        return try TaskDocuments.download(of: record.specification).applied(to: request, under: configuration)
    }

    // MARK: Attempts

    func run(
        _ request: PreparedRequest, of record: TaskRecord, in session: Session, _ storage: ContentStorage,
        control: AttemptControl
    ) async -> TransferEnd {
        let specification: DownloadSpecification
        do throws(SessionError) {
            specification = try TaskDocuments.download(of: record.specification)
        } catch {
            return TransferEnd(outcome: SessionOutcome(error: error))
        }
        guard let destination = specification.destination else {
            return await receiveBody(
                request, of: record, as: specification, in: session, storage: storage, control: control)
        }
        guard let downloads = storage.downloads else {
            return TransferEnd(
                outcome: SessionOutcome(
                    error: SessionError(.cannotCreate, "This gateway has no folder for downloads (files.downloads)")))
        }
        var options = DownloadOptions(onConflict: specification.onConflict, createsFolders: true)
        options.checksum = specification.checksum
        options.maxBytes = specification.maxBytes
        options.connections = specification.connections
        var rules = TaskRequest()
        let sink = SpoolSink(
            storage, id: record.id, limit: .fixed(session.configuration.response.disposition.maxBodyBytes),
            of: (request, session))
        let download = ConfinedDownload(
            record.id.description, continuing: record.retryOf?.description, below: downloads,
            options: options, rules: rules.becomeDownload(under: session.configuration.response), others: sink,
            keepsWhenFull: storage.downloadsHaveOwnDisk
        ) { (head, url) throws(SessionError) in
            let names = SuggestedFileNames(contentDisposition: head.headers[.contentDisposition], url: url)
            let values = DestinationValues(
                taskID: record.id, session: record.session, created: record.createdAt, fileNames: names)
            do throws(DestinationProblem) {
                return try destination.path(for: values).names
            } catch {
                throw SessionError(.cannotCreate, "The destination \(error)")
            }
        }
        let (outcome, file) = await download.run(request, in: session, control: control)
        return TransferEnd(outcome: outcome, file: file)
    }

    /// Receives content that becomes the body of the task.
    private func receiveBody(
        _ request: PreparedRequest, of record: TaskRecord, as specification: DownloadSpecification,
        in session: Session, storage: ContentStorage, control: AttemptControl
    ) async -> TransferEnd {
        var outcome = await receive(
            request, of: record, as: specification, in: session, storage: storage, control: control)
        guard outcome.error == nil, let checksum = specification.checksum else {
            return TransferEnd(outcome: outcome)
        }
        do throws(SessionError) {
            try await verify(
                outcome.response?.body ?? .empty, against: checksum, of: record, in: storage.bodies, control: control)
            return TransferEnd(outcome: outcome)
        } catch {
            outcome.error = error
        }
        // The content has its final place already; a file that cannot be removed is an orphan.
        try? await storage.bodies.remove(record.id)
        outcome.response?.body = nil
        return TransferEnd(outcome: outcome)
    }

    private func receive(
        _ request: PreparedRequest, of record: TaskRecord, as specification: DownloadSpecification,
        in session: Session, storage: ContentStorage, control: AttemptControl
    ) async -> SessionOutcome {
        // Only content that is got with GET has parts (RFC 9110 §14.2).
        if request.method == .get {
            return await BodyDownload(
                of: record, maxBytes: specification.maxBytes, request: request, in: session, storage: storage
            ).run(control: control)
        }
        let sink = SpoolSink(
            storage, id: record.id,
            limit: ContentLimit(accepted: specification.maxBytes ?? .max, of: request, in: session),
            of: (request, session))
        return await session.run(request, sink: sink, control: control)
    }

    /// Compares the digest of received content with the expected one.
    private func verify(
        _ body: ReceivedBody, against checksum: DownloadChecksum, of record: TaskRecord, in bodies: BodyFiles,
        control: AttemptControl
    ) async throws(SessionError) {
        let found = try await digest(of: body, for: checksum, record: record, in: bodies, control: control)
        do throws(SessionError) {
            try checksum.verify(found)
        } catch {
            var error = error
            // Damage on the way is repaired by another attempt.
            error.isRetryable = true
            throw error
        }
    }

    private func digest(
        of body: ReceivedBody, for checksum: DownloadChecksum, record: TaskRecord, in bodies: BodyFiles,
        control: AttemptControl
    ) async throws(SessionError) -> [UInt8] {
        if checksum.algorithm == .sha256, let found = body.sha256 { return found }
        switch body.content {
        case .bytes(let bytes):
            var digest = try checksum.begin()
            digest.update(bytes)
            return digest.finish()
        case .stored:
            let (path, size) = (bodies.path(of: record.id), body.size)
            let found = await withTaskCancellationHandler { () -> Result<[UInt8], SessionError> in
                do throws(SessionError) {
                    return .success(
                        try await checksum.digest(ofFileAt: path, bytes: size) { control.canceled != nil })
                } catch {
                    return .failure(error.code == .canceled ? control.canceled ?? error : error)
                }
            } onCancel: {
                control.cancel()
            }
            return try found.get()
        }
    }

    var writesFiles: Bool { true }

    /// Returns false if the task has a destination, or if its document cannot be read, with which it fails.
    func keepsBody(of record: TaskRecord) -> Bool {
        guard let specification = try? TaskDocuments.download(of: record.specification) else { return false }
        return specification.destination == nil
    }
}
