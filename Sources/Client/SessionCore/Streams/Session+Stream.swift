import ErrandResponseSerialization
import ErrandTransfer

extension Session {
    /// Sends a request, and returns its response as soon as its head has come and is acceptable.
    ///
    /// The content is left as it is: no serializer reads it, and the limit on content in memory
    /// (``ResponseConfiguration/Disposition/maxBodyBytes``) does not apply to it. The content of any other response,
    /// of a redirect and of an authentication challenge is received in memory first, up to that limit, unless the
    /// session ends such responses (``ResponseConfiguration/Disposition/Unacceptable/cancel``).
    ///
    /// The request runs as a task, which is in ``tasks`` and ``events`` until it ends. Canceling the calling Swift
    /// task cancels it. Retriers of the hooks are asked only before the head is returned. Validators are asked after
    /// the content: their error is thrown at its end.
    ///
    /// - Parameter request: The request.
    /// - Returns: The head and the content of an acceptable response.
    /// - Throws: The error of the task, with its response (``SessionError/response``), or the problems of the request
    ///   as one error.
    public func stream(_ request: TaskRequest) async throws(SessionError) -> StreamedResponse {
        let request = request.streamed
        let content = StreamedContent(request, configuration.response)
        let task = try task(request, attempts: content)
        task.resume()
        let head = await withTaskCancellationHandler {
            await content.head()
        } onCancel: {
            task.cancel()
        }
        if let head { return StreamedResponse(head: head, task: task, content: content) }
        _ = try await task.response
        throw SessionError(.internal, "The response ended without a head and without an error")
    }
}

extension TaskRequest {
    /// The same request with its response left as it is, of any size.
    package var streamed: TaskRequest {
        var request = self
        request.responseSerializer = .raw
        request.hooks.responseSerializer = nil
        request.isJudgedByStatus = false
        // The reader decides how much it takes.
        request.maxBodyBytes = Int64.max
        return request
    }
}
