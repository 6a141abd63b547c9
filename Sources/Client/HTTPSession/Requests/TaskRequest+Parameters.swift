public import ErrandSessionCore
public import HTTPTypes

extension TaskRequest {
    /// Creates a request as the methods of ``Session`` do.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: A reference that is resolved against the session's base URL (RFC 3986 §5.2), or an absolute URL.
    ///   - parameters: Input of the request serializer. Default: `nil`, none.
    ///   - headers: Header fields in addition to the session's. Default: none.
    ///   - body: Content that is sent as it is, instead of parameters. Default: `nil`, none.
    ///   - options: Options that replace those of the session. Default: none.
    /// - Throws: The errors of ``Parameters/json()``.
    public init(
        _ method: HTTPRequest.Method, _ path: String, parameters: Parameters? = nil,
        headers: RequestHeaders = RequestHeaders(), body: TaskBody? = nil, options: RequestOptions = RequestOptions()
    ) throws(SessionError) {
        var json: [UInt8]?
        if let parameters { json = try parameters.json() }
        self.init(
            method: method.rawValue, path: path, parameters: json, headers: headers.joined, body: body,
            requestSerializer: options.requestSerializer, responseSerializer: options.responseSerializer,
            timeouts: options.timeouts)
        acceptableStatuses = options.acceptableStatuses
        acceptableContentTypes = options.acceptableContentTypes
        redirects = options.redirects
        hooks = options.hooks
        progress = options.progress
        if let priority = options.priority, !self.headers.contains(where: { $0.name.lowercased() == "priority" }) {
            self.headers.append(TaskHeader("Priority", priority.field))
        }
    }
}
