extension Session {
    /// Runs one attempt at a request and receives the response in memory.
    ///
    /// ```swift
    /// let response = try await session.data(for: TaskRequest(path: "users/1"))
    /// print(response.head.status, response.json ?? [])
    /// ```
    ///
    /// Cancelling the calling Swift task closes the connection at once.
    ///
    /// - Returns: A successful response; its content is in ``SessionResponse/body``.
    /// - Throws: The error that ``run(_:sink:control:)`` would return, with its response
    ///   (``SessionError/response``), or the problems of the request as one error.
    public func data(for request: TaskRequest) async throws(SessionError) -> SessionResponse {
        let prepared: PreparedRequest
        do throws(RequestProblems) {
            prepared = try prepare(request)
        } catch {
            throw error.error
        }
        return try await run(prepared, sink: MemorySink())
            .success(showing: configuration.response.disposition.maxErrorBytes)
    }
}
