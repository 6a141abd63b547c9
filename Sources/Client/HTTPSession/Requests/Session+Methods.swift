public import ErrandSessionCore
import HTTPTypes

// The methods of HTTP as calls. Each receives the content in memory, and throws unless the response is a success.

extension Session {
    /// Gets a resource (RFC 9110 §9.3.1).
    ///
    /// ```swift
    /// let response = try await api.get("users", parameters: ["page": 2])
    /// ```
    ///
    /// Content of more than 8 MiB fails with ``SessionErrorCode/bodyTooLarge``, unless the session allows more
    /// (``ResponseConfiguration/Disposition/maxBodyBytes``); ``stream(_:method:parameters:headers:body:options:)`` and
    /// ``download(_:parameters:headers:to:options:)`` receive content of any size.
    ///
    /// - Parameters:
    ///   - path: As in ``request(_:_:parameters:headers:body:options:)``, like the following.
    ///   - parameters: Sent in the query of the URL, unless the session is configured otherwise. Default: `nil`, none.
    ///   - headers: Default: none.
    ///   - options: Default: those of the session.
    /// - Returns: A successful response, with its content.
    /// - Throws: The error of the task; ``SessionErrorCode`` lists all of them.
    @discardableResult
    public func get(
        _ path: String, parameters: Parameters? = nil, headers: RequestHeaders = RequestHeaders(),
        options: RequestOptions = RequestOptions()
    ) async throws(SessionError) -> SessionResponse {
        try await request(.get, path, parameters: parameters, headers: headers, options: options)
    }

    /// Gets the head of the response that GET would receive (RFC 9110 §9.3.2).
    ///
    /// ```swift
    /// let size = try await api.head("reports/7").head.headers[.contentLength]
    /// ```
    ///
    /// - Parameters:
    ///   - path: As in ``request(_:_:parameters:headers:body:options:)``, like the following.
    ///   - parameters: Sent in the query of the URL, unless the session is configured otherwise. Default: `nil`, none.
    ///   - headers: Default: none.
    ///   - options: Default: those of the session.
    /// - Returns: A successful response, without content.
    /// - Throws: The error of the task; ``SessionErrorCode`` lists all of them.
    @discardableResult
    public func head(
        _ path: String, parameters: Parameters? = nil, headers: RequestHeaders = RequestHeaders(),
        options: RequestOptions = RequestOptions()
    ) async throws(SessionError) -> SessionResponse {
        try await request(.head, path, parameters: parameters, headers: headers, options: options)
    }

    /// Sends content for a resource to process (RFC 9110 §9.3.3).
    ///
    /// ```swift
    /// try await api.post("login", parameters: ["user": "ada", "remember": true])
    /// ```
    ///
    /// - Parameters:
    ///   - path: As in ``request(_:_:parameters:headers:body:options:)``, like the following.
    ///   - parameters: Sent in the content, unless the session is configured otherwise. Default: `nil`, none.
    ///   - headers: Default: none.
    ///   - body: Content to send instead of parameters. Default: `nil`, none.
    ///   - options: Default: those of the session.
    /// - Returns: A successful response, with its content.
    /// - Throws: The error of the task; ``SessionErrorCode`` lists all of them.
    @discardableResult
    public func post(
        _ path: String, parameters: Parameters? = nil, headers: RequestHeaders = RequestHeaders(),
        body: TaskBody? = nil, options: RequestOptions = RequestOptions()
    ) async throws(SessionError) -> SessionResponse {
        try await request(.post, path, parameters: parameters, headers: headers, body: body, options: options)
    }

    /// Creates or replaces a resource (RFC 9110 §9.3.4).
    ///
    /// ```swift
    /// try await api.put("reports/7", body: .file("2026/report.pdf"))
    /// ```
    ///
    /// - Parameters:
    ///   - path: As in ``request(_:_:parameters:headers:body:options:)``, like the following.
    ///   - parameters: Sent in the content, unless the session is configured otherwise. Default: `nil`, none.
    ///   - headers: Default: none.
    ///   - body: Content to send instead of parameters. Default: `nil`, none.
    ///   - options: Default: those of the session.
    /// - Returns: A successful response, with its content.
    /// - Throws: The error of the task; ``SessionErrorCode`` lists all of them.
    @discardableResult
    public func put(
        _ path: String, parameters: Parameters? = nil, headers: RequestHeaders = RequestHeaders(),
        body: TaskBody? = nil, options: RequestOptions = RequestOptions()
    ) async throws(SessionError) -> SessionResponse {
        try await request(.put, path, parameters: parameters, headers: headers, body: body, options: options)
    }

    /// Changes a part of a resource (RFC 5789).
    ///
    /// ```swift
    /// try await api.patch("users/1", parameters: ["name": "Ada"])
    /// ```
    ///
    /// - Parameters:
    ///   - path: As in ``request(_:_:parameters:headers:body:options:)``, like the following.
    ///   - parameters: Sent in the content, unless the session is configured otherwise. Default: `nil`, none.
    ///   - headers: Default: none.
    ///   - body: Content to send instead of parameters. Default: `nil`, none.
    ///   - options: Default: those of the session.
    /// - Returns: A successful response, with its content.
    /// - Throws: The error of the task; ``SessionErrorCode`` lists all of them.
    @discardableResult
    public func patch(
        _ path: String, parameters: Parameters? = nil, headers: RequestHeaders = RequestHeaders(),
        body: TaskBody? = nil, options: RequestOptions = RequestOptions()
    ) async throws(SessionError) -> SessionResponse {
        try await request(.patch, path, parameters: parameters, headers: headers, body: body, options: options)
    }

    /// Deletes a resource (RFC 9110 §9.3.5).
    ///
    /// ```swift
    /// try await api.delete("users/1")
    /// ```
    ///
    /// - Parameters:
    ///   - path: As in ``request(_:_:parameters:headers:body:options:)``, like the following.
    ///   - parameters: Sent in the query of the URL, unless the session is configured otherwise. Default: `nil`, none.
    ///   - headers: Default: none.
    ///   - options: Default: those of the session.
    /// - Returns: A successful response, with its content.
    /// - Throws: The error of the task; ``SessionErrorCode`` lists all of them.
    @discardableResult
    public func delete(
        _ path: String, parameters: Parameters? = nil, headers: RequestHeaders = RequestHeaders(),
        options: RequestOptions = RequestOptions()
    ) async throws(SessionError) -> SessionResponse {
        try await request(.delete, path, parameters: parameters, headers: headers, options: options)
    }
}
