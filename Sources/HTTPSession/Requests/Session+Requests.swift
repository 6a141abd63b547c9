public import FoundationEssentials
public import HTTPTypes
public import SessionCore
public import Transfer

extension Session {
    /// Makes a request by any method the session allows, and receives the response in memory.
    ///
    /// ```swift
    /// let response = try await api.request(.options, "users")
    /// print(response.head.headers[.allow] ?? "")
    /// ```
    ///
    /// Behind it is a task, which is among ``tasks`` and told of in ``events`` until it has ended. Cancelling the calling
    /// Swift task cancels it: its connection is closed at once. Who wants to steer or watch the task, or to see what
    /// came beside an error, makes it by ``dataTask(_:method:parameters:headers:body:options:sink:)``.
    ///
    /// - Parameters:
    ///   - method: The method, one of ``SessionConfiguration/allowedMethods``.
    ///   - path: A reference that is resolved against the session's base URL (RFC 3986 §5.2), or an absolute URL; which
    ///     ones are allowed, ``SessionConfiguration/urlScope`` says.
    ///   - parameters: In the query of the URL, or in the content, as the method is
    ///     (``RequestConfiguration/methodsWithParametersInURL``). Default: `nil`, none.
    ///   - headers: Header fields on top of the session's. Default: none.
    ///   - body: Content that is sent as it is, instead of parameters. Default: `nil`, none.
    ///   - options: What is done otherwise than the session does. Default: nothing.
    /// - Returns: A response of success: its status and its content type are acceptable, its content was read.
    /// - Throws: Why there is none; ``SessionErrorCode`` has every reason.
    @discardableResult
    public func request(
        _ method: HTTPRequest.Method, _ path: String, parameters: Parameters? = nil,
        headers: RequestHeaders = RequestHeaders(), body: TaskBody? = nil, options: RequestOptions = RequestOptions()
    ) async throws(SessionError) -> SessionResponse {
        let task = try dataTask(
            path, method: method, parameters: parameters, headers: headers, body: body, options: options)
        task.resume()
        // By the outcome, as the handler knows no typed errors.
        let outcome = await withTaskCancellationHandler {
            await task.outcome
        } onCancel: {
            task.cancel()
        }
        return try outcome.success
    }

    /// Makes a request by any method the session allows, and decodes what is answered.
    ///
    /// - Parameters:
    ///   - method: As in ``request(_:_:parameters:headers:body:options:)``, like the following.
    ///   - path: What is requested.
    ///   - parameters: Default: `nil`, none.
    ///   - headers: Default: none.
    ///   - body: Default: `nil`, none.
    ///   - options: Default: nothing.
    ///   - type: What the content becomes.
    ///   - decoder: Says how dates, data and names are read. Default: a new one, without any strategy.
    /// - Returns: The value, as ``SessionResponse/decoded(as:with:)`` gives it.
    /// - Throws: As the same without a type, and ``SessionErrorCode/unparsableBody`` when the content is another value;
    ///   the message says where.
    public func request<Value: Decodable & Sendable>(
        _ method: HTTPRequest.Method, _ path: String, parameters: Parameters? = nil,
        headers: RequestHeaders = RequestHeaders(), body: TaskBody? = nil, options: RequestOptions = RequestOptions(),
        as type: Value.Type, decoder: JSONDecoder = JSONDecoder()
    ) async throws(SessionError) -> Value {
        try await request(method, path, parameters: parameters, headers: headers, body: body, options: options)
            .decoded(as: type, with: decoder)
    }

    /// Makes a task, suspended: ``SessionTask/resume()`` begins it.
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
    ///   - options: Default: nothing.
    ///   - sink: Makes where the content goes, once for each attempt. Default: memory.
    /// - Throws: What is wrong with the request, or ``SessionErrorCode/sessionClosed``.
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
