import Transfer

/// What a file source has read and not given yet, and what it reads next: a value without I/O.
struct ReadAhead: Sendable {
    /// The bytes of a read.
    static let chunkBytes = 128 * 1024
    /// The chunks that are read or ready at a time.
    static let maxChunks = 2

    /// A read that somebody is to do.
    struct Order: Sendable {
        /// The first byte.
        let offset: Int64
        /// How many bytes, which the file has.
        let count: Int
        /// Memory to use again.
        var buffer: [UInt8]
        /// Which beginning it belongs to.
        fileprivate let number: Int
    }

    /// The number of bytes in all.
    let length: Int64
    private var phase = Phase.idle
    /// Counts the beginnings, so that reads of an earlier one are told from the present ones.
    private var number = 0
    /// The first byte that was not given.
    private var position: Int64 = 0
    /// The first byte that was neither read nor ordered.
    private var nextOffset: Int64 = 0
    /// Bytes that were read, the first chunk given up to `given`.
    private var chunks: [[UInt8]] = []
    private var given = 0
    private var spare: [[UInt8]] = []
    private var isReading = false

    private enum Phase {
        /// Nobody reads.
        case idle
        /// A transfer reads; it has been told to wait, or not.
        case reading(resume: @Sendable () -> Void, isPaused: Bool)
        /// It cannot go on for this reason.
        case failed(TransferError)
    }

    init(length: Int64) {
        self.length = length
    }

    /// A transfer begins to read.
    ///
    /// - Returns: A read to do.
    mutating func begin(resume: @escaping @Sendable () -> Void) -> Order? {
        drop()
        phase = .reading(resume: resume, isPaused: false)
        return nextOrder()
    }

    /// Nobody reads any more.
    mutating func end() {
        drop()
        spare = []
        phase = .idle
    }

    /// Starts again from the first byte.
    ///
    /// - Returns: A read to do.
    mutating func rewind() -> Order? {
        position = 0
        drop()
        return nextOrder()
    }

    /// Gives bytes out.
    ///
    /// - Returns: The answer, and a read to do.
    mutating func read(into buffer: inout OutputRawSpan) -> (SourceAnswer, Order?) {
        guard case .reading(let resume, _) = phase else {
            if case .failed(let error) = phase { return (.failed(error), nil) }
            return (.failed(TransferError(.transportError, "The content was read before it was begun")), nil)
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

    /// Whether a read is still wanted.
    func wants(_ order: borrowing Order) -> Bool {
        guard case .reading = phase else { return false }
        return order.number == number
    }

    /// A read was done.
    ///
    /// - Returns: A read to do, and who is to be told that there is something.
    mutating func complete(_ order: consuming Order) -> (next: Order?, resume: (@Sendable () -> Void)?) {
        guard wants(order) else { return (nil, nil) }
        isReading = false
        guard order.buffer.count == order.count else {
            return (nil, fail(TransferError(.transportError, "The file has become shorter while it was sent")))
        }
        chunks.append(order.buffer)
        return (nextOrder(), takeResume())
    }

    /// A read could not be done.
    ///
    /// - Returns: Who is to be told that there is something.
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

    /// Forgets what was read and not given.
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
