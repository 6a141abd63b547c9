import ErrandBodyFiles
package import ErrandTaskStore
package import ErrandTransfer

/// The content that clients send separately from their tasks.
extension TaskService {
    /// Receives the content of a task, and queues the task when it is complete.
    ///
    /// If the task ends before, the rest of the content is not read.
    ///
    /// - Parameters:
    ///   - record: The task, which waits for its content.
    ///   - parts: The content. It is not read if it is refused at once.
    ///   - maxBytes: The size limit; `nil` for none.
    ///   - digest: The SHA-256 that the client has announced; `nil` for none.
    /// - Throws: The failure of the store. If the task still waits for its content, the client can send it again.
    package func receiveContent<Parts: AsyncSequence & Sendable>(
        of record: TaskRecord, _ parts: Parts, maxBytes: Int?, expecting digest: [UInt8]?
    ) async throws(TaskStoreError) -> ContentOutcome where Parts.Element == [UInt8] {
        guard record.awaitsContent else { return .notAwaited(record) }
        guard let contents = context.storage.contents else { return .unavailable }
        switch context.contentsUnderWay.begin(record.id) {
        case .admitted: break
        case .taken: return .taken
        case .full: return .full
        }
        defer { context.contentsUnderWay.end(record.id) }
        // The task may have got its content since it was read.
        guard let current = try await task(record.id) else { return .noTask }
        guard current.awaitsContent else { return .notAwaited(current) }
        let receiver = ContentReceiver(contents: contents, id: record.id, maxBytes: maxBytes.map { Int64($0) })
        let (content, refusal) = await receive(parts, of: current, with: receiver, expecting: digest)
        switch content {
        // Also of a task that has just ended: this step decides.
        case .success(let content): return try await stored(content, of: current)
        case .failure(let failure): return refusal ?? ContentOutcome(failure)
        }
    }

    /// Receives the content of a task, at most until the task ends.
    ///
    /// - Returns: The content, and the outcome for the client if the task has ended meanwhile.
    private func receive<Parts: AsyncSequence & Sendable>(
        _ parts: Parts, of record: TaskRecord, with receiver: ContentReceiver, expecting digest: [UInt8]?
    ) async -> (content: Result<TaskContent, ContentReceiver.Failure>, refusal: ContentOutcome?)
    where Parts.Element == [UInt8] {
        let reception = Task { () -> Result<TaskContent, ContentReceiver.Failure> in
            do throws(ContentReceiver.Failure) {
                return .success(try await receiver.receive(parts, expecting: digest))
            } catch {
                return .failure(error)
            }
        }
        let watch = Task { () -> ContentOutcome? in
            guard let end = await refusal(afterEndOf: record) else { return nil }
            reception.cancel()
            return end
        }
        let content = await withTaskCancellationHandler {
            await reception.value
        } onCancel: {
            reception.cancel()
        }
        watch.cancel()
        return (content, await watch.value)
    }

    /// Waits for the end of a task that waits for its content, and returns the outcome for the client that sends it.
    ///
    /// - Returns: `nil` if the task has not ended: the calling task was canceled, the gateway closes, or the store
    ///   fails.
    private func refusal(afterEndOf record: TaskRecord) async -> ContentOutcome? {
        do throws(TaskStoreError) {
            let known = try await context.wait(for: record, until: .done, timeout: Self.patience)
            guard let current = known else { return .noTask }
            return current.awaitsContent ? nil : .notAwaited(current)
        } catch {
            return nil
        }
    }

    private func stored(_ content: TaskContent, of record: TaskRecord) async throws(TaskStoreError) -> ContentOutcome {
        // Until the step has its outcome, the file may already belong to the task: no other client may replace it.
        switch try await dispatcher.outcome(of: .contentArrived(content), on: record) {
        case .done(let record, _):
            return .stored(record)
        case .refused(let record), .preconditionFailed(let record), .invalid(let record, _):
            // The task ended while its content arrived.
            if record.content?.storedSize == nil { await context.removeContent(of: record.id) }
            return .notAwaited(record)
        case .notFound:
            await context.removeContent(of: record.id)
            return .noTask
        }
    }
}

/// The outcome of receiving the content of a task.
package enum ContentOutcome: Sendable {
    /// The content is stored, or was passed on; the task is queued, scheduled or suspended, or goes on.
    case stored(TaskRecord)
    /// The task does not wait for content.
    case notAwaited(TaskRecord)
    /// The task does not exist.
    case noTask
    /// Another client is sending the content of the task.
    case taken
    /// Too many clients are sending content.
    case full
    /// The gateway has no folder for the content of requests.
    case unavailable
    /// The client did not send all of the content.
    case incomplete(any Error)
    /// The content could not be written.
    case notWritten(TransferError)
    /// The content is passed on as it arrives, and the task cannot start now.
    case notStarting(TaskRecord)
    /// The task ended before it took all of the content that is passed on.
    case endedEarly(TaskRecord)
    /// The content that is passed on is larger than its limit.
    case tooLarge(String)
    /// The gateway is stopping.
    case stopping
    /// The content has another SHA-256 than the client has announced.
    case otherDigest(found: [UInt8])
}

extension ContentOutcome {
    /// Creates the outcome of content that is not stored.
    init(_ failure: ContentReceiver.Failure) {
        switch failure {
        case .incomplete(let reason): self = .incomplete(reason)
        case .notWritten(let error): self = .notWritten(error)
        case .otherDigest(let found): self = .otherDigest(found: found)
        }
    }
}
