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
    /// True if the content is written to the file.
    private var isInFile = false
    /// The number of bytes in the file.
    private var written: Int64 = 0
    /// True if readers follow the content.
    private(set) var isFollowed = false

    private enum Phase {
        /// All content so far is in the buffer.
        case inMemory
        /// The content is written to the file, buffer by buffer.
        case toFile
        /// The content has ended, and the rest is being written, or its digest computed.
        case finishing
        /// The spool failed with this error.
        case failed(TransferError)
        /// The content was discarded.
        case ended
        /// The content was finished; if readers follow it, and it is not in the file, it is in the buffer.
        case complete
    }

    /// Creates an intake.
    ///
    /// - Parameters:
    ///   - inlineLimitBytes: The largest content that stays in memory, in bytes.
    ///   - maxBytes: The size limit of the whole content; `nil` for none.
    ///   - bytesInFile: The number of bytes at the beginning of the content that the file has already.
    init(inlineLimitBytes: Int, maxBytes: Int64?, bytesInFile: Int64 = 0) {
        self.inlineLimitBytes = inlineLimitBytes
        self.maxBytes = maxBytes
        guard bytesInFile > 0 else { return }
        phase = .toFile
        isInFile = true
        size = bytesInFile
        written = bytesInFile
    }

    /// True if the buffers being written are still needed.
    var isTaking: Bool {
        switch phase {
        case .inMemory, .toFile, .finishing: true
        case .failed, .ended, .complete: false
        }
    }

    /// True while the rest of ended content is being written.
    var isFinishing: Bool { if case .finishing = phase { true } else { false } }

    /// The error with which the spool failed.
    var failure: TransferError? {
        switch phase {
        case .failed(let error): error
        case .ended, .complete: .canceled
        case .inMemory, .toFile, .finishing: nil
        }
    }

    /// Appends bytes.
    ///
    /// - Returns: The decision for the transport, and a full buffer to write, if any.
    mutating func append(_ bytes: RawSpan) -> (ReceiveDecision, full: [UInt8]?) {
        switch phase {
        case .failed(let error): return (.stop(error), nil)
        case .ended, .finishing, .complete: return (.stop(.canceled), nil)
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
            isInFile = true
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
        self.written += Int64(written.count)
        var written = written
        written.removeAll(keepingCapacity: true)
        spare.append(written)
        guard isPaused else { return (nil, false) }
        isPaused = false
        // At the end, the rest is written with the end.
        guard case .toFile = phase else { return (nil, true) }
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
        case .ended, .finishing, .complete: return .failed(.canceled)
        case .inMemory:
            defer { if isFollowed { phase = .finishing } else { stop(.finishing) } }
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

    /// Records that all content is stored, or that it could not be written.
    mutating func complete(failure: TransferError?) {
        if let failure {
            if isTaking { phase = .failed(failure) }
        } else {
            if isInFile { written = size }
            phase = .complete
        }
    }

    /// Discards the content.
    ///
    /// - Returns: True if there may be a file to remove.
    mutating func discard() -> Bool {
        switch phase {
        case .finishing, .ended, .complete: return false
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

    // MARK: Readers

    /// The place of content that readers follow.
    enum Place: Sendable, Hashable {
        /// All of it is in memory so far.
        case memory
        /// It is being written to the file.
        case file
    }

    /// Records that a reader follows the content.
    ///
    /// - Returns: The place of the content; `nil` if it has ended.
    mutating func follow() -> Place? {
        switch phase {
        case .inMemory:
            isFollowed = true
            return .memory
        case .toFile:
            isFollowed = true
            return .file
        case .finishing, .failed, .ended, .complete: return nil
        }
    }

    /// The result of reading.
    enum Reading: Sendable, Hashable {
        /// These bytes, which are in memory.
        case bytes([UInt8])
        /// This number of bytes, which are in the file.
        case file(Int)
        /// Nothing yet: the next bytes are being written, or have not arrived.
        case later
        /// Nothing more: the content is complete.
        case end
        /// Nothing more: the content was discarded, or has failed with this error.
        case failed(TransferError)
    }

    /// Returns content from an offset, at most `maxBytes`.
    func read(at offset: Int64, maxBytes: Int) -> Reading {
        if case .failed(let error) = phase { return .failed(error) }
        if case .ended = phase { return .failed(.canceled) }
        if offset < written { return .file(Int(min(written - offset, Int64(maxBytes)))) }
        let start = size - Int64(buffer.count)
        if offset >= start, offset < size {
            return .bytes(Array(buffer[Int(offset - start)...].prefix(maxBytes)))
        }
        if case .complete = phase { return .end }
        return .later
    }
}
