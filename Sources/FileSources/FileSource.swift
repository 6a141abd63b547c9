import Dispatch
import Locking
public import Transfer

/// A regular file as the content of a request, read a little ahead of the connection.
///
/// The length is that of the file when the source is created: what is appended to the file later is not sent, and a
/// file that has become shorter is an error. The file is open only while a transfer reads it, and up to 256 KiB of it
/// are in memory then. Disks are waited for on threads made for it: a source that has nothing read yet pauses.
public final class FileSource: BodySource {
    private let location: FileLocation
    private let queue: DispatchQueue
    private let state: Mutex<ReadAhead>
    /// Touched on the queue; the lock is for the compiler and is never contended.
    private let file = Mutex<RegularFile?>(nil)

    /// Creates a source from the file at a path.
    ///
    /// Blocks for as long as it takes to open the file; ``open(path:)`` does not.
    ///
    /// - Parameter path: Absolute, or relative to the working directory. Symbolic links are followed.
    /// - Throws: ``FileSourceError`` when the file does not exist, cannot be read or is no regular file.
    public convenience init(path: String) throws(FileSourceError) {
        try self.init(Self.location(path))
    }

    /// Creates a source from the file at a path, without blocking the caller's thread.
    ///
    /// - Parameter path: As in ``init(path:)``.
    /// - Throws: ``FileSourceError`` when the file does not exist, cannot be read or is no regular file.
    public static func open(path: String) async throws(FileSourceError) -> FileSource {
        try await open(location(path))
    }

    /// Creates a source from a file, which blocks for as long as it takes to open it.
    ///
    /// - Parameters:
    ///   - location: Where the file is.
    ///   - queue: Where it is read.
    init(_ location: FileLocation, _ queue: DispatchQueue = FileReaders.next()) throws(FileSourceError) {
        self.location = location
        self.queue = queue
        state = Mutex(ReadAhead(length: try location.open().length))
    }

    /// The number of bytes of the file when the source was created.
    public var length: Int64? { state.withLock { $0.length } }

    /// Opens the file and begins to read ahead.
    public func begin(resume: @escaping @Sendable () -> Void) {
        submit(state.withLock { $0.begin(resume: resume) })
    }

    /// Closes the file.
    ///
    /// A resume that is on its way at this moment may still arrive; none comes later.
    public func end() {
        state.withLock { $0.end() }
        queue.async { self.file.withLock { $0 = nil } }
    }

    /// Gives out what was read ahead.
    public func read(into buffer: inout OutputRawSpan) -> SourceAnswer {
        let (answer, order) = state.withLock { $0.read(into: &buffer) }
        submit(order)
        return answer
    }

    /// Goes back to the first byte, which can always be done.
    public func rewind() -> Bool {
        submit(state.withLock { $0.rewind() })
        return true
    }
}

extension FileSource {
    /// Creates a source from a file on a thread where that may block.
    static func open(_ location: FileLocation) async throws(FileSourceError) -> FileSource {
        let queue = FileReaders.next()
        let result = await withCheckedContinuation { continuation in
            queue.async {
                continuation.resume(
                    returning: Result { () throws(FileSourceError) in try FileSource(location, queue) })
            }
        }
        return try result.get()
    }

    /// A C string ends at a NUL: the rest of the path would be ignored.
    private static func location(_ path: String) throws(FileSourceError) -> FileLocation {
        guard !path.utf8.contains(0) else {
            throw FileSourceError(.badFile, "The path of the file holds a NUL character")
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
            throw TransferError(.transportError, "The file to send cannot be opened any more: \(error.message)")
        }
    }
}
