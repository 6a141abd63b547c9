import ErrandBodyFiles
import ErrandDownloads
import ErrandFiles
import ErrandLocking
import ErrandSessionCore
import ErrandTaskStore
import ErrandTransfer
import HTTPTypes

/// One attempt at a download whose content becomes the body of the task, and which continues what earlier attempts have
/// left.
///
/// Content that is too large for memory goes into an incomplete file. After an error from which the download can be
/// resumed, that file is kept for the next attempt, also in another process. The request is sent again until the content
/// is complete, or an error ends the attempt.
final class BodyDownload: Sendable {
    private let storage: ContentStorage
    private let record: TaskRecord
    private let place: BodyDownloadPlace
    private let sink: SpoolSink
    /// The size limit of the whole content.
    private let contentLimit: Int64
    private let limit: ContentLimit
    private let rules: (request: PreparedRequest, session: Session)
    private let state = Mutex(BodyDownloadState())

    /// Creates an attempt.
    ///
    /// - Parameters:
    ///   - record: The task, running.
    ///   - maxBytes: The size limit of the whole content; `nil` for none.
    ///   - request: The prepared request for the whole content, with the method GET.
    ///   - session: The session that sends it.
    ///   - storage: The storage for the content.
    init(
        of record: TaskRecord, maxBytes: Int64?, request: PreparedRequest, in session: Session,
        storage: ContentStorage
    ) {
        self.storage = storage
        self.record = record
        place = BodyDownloadPlace(of: record.id.description, in: storage.bodyDownloads)
        contentLimit = maxBytes ?? .max
        limit = ContentLimit(accepted: contentLimit, of: request, in: session)
        sink = SpoolSink(storage, id: record.id, limit: limit, of: (request, session))
        rules = (request, session)
    }

    private var request: PreparedRequest { rules.request }
    private var url: String { request.transfer.url.string }

    // MARK: Requests

    /// Runs the attempt.
    ///
    /// - Parameter control: The control of the attempt. Its progress becomes that of the whole content.
    func run(control: AttemptControl) async -> SessionOutcome {
        let attempt = await withTaskCancellationHandler { () -> SessionOutcome? in
            guard await open(unless: { control.canceled != nil }) else { return nil }
            control.showProgress { self.progress(of: $0) }
            defer { control.keepShownProgress() }
            return await requests(control)
        } onCancel: {
            control.cancel()
        }
        // What an earlier attempt has left was not touched.
        guard var outcome = attempt else { return SessionOutcome(error: control.canceled ?? .canceled) }
        await settle(after: outcome)
        if outcome.error == nil, outcome.response?.head.headers.contains(.contentType) == false {
            outcome.response?.head.headers[.contentType] = state.withLock { $0.contentType }
        }
        return outcome
    }

    /// Opens the file that an earlier attempt has left, if there is one.
    ///
    /// If it cannot be opened, the download begins at the first byte.
    ///
    /// - Returns: False if the attempt was canceled before the file was opened.
    private func open(unless isCanceled: @escaping @Sendable () -> Bool) async -> Bool {
        guard storage.bodyDownloads.mayHavePartialFiles else { return true }
        let (place, url, earlierKey) = (place, url, record.retryOf?.description)
        let data = await storage.bodyDownloads.perform {
            try? place.open(for: url, continuing: earlierKey)
        }
        guard let data else { return true }
        let kept = await storage.bodies.openKept(
            for: record.id, at: data.partialPath, place, bytes: data.received, unless: isCanceled)
        guard let kept else { return !isCanceled() }
        place.touch()
        state.withLock { state in
            state.machine = DownloadMachine(resuming: data)
            state.contentType = data.contentType
            state.kept = kept
        }
        return true
    }

    private func requests(_ control: AttemptControl) async -> SessionOutcome {
        var requests = ConsecutiveRequests(of: request, in: rules.session, control: control)
        for _ in 1...DownloadMachine.unfinishedLimit {
            var outcome: SessionOutcome
            do throws(SessionError) {
                outcome = try await requests.send(ask(), into: self)
            } catch {
                return requests.ending(with: error)
            }
            outcome = requests.add(outcome)
            if outcome.error == nil || outcome.error?.code == .unacceptableStatus,
                let kept = state.withLock({ $0.takeComplete() })
            {
                return await completed(outcome, with: kept)
            }
            switch state.withLock({ $0.conclusion }) {
            case .none:
                return outcome
            case .failed(let error):
                outcome.error = control.canceled ?? error
                return outcome
            case .again:
                if let error = control.canceled { return outcome.ending(with: error) }
                if outcome.mayRestart { return outcome }
            }
        }
        return requests.ending(with: DownloadMachine.unfinishedTooOften)
    }

    /// Returns the next request: for what is missing, or for the whole content.
    private func ask() -> PreparedRequest {
        let asked = state.withLock { $0.ask() }
        guard let asked else { return request }
        return request.asking(fromByte: asked.offset, upTo: nil, ifStill: asked.validator)
    }

    /// Returns the outcome of a request for which the server has stated, with the status 416, that the kept content
    /// lacks nothing.
    private func completed(_ outcome: SessionOutcome, with kept: KeptBody) async -> SessionOutcome {
        var outcome = outcome
        // That of the response describes its own content.
        outcome.response?.head.headers[.contentType] = nil
        sink.begin(nil, keptAt: place, continuing: kept) {}
        do throws(TransferError) {
            outcome.response?.body = try await sink.finish()
            outcome.error = nil
        } catch {
            outcome.response?.body = nil
            outcome.error = SessionError(error)
        }
        return outcome
    }

    /// Keeps what can be resumed for the next attempt, and removes the rest.
    private func settle(after outcome: SessionOutcome) async {
        // A larger file does not become smaller.
        let mayContinue = outcome.mayRestart || outcome.error.map { $0.code != .bodyTooLarge } ?? false
        let (kept, data) = state.withLock { state in
            let data = mayContinue ? state.resumeData(url: url, bytes: state.kept?.size ?? 0) : nil
            return (state.kept.take(), data)
        }
        let place = place
        guard place.mustSettle(afterSuccess: outcome.error == nil && !outcome.mayRestart) else { return }
        await storage.bodyDownloads.perform { place.settle(kept, data) }
    }

    /// Returns the progress of the whole content.
    private func progress(of transfer: TransferProgress) -> TransferProgress {
        let (offset, total) = state.withLock { ($0.offset, $0.machine.total) }
        // Only content that is not encoded is resumed.
        guard offset > 0 else { return transfer }
        var progress = transfer
        progress.received += offset
        progress.receivedOnWire += offset
        (progress.receiveTotal, progress.receiveTotalOnWire) = (total, total)
        return progress
    }
}

// MARK: - Content

extension BodyDownload: FollowedSink {
    var followed: (spool: BodySpool, contentType: String?)? { sink.followed }

    func maxBytes(of head: ResponseHead) -> Int64? {
        // The spool counts the bytes of the whole content.
        head.status == 206 ? .max : limit.maxBytes(of: head)
    }

    func begin(resume: @escaping @Sendable () -> Void) { sink.begin(resume: resume) }

    func begin(_ head: ResponseHead, resume: @escaping @Sendable () -> Void) -> HeadDecision {
        let isAcceptable = request.isAcceptable(head, under: rules.session.configuration.response)
        let (action, kept, content) = state.withLock { state in
            let (action, kept) = state.begin(head, isAcceptable: isAcceptable, maxBytes: contentLimit)
            return (action, kept, state.resumeData(url: url, bytes: 0))
        }
        switch action {
        case .write(from: 0):
            if let kept { place.replace(kept) }
            // Content that cannot be resumed has an ordinary file, which is removed if it does not become complete.
            if let content { place.expect(content) }
            sink.begin(head, maxBytes: contentLimit, keptAt: content == nil ? nil : place, resume)
        case .write:
            sink.begin(head, maxBytes: contentLimit, keptAt: place, continuing: kept, resume)
        case .keepInMemory:
            sink.begin(head, resume)
        case .startAgain, .refuse:
            return .stop(.canceled)
        }
        return .proceed
    }

    func append(_ bytes: RawSpan) -> ReceiveDecision {
        state.withLock { state in
            if state.machine.isWriting { state.machine.received(bytes: bytes.byteCount) }
        }
        return sink.append(bytes)
    }

    func finish() async throws(TransferError) -> ReceivedBody {
        let ending = state.withLock { state in
            let isWriting = state.machine.isWriting && state.isReceiving
            if isWriting { state.isReceiving = false }
            return isWriting ? state.machine.ended() : nil
        }
        switch ending {
        case nil, .complete:
            return try await sink.finish()
        case .unfinished:
            await keep()
            state.withLock { $0.conclusion = .again }
            return .empty
        case .wrongLength:
            await sink.discard()
            let error = DownloadMachine.wrongLength
            state.withLock { $0.conclusion = .failed(error) }
            throw TransferError(.cannotParseResponse, error.message)
        }
    }

    func discard() async {
        let isWriting = state.withLock { state in
            defer { state.isReceiving = false }
            return state.machine.isWriting && state.isReceiving
        }
        if isWriting { await keep() } else { await sink.discard() }
    }

    /// Keeps the content that was received, for the next request.
    private func keep() async {
        let kept = await sink.keep()
        state.withLock { $0.keep(kept) }
    }
}
