import ErrandCryptography
package import ErrandTaskStore

/// The content that is passed on to the upstream while its client sends it.
extension TaskService {
    /// Returns true if the content of a task is passed on as it arrives (`{"content": "stream"}`).
    package func passesOnContent(of record: TaskRecord) -> Bool {
        record.kind.handler.passesOnContent(of: record)
    }

    /// Passes the content of a task on to its upstream; the task is queued when this begins.
    ///
    /// Returns when the transfer has taken all of the content, or when the task has ended before.
    ///
    /// - Parameters:
    ///   - record: The task, which waits for its content.
    ///   - parts: The content. It is read as fast as the upstream takes it.
    ///   - length: The number of bytes; `nil` if it is unknown.
    ///   - maxBytes: The size limit; `nil` for none.
    /// - Throws: The failure of the store.
    package func passOnContent<Parts: AsyncSequence & Sendable>(
        of record: TaskRecord, _ parts: Parts, length: Int64?, maxBytes: Int?
    ) async throws(TaskStoreError) -> ContentOutcome where Parts.Element == [UInt8] {
        // No attempt begins any more: the task keeps waiting, and the client sends the content to the next process.
        guard !dispatcher.isStopping else { return .stopping }
        guard record.awaitsContent else {
            return context.contentsUnderWay.stream(of: record.id) == nil ? .notAwaited(record) : .taken
        }
        let stream = ContentStream(parts, length: length, maxBytes: maxBytes.map { Int64($0) })
        switch context.contentsUnderWay.begin(record.id, passing: stream) {
        case .admitted: break
        case .taken: return .taken
        case .full: return .full
        }
        defer { context.contentsUnderWay.end(record.id) }
        // Without bytes there is nothing to wait for, and the request can be sent again.
        let isEmpty = length == 0
        let step = isEmpty ? TaskStep.contentArrived(.stored(size: 0, sha256: SHA256.hash([]))) : .contentBegan
        switch try await dispatcher.outcome(of: step, on: record) {
        case .done(let record, _):
            return isEmpty ? .stored(record) : try await end(of: stream, record)
        case .refused(let record), .preconditionFailed(let record):
            return record.awaitsContent ? .notStarting(record) : .notAwaited(record)
        case .notFound:
            return .noTask
        }
    }

    /// Waits until the transfer has taken all of the content, or the task has ended.
    private func end(
        of stream: ContentStream, _ record: TaskRecord
    ) async throws(TaskStoreError) -> ContentOutcome {
        let end = await withTaskGroup(of: WaitEnd.self) { group in
            group.addTask {
                for await _ in stream.taken {}
                return .streamEnded
            }
            group.addTask {
                do throws(TaskStoreError) {
                    let ended = try await context.wait(for: record, until: .done, timeout: Self.patience)
                    return ended.map { .taskEnded($0) } ?? .taskRemoved
                } catch {
                    return .storeFailed(error)
                }
            }
            defer { group.cancelAll() }
            return await group.next() ?? .streamEnded
        }
        if stream.isTaken { return .stored(record) }
        switch end {
        case .streamEnded,
            _ where Task.isCancelled:
            return try await clientDidLeave(record)
        case .storeFailed(let error): throw error
        case .taskRemoved: return .noTask
        case .taskEnded(let current): return outcome(of: stream, current)
        }
    }

    /// The first event that ended the wait for a transfer.
    private enum WaitEnd: Sendable {
        /// The transfer has taken all of the content, or the client has left.
        case streamEnded
        case taskEnded(TaskRecord)
        case taskRemoved
        case storeFailed(TaskStoreError)
    }

    /// Ends a task whose attempt has not begun: it would wait for content that no client sends.
    private func clientDidLeave(_ record: TaskRecord) async throws(TaskStoreError) -> ContentOutcome {
        _ = try await dispatcher.outcome(of: .contentLost, on: record)
        return .incomplete(CancellationError())
    }

    /// Returns the outcome of content that was not taken before its task ended.
    private func outcome(of stream: ContentStream, _ current: TaskRecord) -> ContentOutcome {
        if let failure = stream.failure {
            if let failure = failure as? ContentStream.TooLarge { return .tooLarge(failure.description) }
            return .incomplete(failure)
        }
        return current.state.isTerminal ? .endedEarly(current) : .stopping
    }

    /// The longest wait for the end of a task: longer than any task is tried.
    private static let patience = Duration.seconds(366 * 86_400)
}
