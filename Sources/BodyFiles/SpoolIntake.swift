import Transfer

/// What a spool has taken in and not handed to its file yet: a value without I/O.
struct SpoolIntake: Sendable {
    /// The size at which a buffer goes to the file.
    static let bufferBytes = 256 * 1024
    /// The buffers that may be with the file at a time.
    static let maxBuffersInFlight = 2

    private let inlineLimitBytes: Int
    private let maxBytes: Int64?
    private var phase = Phase.inMemory
    private var buffer: [UInt8] = []
    private var size: Int64 = 0
    private var spare: [[UInt8]] = []
    private var inFlight = 0
    private var isPaused = false

    private enum Phase {
        /// Everything so far is in the buffer.
        case inMemory
        /// Goes to the file, buffer by buffer.
        case toFile
        /// The content has ended and the rest is on its way to the file.
        case finishing
        /// It stopped for this reason.
        case failed(TransferError)
        /// Finished in memory, or given up.
        case ended
    }

    init(inlineLimitBytes: Int, maxBytes: Int64?) {
        self.inlineLimitBytes = inlineLimitBytes
        self.maxBytes = maxBytes
    }

    /// Whether buffers that are with the file are still wanted.
    var isTaking: Bool {
        switch phase {
        case .inMemory, .toFile, .finishing: true
        case .failed, .ended: false
        }
    }

    /// Why it has stopped.
    var failure: TransferError? {
        switch phase {
        case .failed(let error): error
        case .ended: .canceled
        case .inMemory, .toFile, .finishing: nil
        }
    }

    /// Takes bytes in.
    ///
    /// - Returns: What the transport is told, and a full buffer for the file.
    mutating func append(_ bytes: RawSpan) -> (ReceiveDecision, full: [UInt8]?) {
        switch phase {
        case .failed(let error): return (.stop(error), nil)
        case .ended, .finishing: return (.stop(.canceled), nil)
        case .inMemory, .toFile: break
        }
        size += Int64(bytes.byteCount)
        if let maxBytes, size > maxBytes {
            let error = TransferError(.bodyTooLarge, "The response is larger than \(maxBytes) bytes")
            phase = .failed(error)
            return (.stop(error), nil)
        }
        bytes.withUnsafeBytes { buffer.append(contentsOf: $0) }
        if case .inMemory = phase {
            if buffer.count <= inlineLimitBytes { return (.more, nil) }
            phase = .toFile
        }
        guard buffer.count >= Self.bufferBytes else { return (.more, nil) }
        if let full = takeBuffer() { return (.more, full) }
        isPaused = true
        return (.pause, nil)
    }

    /// A buffer was written and can be used again.
    ///
    /// - Returns: The next one, if it is full and has waited, and whether the transport may go on.
    mutating func takeBack(_ written: [UInt8]) -> (next: [UInt8]?, mayResume: Bool) {
        inFlight -= 1
        var written = written
        written.removeAll(keepingCapacity: true)
        spare.append(written)
        guard isPaused else { return (nil, false) }
        isPaused = false
        return (takeBuffer(), true)
    }

    /// Writing failed.
    ///
    /// - Returns: No buffer, and whether the transport may go on, to be told so.
    mutating func fail(_ error: TransferError) -> (next: [UInt8]?, mayResume: Bool) {
        inFlight -= 1
        if isTaking { stop(.failed(error)) }
        defer { isPaused = false }
        return (nil, isPaused)
    }

    /// The content has ended.
    mutating func finish() -> Ending {
        switch phase {
        case .failed(let error): return .failed(error)
        case .ended, .finishing: return .failed(.canceled)
        case .inMemory:
            defer { stop(.ended) }
            return .inMemory(buffer)
        case .toFile:
            defer { stop(.finishing) }
            return .inFile(rest: buffer, size: size)
        }
    }

    /// How the content ended.
    enum Ending: Sendable {
        /// It did not: this was the reason.
        case failed(TransferError)
        /// All of it is here.
        case inMemory([UInt8])
        /// It goes to the file after what went there before.
        case inFile(rest: [UInt8], size: Int64)
    }

    /// The content is not wanted any more.
    ///
    /// - Returns: Whether there may be a file to remove.
    mutating func discard() -> Bool {
        switch phase {
        case .finishing, .ended: return false
        case .inMemory:
            stop(.ended)
            return false
        case .toFile:
            stop(.ended)
            return true
        case .failed:
            stop(.ended)
            return true
        }
    }

    private mutating func stop(_ phase: Phase) {
        self.phase = phase
        buffer = []
        spare = []
    }

    private mutating func takeBuffer() -> [UInt8]? {
        guard inFlight < Self.maxBuffersInFlight else { return nil }
        inFlight += 1
        defer { buffer = spare.popLast() ?? [] }
        return buffer
    }
}
