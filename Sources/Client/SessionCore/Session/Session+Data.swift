extension Session {
    /// Runs a request as a task, and receives the response in memory.
    ///
    /// ```swift
    /// let response = try await session.data(for: TaskRequest(path: "users/1"))
    /// print(response.head.status, response.json ?? [])
    /// ```
    ///
    /// The task is in ``tasks`` until it ends, and the retriers of its hooks are asked after each failed attempt.
    /// Canceling the calling Swift task cancels it: its connection is closed at once.
    ///
    /// - Returns: A successful response; its content is in ``SessionResponse/body``.
    /// - Throws: The error of the task, with its response (``SessionError/response``), the problems of the request as
    ///   one error, or ``SessionErrorCode/sessionClosed``.
    public func data(for request: TaskRequest) async throws(SessionError) -> SessionResponse {
        try await task(request).run()
    }
}
