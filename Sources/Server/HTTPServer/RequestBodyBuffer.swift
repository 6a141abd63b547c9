import ErrandLocking

/// A buffer between the server, which offers bytes, and the handler, which reads them.
///
/// Unread bytes are collected in one array, which the reader takes as a whole: no allocation for each read of the
/// socket while the reader is behind. Before the first read it holds one part, because the handler may refuse the
/// content.
final class RequestBodyBuffer: Sendable {
    private let limitBytes: Int
    private let onDemand: @Sendable () -> Void
    private let state = Mutex(State())

    enum End: Sendable {
        case finished
        case failed(RequestBodyError)
    }

    private typealias Reader = Continuation<Result<[UInt8]?, RequestBodyError>>

    private struct State {
        var unread: [UInt8] = []
        var end: End?
        var reader: Reader?
        /// True from the first read on, or once the limit before it is lifted.
        var isRead = false
        /// True if the source was told that the stream is full, and waits.
        var sourceWaits = false

        /// Returns the next result for a reader, or `nil` if the reader has to wait.
        mutating func take() -> Result<[UInt8]?, RequestBodyError>? {
            guard unread.isEmpty else {
                defer { unread = [] }
                return .success(unread)
            }
            switch end {
            case .finished: return .success(nil)
            case .failed(let error): return .failure(error)
            case nil: return nil
            }
        }

        /// Calls ``take()``, and also returns whether the source waits for room.
        mutating func takeAndClearDemand() -> (Result<[UInt8]?, RequestBodyError>?, wants: Bool) {
            isRead = true
            guard let result = take() else { return (nil, false) }
            defer { sourceWaits = false }
            return (result, sourceWaits)
        }
    }

    init(limitBytes: Int, onDemand: @escaping @Sendable () -> Void) {
        self.limitBytes = limitBytes
        self.onDemand = onDemand
    }

    /// True if all of the content has come, read or not.
    var isComplete: Bool {
        state.withLock { if case .finished = $0.end { true } else { false } }
    }

    func offer(_ bytes: [UInt8]) -> RequestBodySource.Demand {
        guard !bytes.isEmpty else { return .more }
        let (reader, demand) = state.withLock { state -> (Reader?, RequestBodySource.Demand) in
            guard state.end == nil else { return (nil, .more) }
            if let reader = state.reader {
                state.reader = nil
                return (reader, .more)
            }
            if state.unread.isEmpty {
                state.unread = bytes
            } else {
                state.unread.append(contentsOf: bytes)
            }
            state.sourceWaits = !state.isRead || state.unread.count >= limitBytes
            return (nil, state.sourceWaits ? .full : .more)
        }
        if let reader {
            reader.resume(returning: .success(bytes))
        }
        return demand
    }

    /// Applies the limit of a stream that is read from now on.
    ///
    /// - Returns: True if the source waits, and has room now.
    func liftUnreadLimit() -> Bool {
        state.withLock { state in
            guard !state.isRead else { return false }
            state.isRead = true
            guard state.sourceWaits, state.unread.count < limitBytes else { return false }
            state.sourceWaits = false
            return true
        }
    }

    func end(_ end: End) {
        let waiting = state.withLock { state -> (Reader, Result<[UInt8]?, RequestBodyError>)? in
            guard state.end == nil else { return nil }
            state.end = end
            // Nothing more can be offered.
            state.sourceWaits = false
            guard let reader = state.reader, let result = state.take() else { return nil }
            state.reader = nil
            return (reader, result)
        }
        if let (reader, result) = waiting {
            reader.resume(returning: result)
        }
    }

    /// Ends the stream with an error and drops the unread bytes; changes nothing after the end.
    func discard(_ error: RequestBodyError) {
        let reader = state.withLock { state -> Reader? in
            guard state.end == nil else { return nil }
            state.end = .failed(error)
            state.unread = []
            state.sourceWaits = false
            return state.reader.take()
        }
        reader?.resume(returning: .failure(error))
    }

    func next() async throws(RequestBodyError) -> [UInt8]? {
        if let result = takeNow() {
            return try result.get()
        }
        let result = await withTaskCancellationHandler {
            await withContinuation { continuation in
                wait(with: continuation)
            }
        } onCancel: {
            let reader = state.withLock { $0.reader.take() }
            reader?.resume(returning: .failure(.canceled))
        }
        return try result.get()
    }

    private func takeNow() -> Result<[UInt8]?, RequestBodyError>? {
        let (result, wants) = state.withLock { state in state.takeAndClearDemand() }
        if wants {
            onDemand()
        }
        return result
    }

    private func wait(with continuation: Reader) {
        let (result, displaced, wants) = state.withLock {
            state -> (Result<[UInt8]?, RequestBodyError>?, Reader?, Bool) in
            let (result, wants) = state.takeAndClearDemand()
            if let result {
                return (result, nil, wants)
            }
            guard !Task.isCancelled else { return (.failure(.canceled), nil, false) }
            // A stream has one reader: a second one ends the wait of the first.
            defer { state.reader = continuation }
            return (nil, state.reader, false)
        }
        displaced?.resume(returning: .failure(.canceled))
        if let result {
            continuation.resume(returning: result)
        }
        if wants {
            onDemand()
        }
    }
}
