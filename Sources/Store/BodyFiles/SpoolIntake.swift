import ErrandTransfer

/// The content that a spool has received but not yet written to its file: a value without I/O.
struct SpoolIntake: Sendable {
    /// The size at which a buffer is written to the file.
    static let bufferBytes = 256 * 1024
    /// The most buffers that are being written at a time.
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
        /// All content so far is in the buffer.
        case inMemory
        /// The content is written to the file, buffer by buffer.
        case toFile
        /// The content has ended, and the rest is being written.
        case finishing
        /// The spool failed with this error.
        case failed(TransferError)
        /// The content was finished in memory, or discarded.
        case ended
    }

    init(inlineLimitBytes: Int, maxBytes: Int64?) {
        self.inlineLimitBytes = inlineLimitBytes
        self.maxBytes = maxBytes
    }

    /// True if the buffers being written are still needed.
    var isTaking: Bool {
        switch phase {
        case .inMemory, .toFile, .finishing: true
        case .failed, .ended: false
        }
    }

    /// The error with which the spool failed.
    var failure: TransferError? {
        switch phase {
        case .failed(let error): error
        case .ended: .canceled
        case .inMemory, .toFile, .finishing: nil
        }
    }

    /// Appends bytes.
    ///
    /// - Returns: The decision for the transport, and a full buffer to write, if any.
    mutating func append(_ bytes: RawSpan) -> (ReceiveDecision, full: [UInt8]?) {
        switch phase {
        case .failed(let error): return (.stop(error), nil)
        case .ended, .finishing: return (.stop(.canceled), nil)
        case .inMemory, .toFile: break
        }
        size += Int64(bytes.byteCount)
        if let maxBytes, size > maxBytes {
            let error = TransferError(.bodyTooLarge, "The content is larger than \(maxBytes) bytes")
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

    /// Takes back a written buffer for reuse.
    ///
    /// - Returns: The next full buffer, if one is waiting, and true if the transport may resume.
    mutating func takeBack(_ written: [UInt8]) -> (next: [UInt8]?, mayResume: Bool) {
        inFlight -= 1
        var written = written
        written.removeAll(keepingCapacity: true)
        spare.append(written)
        guard isPaused else { return (nil, false) }
        isPaused = false
        return (takeBuffer(), true)
    }

    /// Records that a write failed.
    ///
    /// - Returns: No buffer, and true if the transport may resume, so that it receives the failure.
    mutating func fail(_ error: TransferError) -> (next: [UInt8]?, mayResume: Bool) {
        inFlight -= 1
        if isTaking { stop(.failed(error)) }
        defer { isPaused = false }
        return (nil, isPaused)
    }

    /// Ends the content.
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

    /// The result of ending the content.
    enum Ending: Sendable {
        /// The spool had failed with this error.
        case failed(TransferError)
        /// The complete content is in memory.
        case inMemory([UInt8])
        /// The rest must be written to the file after the bytes already there.
        case inFile(rest: [UInt8], size: Int64)
    }

    /// Discards the content.
    ///
    /// - Returns: True if there may be a file to remove.
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
