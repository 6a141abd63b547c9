import HTTPTypes
public import SessionCore

// The methods of HTTP as calls. Each receives in memory, and throws unless the response is one of success.

extension Session {
    /// Gets a resource (RFC 9110 §9.3.1).
    ///
    /// ```swift
    /// let response = try await api.get("users", parameters: ["page": 2])
    /// ```
    ///
    /// - Parameters:
    ///   - path: As in ``request(_:_:parameters:headers:body:options:)``, like the following.
    ///   - parameters: In the query of the URL, unless the session has it otherwise. Default: `nil`, none.
    ///   - headers: Default: none.
    ///   - options: Default: nothing.
    /// - Returns: A response of success, with its content.
    /// - Throws: Why there is none; ``SessionErrorCode`` has every reason.
    @discardableResult
    public func get(
        _ path: String, parameters: Parameters? = nil, headers: RequestHeaders = RequestHeaders(),
        options: RequestOptions = RequestOptions()
    ) async throws(SessionError) -> SessionResponse {
        try await request(.get, path, parameters: parameters, headers: headers, options: options)
    }

    /// Asks for the head of the response that GET would get (RFC 9110 §9.3.2).
    ///
    /// ```swift
    /// let size = try await api.head("reports/7").head.headers[.contentLength]
    /// ```
    ///
    /// - Parameters:
    ///   - path: As in ``request(_:_:parameters:headers:body:options:)``, like the following.
    ///   - parameters: In the query of the URL, unless the session has it otherwise. Default: `nil`, none.
    ///   - headers: Default: none.
    ///   - options: Default: nothing.
    /// - Returns: A response of success; it has no content.
    /// - Throws: Why there is none; ``SessionErrorCode`` has every reason.
    @discardableResult
    public func head(
        _ path: String, parameters: Parameters? = nil, headers: RequestHeaders = RequestHeaders(),
        options: RequestOptions = RequestOptions()
    ) async throws(SessionError) -> SessionResponse {
        try await request(.head, path, parameters: parameters, headers: headers, options: options)
    }

    /// Has a resource process content (RFC 9110 §9.3.3).
    ///
    /// ```swift
    /// try await api.post("login", parameters: ["user": "ada", "remember": true])
    /// ```
    ///
    /// - Parameters:
    ///   - path: As in ``request(_:_:parameters:headers:body:options:)``, like the following.
    ///   - parameters: In the content, unless the session has it otherwise. Default: `nil`, none.
    ///   - headers: Default: none.
    ///   - body: Instead of parameters. Default: `nil`, none.
    ///   - options: Default: nothing.
    /// - Returns: A response of success, with its content.
    /// - Throws: Why there is none; ``SessionErrorCode`` has every reason.
    @discardableResult
    public func post(
        _ path: String, parameters: Parameters? = nil, headers: RequestHeaders = RequestHeaders(),
        body: TaskBody? = nil, options: RequestOptions = RequestOptions()
    ) async throws(SessionError) -> SessionResponse {
        try await request(.post, path, parameters: parameters, headers: headers, body: body, options: options)
    }

    /// Makes content the state of a resource (RFC 9110 §9.3.4).
    ///
    /// ```swift
    /// try await api.put("reports/7", body: .file("2026/report.pdf"))
    /// ```
    ///
    /// - Parameters:
    ///   - path: As in ``request(_:_:parameters:headers:body:options:)``, like the following.
    ///   - parameters: In the content, unless the session has it otherwise. Default: `nil`, none.
    ///   - headers: Default: none.
    ///   - body: Instead of parameters. Default: `nil`, none.
    ///   - options: Default: nothing.
    /// - Returns: A response of success, with its content.
    /// - Throws: Why there is none; ``SessionErrorCode`` has every reason.
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
    ///   - parameters: In the content, unless the session has it otherwise. Default: `nil`, none.
    ///   - headers: Default: none.
    ///   - body: Instead of parameters. Default: `nil`, none.
    ///   - options: Default: nothing.
    /// - Returns: A response of success, with its content.
    /// - Throws: Why there is none; ``SessionErrorCode`` has every reason.
    @discardableResult
    public func patch(
        _ path: String, parameters: Parameters? = nil, headers: RequestHeaders = RequestHeaders(),
        body: TaskBody? = nil, options: RequestOptions = RequestOptions()
    ) async throws(SessionError) -> SessionResponse {
        try await request(.patch, path, parameters: parameters, headers: headers, body: body, options: options)
    }

    /// Removes a resource (RFC 9110 §9.3.5).
    ///
    /// ```swift
    /// try await api.delete("users/1")
    /// ```
    ///
    /// - Parameters:
    ///   - path: As in ``request(_:_:parameters:headers:body:options:)``, like the following.
    ///   - parameters: In the query of the URL, unless the session has it otherwise. Default: `nil`, none.
    ///   - headers: Default: none.
    ///   - options: Default: nothing.
    /// - Returns: A response of success, with its content.
    /// - Throws: Why there is none; ``SessionErrorCode`` has every reason.
    @discardableResult
    public func delete(
        _ path: String, parameters: Parameters? = nil, headers: RequestHeaders = RequestHeaders(),
        options: RequestOptions = RequestOptions()
    ) async throws(SessionError) -> SessionResponse {
        try await request(.delete, path, parameters: parameters, headers: headers, options: options)
    }
}
