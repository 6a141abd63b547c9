extension StreamedResponse {
    /// Returns the content as lines of text, each of which is read when its end has come.
    ///
    /// ```swift
    /// for try await line in try await api.stream("events").lines() {
    ///     print(line)
    /// }
    /// ```
    ///
    /// A line ends with LF or CR LF, which it does not contain; the last one needs no end. Empty lines are lines too,
    /// unlike with the `lines` of `URLSession`. The text is UTF-8, whatever the content type says: what is not becomes
    /// U+FFFD. The content can be read once, as lines or as bytes; back-pressure and cancellation are those of the
    /// response. Any thread.
    ///
    /// - Parameter maxBytes: The maximum number of bytes of a line, without its end. A longer line throws
    ///   ``SessionErrorCode/bodyTooLarge`` before it is complete, and cancels the transfer. This error has no
    ///   ``SessionError/response``: ``StreamedResponse/head`` has the head. Default: 1 MiB.
    public func lines(maxBytes: Int = 1 << 20) -> Lines {
        Lines(response: self, maxBytes: maxBytes)
    }

    /// The lines of a streamed response: an asynchronous sequence, which can be read once.
    public struct Lines: AsyncSequence, Sendable {
        /// Lines of text, without their ends.
        public typealias Element = String
        /// The error of the task, as of the response, or that of a line that is too long, which has no response.
        public typealias Failure = SessionError

        fileprivate let response: StreamedResponse
        fileprivate let maxBytes: Int

        /// Returns the iterator of the lines.
        ///
        /// Every iterator of the response after the first one throws ``SessionErrorCode/bodyStreamExhausted``.
        public func makeAsyncIterator() -> Iterator {
            Iterator(
                response: response, content: response.makeAsyncIterator(), splitter: LineSplitter(maxBytes: maxBytes))
        }

        /// An iterator over the lines of a response.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let response: StreamedResponse
            fileprivate var content: StreamedResponse.Iterator
            fileprivate var splitter: LineSplitter
            /// True after an error, which is thrown once.
            fileprivate var hasFailed = false

            /// Waits for a line, and returns it; `nil` at the end, and after an error.
            ///
            /// - Throws: The error of the task, after the complete lines that came before it; or
            ///   ``SessionErrorCode/bodyTooLarge`` for a line that is too long.
            public mutating func next(
                isolation: isolated (any Actor)? = #isolation
            ) async throws(SessionError) -> String? {
                guard !hasFailed else { return nil }
                while true {
                    switch splitter.next() {
                    case .line(let line):
                        return String(decoding: line, as: UTF8.self)
                    case .end:
                        return nil
                    case .tooLong:
                        hasFailed = true
                        response.cancel()
                        throw SessionError(
                            .bodyTooLarge, "A line of the response has more than \(splitter.maxBytes) bytes")
                    case .wait:
                        try await receive(isolation: isolation)
                    }
                }
            }

            /// Waits for a line, and returns it; `nil` at the end, and after an error.
            ///
            /// - Throws: As ``next(isolation:)``.
            public mutating func next() async throws(SessionError) -> String? {
                try await next(isolation: nil)
            }

            /// Adds the content that comes next to that of which the lines are made.
            private mutating func receive(isolation: isolated (any Actor)?) async throws(SessionError) {
                do throws(SessionError) {
                    if let bytes = try await content.next(isolation: isolation) {
                        splitter.append(bytes)
                    } else {
                        splitter.finish()
                    }
                } catch {
                    hasFailed = true
                    throw error
                }
            }
        }
    }
}
