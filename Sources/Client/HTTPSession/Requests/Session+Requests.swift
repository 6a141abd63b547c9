public import ErrandSessionCore
public import ErrandTransfer
public import FoundationEssentials
public import HTTPTypes

extension Session {
    /// Sends a request with any method that the session allows, and receives the response in memory.
    ///
    /// ```swift
    /// let response = try await api.request(.options, "users")
    /// print(response.head.headers[.allow] ?? "")
    /// ```
    ///
    /// The request runs as a task, which is in ``tasks`` and ``events`` until it ends. Canceling the calling Swift
    /// task cancels it: its connection is closed at once. To control or observe the task, create it with
    /// ``dataTask(_:method:parameters:headers:body:options:sink:)``.
    ///
    /// - Parameters:
    ///   - method: The method, one of ``SessionConfiguration/allowedMethods``.
    ///   - path: A reference that is resolved against the session's base URL (RFC 3986 §5.2), or an absolute URL;
    ///     ``SessionConfiguration/urlScope`` limits both.
    ///   - parameters: Sent in the query of the URL or in the content, depending on the method
    ///     (``RequestConfiguration/methodsWithParametersInURL``). Default: `nil`, none.
    ///   - headers: Header fields in addition to the session's. Default: none.
    ///   - body: Content that is sent as it is, instead of parameters. Default: `nil`, none.
    ///   - options: Options that replace those of the session. Default: none.
    /// - Returns: A successful response: its status and content type are acceptable, and its content was read. It has
    ///   at most 8 MiB of content, unless the session allows more
    ///   (``ResponseConfiguration/Disposition/maxBodyBytes``); more fails with ``SessionErrorCode/bodyTooLarge``. A
    ///   stream and a download have no such limit.
    /// - Throws: The error of the task; ``SessionErrorCode`` lists all of them. ``SessionError/response`` is the
    ///   response that came with it.
    @discardableResult
    public func request(
        _ method: HTTPRequest.Method, _ path: String, parameters: Parameters? = nil,
        headers: RequestHeaders = RequestHeaders(), body: TaskBody? = nil, options: RequestOptions = RequestOptions()
    ) async throws(SessionError) -> SessionResponse {
        let task = try dataTask(
            path, method: method, parameters: parameters, headers: headers, body: body, options: options)
        return try await task.run()
    }

    /// Sends a request with any method that the session allows, and decodes the response.
    ///
    /// - Parameters:
    ///   - method: As in ``request(_:_:parameters:headers:body:options:)``, like the following.
    ///   - path: The path or URL.
    ///   - parameters: Default: `nil`, none.
    ///   - headers: Default: none.
    ///   - body: Default: `nil`, none.
    ///   - options: Default: those of the session.
    ///   - type: The type of the result.
    ///   - decoder: The decoder, which determines the format of dates, data and names. Default: a `JSONDecoder` with
    ///     its own defaults.
    /// - Returns: The value that ``SessionResponse/decoded(as:with:)`` returns.
    /// - Throws: As the same call without a type, and ``SessionErrorCode/unparsableBody`` if the content does not
    ///   decode as the type; the message names the place.
    public func request<Value: Decodable & Sendable>(
        _ method: HTTPRequest.Method, _ path: String, parameters: Parameters? = nil,
        headers: RequestHeaders = RequestHeaders(), body: TaskBody? = nil, options: RequestOptions = RequestOptions(),
        as type: Value.Type, decoder: JSONDecoder = JSONDecoder()
    ) async throws(SessionError) -> Value {
        let response = try await request(
            method, path, parameters: parameters, headers: headers, body: body, options: options)
        do throws(SessionError) {
            return try response.decoded(as: type, with: decoder)
        } catch {
            throw error.with(response, maxBytes: configuration.response.disposition.maxErrorBytes)
        }
    }

    /// Creates a suspended task; ``SessionTask/resume()`` starts it.
    ///
    /// ```swift
    /// let task = try api.dataTask("reports/2026")
    /// task.resume()
    /// for await progress in task.progressUpdates { print(progress.received) }
    /// let outcome = await task.outcome
    /// ```
    ///
    /// - Parameters:
    ///   - path: As in ``request(_:_:parameters:headers:body:options:)``, like the following.
    ///   - method: Default: GET.
    ///   - parameters: Default: `nil`, none.
    ///   - headers: Default: none.
    ///   - body: Default: `nil`, none.
    ///   - options: Default: those of the session.
    ///   - sink: Creates the destination of the content, once for each attempt. Default: memory.
    /// - Throws: The problem of the request, or ``SessionErrorCode/sessionClosed``.
    public func dataTask(
        _ path: String, method: HTTPRequest.Method = .get, parameters: Parameters? = nil,
        headers: RequestHeaders = RequestHeaders(), body: TaskBody? = nil, options: RequestOptions = RequestOptions(),
        sink: @escaping @Sendable () -> any BodySink = { MemorySink() }
    ) throws(SessionError) -> SessionTask {
        try task(
            TaskRequest(method, path, parameters: parameters, headers: headers, body: body, options: options),
            sink: sink)
    }
}
