public import ErrandSessionCore
public import ErrandTransfer

extension Session {
    /// Sends a request, and lets a closure decide about its response: to stream it, to refuse it, or to write it to a
    /// file.
    ///
    /// The closure decides about an acceptable response only; others are thrown, as by ``Session/stream(_:)``. A
    /// download follows the rules of ``downloadTask(_:to:options:resuming:)``, with these differences:
    ///
    /// - The request may ask for content with a coding; encoded content cannot be resumed.
    /// - The timeouts, the hooks and the progress handler of the options are not used, because the request runs already
    ///   with its own; the handler of the request is told of the progress of the file.
    /// - A number of connections outside of its range is the nearest in it. Only a download that is resumed has more
    ///   than one connection.
    /// - An expected digest that is not one fails with ``SessionErrorCode/checksumMismatch``.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - decide: Called once with the head, on the transport's thread. For a response that another request could have
    ///     followed (401, 3xx), it is called when that is received, on any thread. It must not block.
    /// - Returns: The response, whose content is still coming.
    /// - Throws: As ``Session/stream(_:)``; ``SessionErrorCode/canceled`` if the closure refuses the response, whose
    ///   head is then in ``SessionError/response``.
    public func stream(
        _ request: TaskRequest, deciding decide: @escaping @Sendable (ResponseHead) -> ResponseDisposition
    ) async throws(SessionError) -> DisposedResponse {
        let request = request.streamed
        let content = DisposedContent(request, rules: configuration.response, decide: decide)
        let task = try task(content.request, attempts: content)
        task.resume()
        let head = await withTaskCancellationHandler {
            await content.stream.head()
        } onCancel: {
            task.cancel()
        }
        if let download = content.download { return .download(DownloadTask(task, download)) }
        if let head { return .stream(StreamedResponse(head: head, task: task, content: content.stream)) }
        _ = try await task.response
        throw SessionError(.internal, "The response ended without a head and without an error")
    }
}
