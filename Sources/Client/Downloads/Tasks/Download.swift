import Dispatch
import ErrandFiles
import ErrandLocking
import ErrandSessionCore
import ErrandTransfer
import HTTPTypes

/// The work of one download task: what it requests, what it writes, and its end.
///
/// The transport's thread calls ``append(_:)``, which never waits for the disk. Everything that may block runs on a
/// serial queue, one operation after the other.
final class Download: Sendable {
    /// Returns the path of the complete file, by the head of the response and its URL.
    private let locate: @Sendable (ResponseHead, String) throws(SessionError) -> String
    /// The place of the partial file; `nil` for a file with an unpredictable name beside the complete one.
    let place: PartialPlace?
    private let options: DownloadOptions
    /// The rules for the task's responses.
    private let rules: ResponseConfiguration
    /// The destination of content that is not that of the file; `nil` for memory.
    private let others: (any BodySink)?
    /// The maximum number of content bytes of an unsuccessful response.
    private let maxMemoryBytes: Int64
    /// The maximum number of content bytes of the response of an error.
    private let maxErrorBytes: Int64
    /// The resume data with which the download began.
    let given: DownloadResumeData?
    private let queue = DownloadQueues.writers.assign()
    let state: Mutex<DownloadState>

    /// Creates the work of a task.
    ///
    /// - Parameter rules: The rules for the task's responses.
    convenience init(
        to destination: DownloadDestination, options: DownloadOptions, resuming data: DownloadResumeData?,
        rules: ResponseConfiguration
    ) {
        self.init(
            locatedBy: { destination.path(for: $0, from: $1) }, partial: nil, options: options, resuming: data,
            rules: rules)
    }

    /// Creates the work of a task whose destination may be refused.
    ///
    /// - Parameters:
    ///   - locate: Returns the path of the complete file, by the head of the response and the URL that responded.
    ///     Called once, before the first byte is written, on a thread for files.
    ///   - place: The place of the partial file, where it is kept after every error from which it can be resumed.
    ///   - rules: The rules for the task's responses.
    ///   - sink: The destination of content that is not that of the file, as of an unsuccessful response; `nil`, the
    ///     default, for memory.
    init(
        locatedBy locate: @escaping @Sendable (ResponseHead, String) throws(SessionError) -> String,
        partial place: PartialPlace?,
        options: DownloadOptions, resuming data: DownloadResumeData?, rules: ResponseConfiguration,
        others sink: (any BodySink)? = nil
    ) {
        self.locate = locate
        self.place = place
        self.options = options
        self.rules = rules
        others = sink
        maxMemoryBytes = rules.disposition.maxBodyBytes
        maxErrorBytes = rules.disposition.maxErrorBytes
        given = data
        state = Mutex(
            DownloadState(
                machine: DownloadMachine(resuming: data), maxBytes: options.maxBytes,
                maxConnections: rules.acceptableStatuses.contains(206) ? options.connections : 1,
                written: data?.written ?? ByteRanges(), contentDisposition: data?.contentDisposition,
                keepsOthers: sink == nil))
    }

    /// Keeps the partial file if the task is canceled.
    func keepPartialFile() {
        state.withLock { $0.keepsPartialFile = true }
    }

    /// True if the complete file was moved to its destination.
    var isInPlace: Bool { state.withLock { $0.location != nil } }

    /// Returns data from which the download can be resumed if the process ends now.
    func currentResumeData() async -> DownloadResumeData? {
        await onQueue { self.snapshot() }
    }

    /// Returns the outcome of the task, whose own outcome is known already.
    func outcome(_ outcome: SessionOutcome) async -> DownloadOutcome {
        // On the queue, after the partial file was kept or removed.
        await onQueue {
            let (location, size, resumeData) = self.state.withLock { ($0.location, $0.written, $0.resumeData) }
            var result = DownloadOutcome(response: outcome.response, metrics: outcome.metrics)
            if let error = outcome.error {
                let shown = outcome.response.map { error.with($0, maxBytes: self.maxErrorBytes) } ?? error
                result.error = DownloadError(shown, resumeData: resumeData)
            } else if let location, let response = outcome.response {
                result.file = DownloadedFile(path: location, size: size, response: response)
            }
            return result
        }
    }

    func onQueue<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await queue.perform(work)
    }

    /// Performs work that may block, after all earlier work.
    func later(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }

    /// Records a failure that ends the attempt, and ends its transfers at once: their servers may be silent for long.
    func fail(_ error: SessionError) {
        let (resume, attempt) = state.withLock { ($0.fail(error), $0.connections.attempt) }
        resume?()
        attempt?.cancelTransfer()
        cancelParts()
    }
}

// MARK: - Attempts

extension Download: TaskAttempts {
    func willBegin(_ attempt: RunningAttempt) {
        state.withLock { $0.connections = PartConnections(of: attempt) }
    }

    func next(
        _ request: PreparedRequest
    ) async throws(SessionError) -> (request: PreparedRequest, sink: any BodySink) {
        let prepared = await onQueue { self.prepare(request) }
        return (try prepared.get(), self)
    }

    /// Records the request of a response that becomes this download when its head has come.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - attempt: The attempt to which it belongs; `nil` if that is unknown.
    func adopt(_ request: PreparedRequest, of attempt: RunningAttempt?) {
        state.withLock { state in
            state.connections = PartConnections(of: attempt)
            state.url = request.transfer.url.string
            state.request = request
            // There is nothing to resume yet.
            _ = state.machine.ask(isGet: request.method == .get)
        }
    }

    private func prepare(_ request: PreparedRequest) -> Result<PreparedRequest, SessionError> {
        do throws(SessionError) {
            try reopen()
        } catch {
            return .failure(error)
        }
        let asked = state.withLock { state in
            state.request = request
            state.connections.request = request
            return state.ask(request, as: request.transfer.url.string)
        }
        guard let asked else { return .success(request) }
        return .success(request.asking(fromByte: asked.offset, upTo: asked.end, ifStill: asked.validator))
    }

    /// Opens the partial file of resume data, before the first attempt.
    private func reopen() throws(SessionError) {
        guard let given, state.withLock({ $0.mustReopen }) else { return }
        do throws(SystemFailure) {
            let file = try PartialFile(
                opening: given.partialPath, keeping: given.written?.end ?? .max,
                minFreeBytes: place?.minFreeBytes ?? 0)
            let size = try file.size()
            state.withLock { $0.reopened(file, bytes: size) }
        } catch {
            guard error.isMissingFile else { throw SessionError(creating: error, in: given.partialPath) }
            // The download starts again, with a new file.
            state.withLock { $0.reopened(nil, bytes: 0) }
        }
    }

    func conclude(
        _ outcome: SessionOutcome, isCanceled: @escaping @Sendable () -> Bool
    ) async -> SessionOutcome {
        let outcome = await receiveParts(after: outcome, isCanceled: isCanceled)
        let (concluded, isComplete) = await onQueue { self.concluded(outcome, isCanceled: isCanceled) }
        guard isComplete else { return concluded }
        let check = await check(unless: isCanceled)
        return await onQueue { self.completed(concluded, check, isCanceled: isCanceled) }
    }

    /// Returns the outcome after the content was written, and true if the file is complete.
    private func concluded(_ outcome: SessionOutcome, isCanceled: () -> Bool) -> (SessionOutcome, Bool) {
        guard !outcome.mayRestart else { return (outcome, false) }
        // Also after a cancellation, by which a validator may have ended without a decision.
        if outcome.error != nil { state.withLock { $0.forgetRefused() } }
        guard !isCanceled() else { return (outcome, false) }
        var outcome = outcome
        // Content that was received is in the file, and a response which tells that the file lacks nothing has none.
        if state.withLock({ $0.machine.isWriting || $0.machine.isComplete }) { outcome.response?.body = nil }
        switch state.withLock({ $0.conclude(outcome.error) }) {
        case .none:
            break
        case .again(let wasLostToSuspension):
            outcome.mayRestart = true
            if wasLostToSuspension { outcome.wasLostToSuspension = true }
        case .failed(let error):
            outcome.error = error
        case .complete:
            return (outcome, true)
        }
        return (outcome, false)
    }

    /// Compares the digest of the complete file with the expected one, if there is one.
    private func check(unless isCanceled: @escaping @Sendable () -> Bool) async -> Result<Void, SessionError> {
        guard let checksum = options.checksum, let file = state.withLock({ $0.file }) else { return .success(()) }
        do throws(SessionError) {
            try await checksum.verify(file, unless: isCanceled)
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    /// Returns the outcome after the complete file was moved, or not.
    private func completed(
        _ outcome: SessionOutcome, _ check: Result<Void, SessionError>, isCanceled: () -> Bool
    ) -> SessionOutcome {
        var outcome = outcome
        do throws(SessionError) {
            try publish(check, unless: isCanceled)
            outcome.error = nil
        } catch {
            keepOrForget(after: error)
            outcome.error = error
        }
        return outcome
    }

    /// Forgets the complete file, unless it is good and can be moved later.
    private func keepOrForget(after error: SessionError) {
        let isInPlace = state.withLock { $0.file }?.isInPlace == true
        state.withLock { state in
            if !isInPlace { state.file = nil }
            // Without a prepared target, nothing was done to the file.
            let isGood = error.leavesFileGood || state.target == nil
            if !isInPlace || !isGood { state.machine.forget() }
        }
    }

    /// Returns the progress of the whole file.
    func progress(of transfer: TransferProgress) -> TransferProgress {
        var progress = transfer
        (progress.received, progress.receiveTotal) = state.withLock { ($0.received, $0.machine.total) }
        // Only content that is not encoded is resumed.
        if transfer.received == transfer.receivedOnWire {
            (progress.receivedOnWire, progress.receiveTotalOnWire) = (progress.received, progress.receiveTotal)
        }
        return progress
    }

    func didComplete(_ outcome: SessionOutcome) {
        let error = outcome.error
        queue.async { self.settle(after: error) }
    }
}

// MARK: - Content

extension Download: BodySink {
    /// Does nothing: a download decides by the head.
    func begin(resume: @escaping @Sendable () -> Void) {}

    /// Returns true if a response can be a success, by its status and by the type of its content.
    func isAcceptable(_ head: ResponseHead) -> Bool {
        // Content without a byte has no type. The transport has already rejected a head with an invalid length.
        let isEmpty = (try? head.contentLength(toHEAD: false)) == 0
        guard !isEmpty, let request = state.withLock({ $0.request }) else {
            return rules.acceptableStatuses.contains(head.status)
        }
        return request.isAcceptable(head, under: rules)
    }

    /// Returns the limit of content that is not that of the file, so that longer content is refused by its head.
    func maxBytes(of head: ResponseHead) -> Int64? { isAcceptable(head) ? nil : maxMemoryBytes }

    func begin(_ head: ResponseHead, resume: @escaping @Sendable () -> Void) -> HeadDecision {
        let isAcceptable = isAcceptable(head)
        let (action, failure) = state.withLock { $0.begin(head, isAcceptable: isAcceptable, resume: resume) }
        if let failure { return .stop(failure.transferError) }
        switch action {
        case .write(let offset):
            queue.async { self.openFile(for: head, at: offset) }
            startParts()
            return .proceed
        case .keepInMemory:
            return others?.begin(head, resume: resume) ?? .proceed
        case .startAgain, .refuse:
            return .stop(.canceled)
        }
    }

    func append(_ bytes: RawSpan) -> ReceiveDecision {
        let (decision, piece, isWriting) = state.withLock { state in
            let (decision, piece) = state.append(bytes, maxMemoryBytes: maxMemoryBytes)
            return (decision, piece, state.machine.isWriting)
        }
        if let piece { queue.async { self.write(piece) } }
        guard !isWriting, case .more = decision, let others else { return decision }
        return others.append(bytes)
    }

    func finish() async throws(TransferError) -> ReceivedBody {
        let (memory, isComplete) = state.withLock { state -> ([UInt8]?, Bool) in
            (state.machine.isWriting ? nil : state.memory, state.machine.isComplete)
        }
        if let memory {
            guard let others else { return ReceivedBody(size: Int64(memory.count), content: .bytes(memory)) }
            guard isComplete else { return try await others.finish() }
            // The response has only told that the file lacks nothing.
            await others.discard()
            return .empty
        }
        await onQueue { self.flush() }
        let (failure, size) = state.withLock { state in
            state.isWhole = state.failure == nil
            return (state.failure, state.written)
        }
        if let failure { throw failure.transferError }
        return ReceivedBody(size: size, content: .bytes([]))
    }

    /// Writes the content that was received, so that it can be resumed, or drops that of an unsuccessful response.
    func discard() async {
        await onQueue { self.flush() }
        state.withLock { $0.memory = [] }
        await others?.discard()
    }
}

// MARK: - On the queue

extension Download {
    /// Opens the file for the content of a response, at the offset of its first byte.
    private func openFile(for head: ResponseHead, at offset: Int64) {
        guard state.withLock({ $0.failure == nil }) else { return }
        do throws(SessionError) {
            let target = try target(for: head)
            let file = try partialFile(in: target.folder)
            try target.checkMove(from: file.path)
            do throws(SystemFailure) {
                // The record of other content must not outlive that content.
                if offset == 0 { try place?.forget() }
                if let parts = state.withLock({ $0.parts }) {
                    state.withLock { $0.hasStrayBytes = true }
                    try file.begin(at: offset, keepingUpTo: parts.written.end, of: parts.total)
                } else {
                    try file.begin(at: offset, of: state.withLock { $0.machine.total })
                    state.withLock { $0.hasStrayBytes = false }
                }
                if let data = state.withLock({ $0.dataOnceReceived }) {
                    try place?.record(data, hasRanges: state.withLock { $0.hasStrayBytes }, synchronized: nil)
                }
            } catch {
                throw SessionError(writing: error, to: file.path)
            }
            state.withLock { $0.written = offset }
        } catch {
            fail(error)
        }
    }

    /// Returns the path of the complete file, where a file can be created.
    private func target(for head: ResponseHead) throws(SessionError) -> DownloadPath {
        if let known = state.withLock({ $0.target }) { return known }
        let target = try DownloadPath(path(for: head))
        try target.prepare(options)
        state.withLock { $0.target = target }
        return target
    }

    /// Returns the path of the complete file, which is chosen once: another attempt may only prepare it again.
    private func path(for head: ResponseHead) throws(SessionError) -> String {
        let (known, contentDisposition, attempt, url) = state.withLock {
            ($0.chosenPath, $0.contentDisposition, $0.connections.attempt, $0.url)
        }
        if let known { return known }
        var head = head
        // The response with the rest need not state again what the first one has stated (RFC 9110 §15.3.7).
        if head.status == 206 || head.status == 416, !head.headers.contains(.contentDisposition) {
            head.headers[.contentDisposition] = contentDisposition
        }
        let path = try locate(head, attempt?.url?.string ?? url)
        state.withLock { $0.chosenPath = path }
        return path
    }

    private func partialFile(in folder: String) throws(SessionError) -> PartialFile {
        if let file = state.withLock({ $0.file }) { return file }
        do throws(SystemFailure) {
            let file = if let place { try place.create() } else { try PartialFile(inFolder: folder) }
            state.withLock { $0.file = file }
            return file
        } catch {
            throw SessionError(creating: error, in: folder)
        }
    }

    private func write(_ first: [UInt8]) {
        var next: [UInt8]? = first
        while let piece = next {
            guard let file = state.withLock({ $0.failure == nil ? $0.file : nil }) else { return }
            do throws(SystemFailure) {
                try file.write(piece)
            } catch {
                return fail(SessionError(writing: error, to: file.path))
            }
            let (more, resume) = state.withLock { $0.didWrite(piece.count) }
            next = more
            resume?()
            recordParts(piece.count)
        }
    }

    /// Writes what was received, at the end of a response.
    private func flush() {
        let rest = state.withLock { $0.buffer.takeRest() }
        if !rest.isEmpty { write(rest) }
        state.withLock { $0.settle() }
    }

    /// Checks the complete file, and moves it to its destination.
    ///
    /// - Parameter check: The result of the comparison of its digest.
    private func publish(
        _ check: Result<Void, SessionError>, unless isCanceled: () -> Bool
    ) throws(SessionError) {
        let (head, open, size) = state.withLock { ($0.head, $0.file, $0.machine.position) }
        guard let head, let file = open else {
            throw SessionError(.internal, "The download is complete, but there is no file")
        }
        let target = try target(for: head)
        let found: Int64
        do throws(SystemFailure) {
            found = try file.size()
            try file.synchronize()
        } catch {
            throw SessionError(writing: error, to: file.path)
        }
        guard found == size else {
            throw SessionError(.cannotWrite, "The file \(file.path) has \(found) bytes instead of \(size)")
        }
        try check.get()
        if isCanceled() { throw .canceled }
        let location = try file.move(to: target, options.onConflict)
        state.withLock { state in
            state.location = location
            state.written = size
            state.file = nil
        }
    }
}
