import Dispatch
import ErrandFiles
import ErrandLocking
public import ErrandTransfer

/// A body source that reads a regular file slightly ahead of the connection.
///
/// The length is that of the file when the source is created: bytes appended later are not sent, and a file that
/// becomes shorter causes an error. The file is open only while a transfer reads it; up to 256 KiB are then kept in
/// memory. Dedicated threads wait for the disk: a source without available bytes pauses the transfer.
public final class FileSource: BodySource {
    /// The digest of the content; `nil` if it is not known.
    public let sha256: [UInt8]?
    private let location: FileLocation
    private let queue: DispatchQueue
    private let state: Mutex<ReadAhead>
    /// Used on the queue only; the lock satisfies the compiler and is never contended.
    private let file = Mutex<RegularFile?>(nil)

    /// Creates a source from the file at a path.
    ///
    /// Blocks until the file is opened; ``open(path:)`` does not.
    ///
    /// - Parameter path: An absolute path, or one relative to the working directory. Symbolic links are followed.
    /// - Throws: ``FileSourceError`` if the file does not exist, cannot be read or is not a regular file.
    public convenience init(path: String) throws(FileSourceError) {
        try self.init(Self.location(path))
    }

    /// Creates a source from the file at a path, without blocking the caller's thread.
    ///
    /// - Parameter path: As in ``init(path:)``.
    /// - Throws: ``FileSourceError`` if the file does not exist, cannot be read or is not a regular file.
    public static func open(path: String) async throws(FileSourceError) -> FileSource {
        try await open(location(path))
    }

    /// Creates a source from the file at a path with a known digest, without blocking the caller's thread.
    ///
    /// - Parameters:
    ///   - path: As in ``init(path:)``.
    ///   - sha256: The SHA-256 digest of the file, 32 bytes; `nil` if it is not known.
    /// - Throws: As ``open(path:)``.
    package static func open(path: String, sha256: [UInt8]?) async throws(FileSourceError) -> FileSource {
        try await open(location(path), sha256: sha256)
    }

    /// Creates a source from a file; blocks until the file is opened.
    ///
    /// - Parameters:
    ///   - location: The location of the file.
    ///   - queue: The queue on which the file is read.
    ///   - sha256: The digest of the file; `nil` if it is not known.
    init(
        _ location: FileLocation, _ queue: DispatchQueue = FileReaders.queues.assign(), sha256: [UInt8]? = nil
    ) throws(FileSourceError) {
        self.sha256 = sha256
        self.location = location
        self.queue = queue
        state = Mutex(ReadAhead(length: try location.open().length))
    }

    /// The number of bytes of the file when the source was created.
    public var length: Int64? { state.withLock { $0.length } }

    /// True: the file is opened again for each reading.
    public var isRepeatable: Bool { true }

    /// Opens the file and starts to read ahead.
    public func begin(resume: @escaping @Sendable () -> Void) {
        submit(state.withLock { $0.begin(resume: resume) })
    }

    /// Closes the file.
    ///
    /// A concurrent call of `resume` may still arrive; none follows later.
    public func end() {
        state.withLock { $0.end() }
        queue.async { self.file.withLock { $0 = nil } }
    }

    /// Returns bytes that were read ahead.
    public func read(into buffer: inout OutputRawSpan) -> SourceAnswer {
        let (answer, order) = state.withLock { $0.read(into: &buffer) }
        submit(order)
        return answer
    }

    /// Returns to the first byte; always succeeds.
    public func rewind() -> Bool {
        submit(state.withLock { $0.rewind() })
        return true
    }
}

extension FileSource {
    /// Creates a source from a file on a thread that may block.
    static func open(_ location: FileLocation, sha256: [UInt8]? = nil) async throws(FileSourceError) -> FileSource {
        let queue = FileReaders.queues.assign()
        return try await queue.perform { () throws(FileSourceError) in
            try FileSource(location, queue, sha256: sha256)
        }
    }

    /// A C string ends at a NUL, so the rest of the path would be ignored.
    private static func location(_ path: String) throws(FileSourceError) -> FileLocation {
        guard !path.utf8.contains(0) else {
            throw FileSourceError(.badFile, "The path of the file contains a NUL character")
        }
        return .path(path)
    }

    private func submit(_ order: ReadAhead.Order?) {
        guard let order else { return }
        queue.async { self.perform(order) }
    }

    // MARK: On the queue

    private func perform(_ order: ReadAhead.Order) {
        guard state.withLock({ $0.wants(order) }) else { return }
        let resume: (@Sendable () -> Void)?
        var next: ReadAhead.Order?
        do throws(TransferError) {
            let done = try load(order)
            (next, resume) = state.withLock { $0.complete(done) }
        } catch {
            resume = state.withLock { $0.fail(order, error) }
        }
        submit(next)
        resume?()
    }

    private func load(_ order: ReadAhead.Order) throws(TransferError) -> ReadAhead.Order {
        var order = order
        try file.withLock { file throws(TransferError) in
            let opened = if let opened = file.take() { opened } else { try open() }
            do throws(SystemFailure) {
                try opened.read(order.count, at: order.offset, into: &order.buffer)
            } catch {
                throw TransferError(.transportError, "The file to send cannot be read: \(error.reason)")
            }
            file = consume opened
        }
        return order
    }

    private func open() throws(TransferError) -> RegularFile {
        do throws(FileSourceError) {
            return try location.open()
        } catch {
            throw TransferError(.transportError, "The file to send can no longer be opened: \(error.message)")
        }
    }
}
