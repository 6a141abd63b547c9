import ErrandLocking

/// The state of a ``StreamSource``: the bytes between the task that reads the sequence and the transfer.
struct StreamBuffer {
    /// The number of unread bytes at which the task waits.
    static let limitBytes = 65_536

    /// The function to call after a pause; `nil` while no transfer reads.
    private var resume: (@Sendable () -> Void)?
    /// The error of the sequence, once the transfer was told.
    private(set) var failure: (any Error)?

    private let length: Int64?
    private var phase = Phase.idle
    private var unread: [UInt8] = []
    /// The number of bytes of ``unread`` that were read.
    private var position = 0
    /// The number of bytes that the sequence has provided.
    private var provided: Int64 = 0
    /// A Boolean value that indicates whether bytes, or the failure, were returned to a transfer.
    private var isTouched = false
    /// A Boolean value that indicates whether no transfer wants the content after the current one.
    private var isAbandoned = false
    /// A Boolean value that indicates whether a read was answered with a pause.
    private var isAwaited = false
    private var task: Task<Void, Never>?
    private var waiter: Continuation<Void>?

    private enum Phase {
        /// The transfer has not asked for content yet.
        case idle
        /// The sequence is being read.
        case filling
        /// The sequence is complete.
        case finished
        /// The content is wrong; the second error is that of the sequence, if it has thrown one.
        case failed(TransferError, cause: (any Error)?)
        /// The transfer has ended, or no other one follows.
        case over
    }

    /// The work that remains after a read.
    enum Next: Sendable {
        /// Nothing.
        case nothing
        /// Start the task that reads the sequence.
        case start
        /// Let the waiting task continue.
        case proceed(Continuation<Void>)
    }

    init(length: Int64?) {
        self.length = length
    }

    /// A Boolean value that indicates whether the sequence is being read.
    var isFilling: Bool {
        if case .filling = phase { true } else { false }
    }

    /// A Boolean value that indicates whether a transfer may read the content from its first byte.
    var isUntouched: Bool {
        if case .over = phase { false } else { !isTouched }
    }

    // MARK: The transfer

    /// Begins reading for a transfer.
    mutating func begin(_ resume: @escaping @Sendable () -> Void) {
        self.resume = resume
        isAbandoned = false
    }

    mutating func read(into buffer: inout OutputRawSpan) -> (SourceAnswer, Next) {
        let count = buffer.append(unread, from: position)
        guard count == 0 else {
            position += count
            isTouched = true
            if position == unread.count { drop() }
            guard hasRoom, let waiter = takeWaiter() else { return (.bytes, .nothing) }
            return (.bytes, .proceed(waiter))
        }
        switch phase {
        case .idle:
            phase = .filling
            isAwaited = true
            return (.pause, .start)
        case .filling:
            isAwaited = true
            return (.pause, .nothing)
        case .finished:
            return (.end, .nothing)
        case .failed(let error, let cause):
            failure = cause
            isTouched = true
            return (.failed(error), .nothing)
        case .over:
            return (.failed(Self.exhausted), .nothing)
        }
    }

    /// Records the task that reads the sequence.
    ///
    /// - Returns: True if it is not needed any more.
    mutating func didStart(_ task: Task<Void, Never>) -> Bool {
        guard isFilling else { return true }
        self.task = task
        return false
    }

    /// Ends reading for a transfer; one that got nothing leaves all of the content to the next.
    ///
    /// - Returns: The task to cancel and the waiter to resume.
    mutating func end() -> (Task<Void, Never>?, Continuation<Void>?) {
        resume = nil
        isAwaited = false
        guard !isUntouched || isAbandoned && isFilling else { return (nil, nil) }
        return close()
    }

    /// Reads no further if no transfer reads, or else when the current one has ended.
    ///
    /// - Returns: As ``end()``.
    mutating func abandon() -> (Task<Void, Never>?, Continuation<Void>?) {
        isAbandoned = true
        guard isFilling, resume == nil else { return (nil, nil) }
        return close()
    }

    /// Ends reading for good.
    ///
    /// - Returns: As ``end()``.
    mutating func close() -> (Task<Void, Never>?, Continuation<Void>?) {
        resume = nil
        phase = .over
        drop()
        defer { task = nil }
        return (task, takeWaiter())
    }

    // MARK: The sequence

    /// Appends a buffer.
    ///
    /// - Returns: The function that resumes the transfer, if it waits for bytes.
    mutating func append(_ bytes: [UInt8]) -> (@Sendable () -> Void)? {
        guard isFilling, !bytes.isEmpty else { return nil }
        provided += Int64(bytes.count)
        if let length, provided > length {
            phase = .failed(Self.tooLong, cause: nil)
        } else if unread.isEmpty {
            unread = bytes
        } else {
            unread.removeFirst(position)
            position = 0
            unread += bytes
        }
        return takeResume()
    }

    /// Keeps the task waiting.
    ///
    /// - Returns: False if it need not wait.
    mutating func wait(_ continuation: Continuation<Void>) -> Bool {
        guard isFilling, !hasRoom else { return false }
        waiter = continuation
        return true
    }

    /// Ends the content.
    ///
    /// - Returns: As ``append(_:)``.
    mutating func finish(_ error: (any Error)?) -> (@Sendable () -> Void)? {
        guard isFilling else { return nil }
        if let error {
            phase = .failed(Self.failed, cause: error)
        } else {
            phase = .finished
        }
        task = nil
        return takeResume()
    }
}

extension StreamBuffer {
    private var hasRoom: Bool { unread.count - position < Self.limitBytes }

    private mutating func drop() {
        unread = []
        position = 0
    }

    private mutating func takeWaiter() -> Continuation<Void>? {
        defer { waiter = nil }
        return waiter
    }

    private mutating func takeResume() -> (@Sendable () -> Void)? {
        guard isAwaited else { return nil }
        isAwaited = false
        return resume
    }

    private static let exhausted = TransferError(
        .bodyStreamExhausted, "The stream of the request content cannot be read a second time")
    private static let tooLong = TransferError(
        .transportError, "The stream of the request content is longer than its declared length")
    private static let failed = TransferError(.transportError, "The stream of the request content has failed")
}
