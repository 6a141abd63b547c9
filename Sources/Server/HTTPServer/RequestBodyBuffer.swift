import ErrandLocking

/// A buffer between the server, which offers bytes, and the handler, which reads them.
///
/// Unread bytes are collected in one array, which the reader takes as a whole: no allocation for each read of the
/// socket while the reader is behind.
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
            state.sourceWaits = state.unread.count >= limitBytes
            return (nil, state.sourceWaits ? .full : .more)
        }
        if let reader {
            reader.resume(returning: .success(bytes))
        }
        return demand
    }

    func end(_ end: End) {
        let waiting = state.withLock { state -> (Reader, Result<[UInt8]?, RequestBodyError>)? in
            guard state.end == nil else { return nil }
            state.end = end
            guard let reader = state.reader, let result = state.take() else { return nil }
            state.reader = nil
            return (reader, result)
        }
        if let (reader, result) = waiting {
            reader.resume(returning: result)
        }
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
            reader?.resume(returning: .failure(.cancelled))
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
            guard !Task.isCancelled else { return (.failure(.cancelled), nil, false) }
            // A stream has one reader: a second one ends the wait of the first.
            defer { state.reader = continuation }
            return (nil, state.reader, false)
        }
        displaced?.resume(returning: .failure(.cancelled))
        if let result {
            continuation.resume(returning: result)
        }
        if wants {
            onDemand()
        }
    }
}
