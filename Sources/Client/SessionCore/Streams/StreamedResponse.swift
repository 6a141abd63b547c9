import ErrandLocking
public import ErrandTransfer

/// A response whose content is read while it comes: an asynchronous sequence of byte buffers.
///
/// ```swift
/// let response = try await api.stream("exports/7")
/// print(response.head.status)
/// for try await bytes in response { print(bytes.count) }
/// ```
///
/// ``lines(maxBytes:)`` has the content as lines of text instead.
///
/// Each buffer has at least one byte, with content codings removed. At most 256 KiB and one piece of the transport, of
/// a few KiB, wait for the reader: then the transfer is paused, so that a slow reader slows the upstream down. The idle
/// timeout does not run during such a pause; the total timeout includes the time of the reader.
///
/// The sequence can be read once. The transfer is canceled when the reader leaves the loop, when its Swift task is
/// canceled, and when the response is released before it was read. A failure that comes after the head, such as an
/// incomplete response or a timeout, is thrown after the content that came before it. There is no other attempt then.
///
/// Any thread; an iterator belongs to one task.
public final class StreamedResponse: AsyncSequence, Sendable {
    /// Buffers of content.
    public typealias Element = [UInt8]
    /// The error of the task, with the head of the response (``SessionError/response``).
    public typealias Failure = SessionError

    /// The head of the response.
    public let head: ResponseHead
    /// The URL of the response, after redirects.
    public let url: HTTPURL

    private let task: SessionTask
    private let content: StreamedContent
    private let hasReader = Mutex(false)

    /// Creates the response of a running task.
    package init(head: ResponseHead, task: SessionTask, content: StreamedContent) {
        self.head = head
        // No other request follows the one whose head is given.
        url = task.url
        self.task = task
        self.content = content
    }

    deinit {
        if !hasReader.withLock({ $0 }) { task.cancel() }
    }

    /// The number of the response's task in its session.
    public var id: SessionTaskID { task.id }

    /// Cancels the transfer: its connection is closed at once, and the reader gets ``SessionError/canceled`` after the
    /// content that has come.
    public func cancel() {
        task.cancel()
    }

    /// Returns the iterator of the content.
    ///
    /// Every iterator after the first one throws ``SessionErrorCode/bodyStreamExhausted``.
    public func makeAsyncIterator() -> Iterator {
        let isFirst = hasReader.withLock { hasReader in
            defer { hasReader = true }
            return !hasReader
        }
        return Iterator(reader: isFirst ? Reader(task, content) : nil)
    }

    /// An iterator over the content of a response.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let reader: Reader?

        /// Waits for content, and returns all that has come; `nil` at the end.
        ///
        /// - Throws: The error of the task.
        public mutating func next(
            isolation: isolated (any Actor)? = #isolation
        ) async throws(SessionError) -> [UInt8]? {
            guard let reader else {
                throw SessionError(.bodyStreamExhausted, "The content of the response can be read only once")
            }
            return try await reader.next()
        }

        /// Waits for content, and returns all that has come; `nil` at the end.
        ///
        /// - Throws: The error of the task.
        public mutating func next() async throws(SessionError) -> [UInt8]? {
            try await next(isolation: nil)
        }
    }

    /// The only reader of a response, which cancels the transfer when it is released.
    fileprivate final class Reader: Sendable {
        private let task: SessionTask
        private let content: StreamedContent

        init(_ task: SessionTask, _ content: StreamedContent) {
            self.task = task
            self.content = content
        }

        deinit {
            task.cancel()
        }

        func next() async throws(SessionError) -> [UInt8]? {
            if Task.isCancelled {
                task.cancel()
                throw .canceled
            }
            // Returns a result instead of throwing, because the cancellation handler does not support typed errors.
            let result = await withTaskCancellationHandler {
                await content.read()
            } onCancel: {
                task.cancel()
            }
            return try result.get()
        }
    }
}
