import ErrandTransfer

/// The state of reading ahead: the bytes that are ready and the reads to do next, without I/O.
struct ReadAhead: Sendable {
    /// The number of bytes of a read.
    static let chunkBytes = 128 * 1024
    /// The most chunks that are being read or ready.
    static let maxChunks = 2

    /// A read to be performed.
    struct Order: Sendable {
        /// The offset of the first byte.
        let offset: Int64
        /// The number of bytes, all within the file.
        let count: Int
        /// A buffer to reuse.
        var buffer: [UInt8]
        /// The number of the pass that the read belongs to.
        fileprivate let number: Int
    }

    /// The total number of bytes.
    let length: Int64
    private var phase = Phase.idle
    /// The number of the current pass, which distinguishes its reads from those of earlier passes.
    private var number = 0
    /// The offset of the first byte that was not returned.
    private var position: Int64 = 0
    /// The offset of the first byte that was neither read nor ordered.
    private var nextOffset: Int64 = 0
    /// The bytes that were read; those of the first chunk are returned up to `given`.
    private var chunks: [[UInt8]] = []
    private var given = 0
    private var spare: [[UInt8]] = []
    private var isReading = false

    private enum Phase {
        /// No transfer reads.
        case idle
        /// A transfer reads; it may be paused until bytes are ready.
        case reading(resume: @Sendable () -> Void, isPaused: Bool)
        /// Reading has failed with this error.
        case failed(TransferError)
    }

    init(length: Int64) {
        self.length = length
    }

    /// Starts reading for a transfer.
    ///
    /// - Returns: A read to perform.
    mutating func begin(resume: @escaping @Sendable () -> Void) -> Order? {
        drop()
        phase = .reading(resume: resume, isPaused: false)
        return nextOrder()
    }

    /// Ends reading for the transfer.
    mutating func end() {
        drop()
        spare = []
        phase = .idle
    }

    /// Restarts at the first byte.
    ///
    /// - Returns: A read to perform.
    mutating func rewind() -> Order? {
        position = 0
        drop()
        return nextOrder()
    }

    /// Returns bytes to the transfer.
    ///
    /// - Returns: The answer, and a read to perform.
    mutating func read(into buffer: inout OutputRawSpan) -> (SourceAnswer, Order?) {
        guard case .reading(let resume, _) = phase else {
            if case .failed(let error) = phase { return (.failed(error), nil) }
            return (.failed(TransferError(.transportError, "The content was read before its source was started")), nil)
        }
        guard position < length else { return (.end, nil) }
        guard !chunks.isEmpty else {
            phase = .reading(resume: resume, isPaused: true)
            return (.pause, nil)
        }
        while let chunk = chunks.first, !buffer.isFull {
            let count = buffer.append(chunk, from: given)
            given += count
            position += Int64(count)
            if given == chunk.count {
                spare.append(chunks.removeFirst())
                given = 0
            }
        }
        return (.bytes, nextOrder())
    }

    /// Returns whether the result of a read is still needed.
    func wants(_ order: borrowing Order) -> Bool {
        guard case .reading = phase else { return false }
        return order.number == number
    }

    /// Records a completed read.
    ///
    /// - Returns: A read to perform, and the function that resumes a paused transfer.
    mutating func complete(_ order: consuming Order) -> (next: Order?, resume: (@Sendable () -> Void)?) {
        guard wants(order) else { return (nil, nil) }
        isReading = false
        guard order.buffer.count == order.count else {
            return (nil, fail(TransferError(.transportError, "The file became shorter while it was being sent")))
        }
        chunks.append(order.buffer)
        return (nextOrder(), takeResume())
    }

    /// Records a failed read.
    ///
    /// - Returns: The function that resumes a paused transfer.
    mutating func fail(_ order: borrowing Order, _ error: TransferError) -> (@Sendable () -> Void)? {
        wants(order) ? fail(error) : nil
    }

    private mutating func fail(_ error: TransferError) -> (@Sendable () -> Void)? {
        let resume = takeResume()
        drop()
        phase = .failed(error)
        return resume
    }

    private mutating func takeResume() -> (@Sendable () -> Void)? {
        guard case .reading(let resume, true) = phase else { return nil }
        phase = .reading(resume: resume, isPaused: false)
        return resume
    }

    /// Drops the bytes that were read and not returned.
    private mutating func drop() {
        number += 1
        isReading = false
        chunks = []
        given = 0
        nextOffset = position
    }

    private mutating func nextOrder() -> Order? {
        guard case .reading = phase, !isReading, chunks.count < Self.maxChunks, nextOffset < length else { return nil }
        isReading = true
        let count = Int(min(Int64(Self.chunkBytes), length - nextOffset))
        defer { nextOffset += Int64(count) }
        return Order(offset: nextOffset, count: count, buffer: spare.popLast() ?? [], number: number)
    }
}
