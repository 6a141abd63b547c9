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
    /// Returns when the transfer has taken all of the content, or when the task has ended before. If the gateway stops
    /// before an attempt takes the content, the task waits for it again.
    ///
    /// - Parameters:
    ///   - record: The task, which waits for its content.
    ///   - parts: The content. It is read as fast as the upstream takes it.
    ///   - length: The number of bytes; `nil` if it is unknown.
    ///   - maxBytes: The size limit; `nil` for none.
    ///   - isComplete: Returns true if all of the content has arrived, taken or not. A later cancellation of the
    ///     calling task does not end the wait: the client may have closed its sending side, and wait for the response.
    /// - Throws: The failure of the store.
    package func passOnContent<Parts: AsyncSequence & Sendable>(
        of record: TaskRecord, _ parts: Parts, length: Int64?, maxBytes: Int?,
        isComplete: @escaping @Sendable () -> Bool
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
        defer {
            context.contentsUnderWay.end(record.id)
            // The parts are no longer read when this returns, also if no attempt has taken any.
            stream.abandon()
        }
        // Without bytes there is nothing to wait for, and the request can be sent again.
        let isEmpty = length == 0
        let step = isEmpty ? TaskStep.contentArrived(.stored(size: 0, sha256: SHA256.hash([]))) : .contentBegan
        switch try await dispatcher.outcome(of: step, on: record) {
        case .done(let record, _):
            return isEmpty ? .stored(record) : try await end(of: stream, record, isComplete: isComplete)
        case .refused(let record), .preconditionFailed(let record), .invalid(let record, _):
            guard record.awaitsContent else { return .notAwaited(record) }
            return dispatcher.isStopping ? .stopping : .notStarting(record)
        case .notFound:
            return .noTask
        }
    }

    /// Waits until the transfer has taken all of the content, the task has ended, or a stop has withdrawn the content.
    ///
    /// A client that leaves before it has sent all of the content ends the wait too.
    private func end(
        of stream: ContentStream, _ record: TaskRecord, isComplete: @escaping @Sendable () -> Bool
    ) async throws(TaskStoreError) -> ContentOutcome {
        // A Swift task of its own: the calling one is also canceled when a client that has sent everything closes its
        // sending side.
        let wait = Task { await firstEnd(of: stream, record) }
        let end = await withTaskCancellationHandler {
            await wait.value
        } onCancel: {
            if !isComplete() { wait.cancel() }
        }
        if stream.isTaken { return .stored(record) }
        switch end {
        case .streamEnded,
            _ where Task.isCancelled && !isComplete():
            return try await clientDidLeave(record, sending: stream)
        case .storeFailed(let error): throw error
        case .taskRemoved: return .noTask
        case .waitEnded(let current): return outcome(of: stream, current)
        }
    }

    /// Returns the first event that ends the wait for a transfer.
    private func firstEnd(of stream: ContentStream, _ record: TaskRecord) async -> WaitEnd {
        await withTaskGroup(of: WaitEnd.self) { group in
            group.addTask {
                for await _ in stream.taken {}
                return .streamEnded
            }
            group.addTask {
                do throws(TaskStoreError) {
                    let current = try await context.wait(
                        for: record, until: .doneOrAwaitingContent, timeout: Self.patience)
                    return current.map { .waitEnded($0) } ?? .taskRemoved
                } catch {
                    return .storeFailed(error)
                }
            }
            defer { group.cancelAll() }
            return await group.next() ?? .streamEnded
        }
    }

    /// The first event that ended the wait for a transfer.
    private enum WaitEnd: Sendable {
        /// The transfer has taken all of the content, or the client has left.
        case streamEnded
        /// The task has ended or waits for its content again, or the gateway closes.
        case waitEnded(TaskRecord)
        case taskRemoved
        case storeFailed(TaskStoreError)
    }

    /// Ends a task whose attempt has not begun: it would wait for content that no client sends.
    ///
    /// While the gateway stops, it may be the server that has cut the request: the task waits for its content again.
    private func clientDidLeave(
        _ record: TaskRecord, sending stream: ContentStream
    ) async throws(TaskStoreError) -> ContentOutcome {
        if dispatcher.isStopping, !stream.isSpent {
            let outcome = try await dispatcher.outcome(of: .contentWithdrawn, on: record)
            if case .done = outcome { return .stopping }
        }
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
    static let patience = Duration.seconds(366 * 86_400)
}
