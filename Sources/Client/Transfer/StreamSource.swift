import ErrandLocking

/// A body source of the byte buffers of an asynchronous sequence.
///
/// ```swift
/// let (buffers, input) = AsyncStream<[UInt8]>.makeStream()
/// try await api.put("log", body: .source(StreamSource(buffers)))
/// ```
///
/// The sequence is iterated once, by a Swift task that starts when the transfer first asks for content. It is read only
/// as fast as the connection accepts the bytes: no further buffer is requested while 64 KiB or more are unread, so at
/// most one buffer more than that is in memory. The task is canceled when a transfer that has got a part of the
/// content ends before the sequence does; if none has got any, when the request has ended, or when the source is
/// released.
///
/// The content cannot be sent a second time once a part of it was sent: a redirect or challenge that requires this
/// fails with `body_stream_exhausted`, and a failed attempt is not retried. As long as nothing was sent, another
/// transfer gets all of it, also if the sequence is being read already. An error that the sequence throws fails the
/// transfer with ``TransferError/Code/transportError``, and is its ``failure``.
///
/// Thread-safe.
public final class StreamSource: BodySource {
    /// The number of bytes, or `nil` if unknown.
    public let length: Int64?
    private let filler: any StreamFiller
    private let reading: StreamReading

    /// Creates a source of the buffers of a sequence.
    ///
    /// - Parameters:
    ///   - buffers: The content. Empty buffers have no effect.
    ///   - length: The number of bytes. Default: `nil`, unknown; the content is then sent chunked (HTTP/1.1). The
    ///     transfer fails with ``TransferError/Code/transportError`` if the sequence ends earlier, or if a buffer
    ///     extends beyond this length; buffers after the last byte are not read.
    public init<Buffers: AsyncSequence & Sendable>(_ buffers: Buffers, length: Int64? = nil)
    where Buffers.Element: Sequence<UInt8> {
        self.length = length
        filler = SequenceFiller(buffers: buffers)
        reading = StreamReading(length: length)
    }

    deinit {
        reading.stop { $0.close() }
    }

    /// The error that the sequence has thrown, once the transfer was told.
    public var failure: (any Error)? { reading.state.withLock { $0.failure } }

    /// True once a transfer has got bytes of the sequence, or its error.
    public var isSpent: Bool { reading.state.withLock { !$0.isUntouched } }

    /// Prepares for reading; the sequence is not read yet, unless an earlier transfer has asked for it.
    public func begin(resume: @escaping @Sendable () -> Void) {
        reading.state.withLock { $0.begin(resume) }
    }

    /// Cancels the task that reads the sequence, if a transfer has got something of it.
    ///
    /// A concurrent call of `resume` may still arrive; none follows later.
    public func end() {
        reading.stop { $0.end() }
    }

    /// Cancels the task that reads the sequence, at once or when the current transfer has ended.
    public func abandon() {
        reading.stop { $0.abandon() }
    }

    /// Returns bytes of the buffers that have been read from the sequence.
    public func read(into buffer: inout OutputRawSpan) -> SourceAnswer {
        let (answer, next) = reading.state.withLock { $0.read(into: &buffer) }
        switch next {
        case .nothing:
            break
        case .start:
            start()
        case .proceed(let waiter):
            waiter.resume()
        }
        return answer
    }

    /// Returns true if nothing was sent yet, and false otherwise.
    public func rewind() -> Bool {
        reading.state.withLock { $0.isUntouched }
    }

    private func start() {
        // Without the source, which ends the task when it is released.
        let task = Task { [filler, reading] in await filler.fill(reading) }
        let isOver = reading.state.withLock { $0.didStart(task) }
        if isOver { task.cancel() }
    }
}

/// The part of a source that the task keeps which reads its sequence.
private final class StreamReading: Sendable {
    let state: Mutex<StreamBuffer>

    /// Creates the state of a source that was not read yet.
    init(length: Int64?) {
        state = Mutex(StreamBuffer(length: length))
    }

    /// Ends reading, as far as a change of the state says so.
    func stop(_ change: (inout StreamBuffer) -> (Task<Void, Never>?, Continuation<Void>?)) {
        let (task, waiter) = state.withLock { change(&$0) }
        task?.cancel()
        waiter?.resume()
    }

    /// Appends a buffer, and waits until another one is wanted.
    ///
    /// - Returns: False if no more is wanted.
    func offer(_ bytes: [UInt8]) async -> Bool {
        let resume = state.withLock { $0.append(bytes) }
        resume?()
        await withContinuation { continuation in
            let mustWait = state.withLock { $0.wait(continuation) }
            if !mustWait { continuation.resume() }
        }
        return state.withLock { $0.isFilling }
    }

    /// Ends the content.
    ///
    /// - Parameter error: The error of the sequence; `nil` if it is complete.
    func finish(_ error: (any Error)?) {
        let resume = state.withLock { $0.finish(error) }
        resume?()
    }
}

/// A sequence of any type that fills a source.
private protocol StreamFiller: Sendable {
    /// Passes all buffers to a source, until it wants no more.
    func fill(_ source: StreamReading) async
}

private struct SequenceFiller<Buffers: AsyncSequence & Sendable>: StreamFiller
where Buffers.Element: Sequence<UInt8> {
    let buffers: Buffers

    func fill(_ source: StreamReading) async {
        do {
            for try await buffer in buffers {
                guard await source.offer(Array(buffer)) else { return }
            }
            source.finish(nil)
        } catch {
            source.finish(error)
        }
    }
}
