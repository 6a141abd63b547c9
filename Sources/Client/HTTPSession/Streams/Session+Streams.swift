public import ErrandDownloads
public import ErrandSessionCore
public import ErrandTransfer
public import HTTPTypes

// Streams as calls. Each returns a response whose content is read while it comes.

extension Session {
    /// Sends a request, and returns its response as soon as its head has come and is acceptable.
    ///
    /// ```swift
    /// for try await bytes in try await api.stream("exports/7") {
    ///     try output.write(contentsOf: bytes)
    /// }
    /// ```
    ///
    /// The content goes to the reader as it is, with content codings removed, whatever its size. See
    /// ``StreamedResponse`` for its back-pressure, its end, and its lines of text.
    ///
    /// - Parameters:
    ///   - path: As in ``request(_:_:parameters:headers:body:options:)``, like the following.
    ///   - method: Default: GET.
    ///   - parameters: Default: `nil`, none.
    ///   - headers: Default: none.
    ///   - body: Default: `nil`, none.
    ///   - options: Default: those of the session. The serializer of the response is not used.
    /// - Returns: The head and the content of an acceptable response.
    /// - Throws: The error of the task, with its response (``SessionError/response``).
    public func stream(
        _ path: String, method: HTTPRequest.Method = .get, parameters: Parameters? = nil,
        headers: RequestHeaders = RequestHeaders(), body: TaskBody? = nil, options: RequestOptions = RequestOptions()
    ) async throws(SessionError) -> StreamedResponse {
        try await stream(
            TaskRequest(method, path, parameters: parameters, headers: headers, body: body, options: options))
    }

    /// Sends a request, and lets a closure decide about its response: to stream it, to refuse it, or to write it to a
    /// file.
    ///
    /// ```swift
    /// let response = try await api.stream("exports/7") { head in
    ///     head.headers[.contentType] == "application/zip" ? .download(to: "/srv/7.zip") : .allow
    /// }
    /// switch response {
    /// case .stream(let stream): for try await bytes in stream { print(bytes.count) }
    /// case .download(let task): print(try await task.file.path)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - path: As in ``request(_:_:parameters:headers:body:options:)``, like the following.
    ///   - method: Default: GET.
    ///   - parameters: Default: `nil`, none.
    ///   - headers: Default: none.
    ///   - body: Default: `nil`, none.
    ///   - options: Default: those of the session. The serializer of the response is not used.
    ///   - decide: Called once with the head of an acceptable response: on the transport's thread, or for a response
    ///     that another request could have followed (401, 3xx) on any thread. It must not block.
    /// - Returns: The response, whose content is still coming.
    /// - Throws: The error of the task, with its response (``SessionError/response``);
    ///   ``SessionErrorCode/canceled`` if the closure refuses the response.
    public func stream(
        _ path: String, method: HTTPRequest.Method = .get, parameters: Parameters? = nil,
        headers: RequestHeaders = RequestHeaders(), body: TaskBody? = nil, options: RequestOptions = RequestOptions(),
        deciding decide: @escaping @Sendable (ResponseHead) -> ResponseDisposition
    ) async throws(SessionError) -> DisposedResponse {
        try await stream(
            TaskRequest(method, path, parameters: parameters, headers: headers, body: body, options: options),
            deciding: decide)
    }
}
