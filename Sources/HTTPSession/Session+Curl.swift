import CurlEngine
/// The library is the session manager itself, with its values.
@_exported public import SessionCore
@_exported public import Transfer

extension Session {
    /// Creates a session over libcurl, with connections of its own.
    ///
    /// ```swift
    /// let api = try Session(SessionConfiguration(name: "api", baseURL: HTTPURL("https://api.example.com/v1")))
    /// ```
    ///
    /// All such sessions of a process share one thread, which lives as long as the process. The session's connections
    /// are closed when the last reference to it is dropped.
    ///
    /// - Throws: When libcurl cannot be initialised, or the system has no thread or descriptor left.
    public convenience init(_ configuration: SessionConfiguration) throws(SessionError) {
        do throws(TransferError) {
            let engine = try CurlEngine.shared.get()
            self.init(configuration, transport: engine.session(configuration.connection))
        } catch {
            throw SessionError(error)
        }
    }

    /// Creates a session over libcurl with the defaults of ``SessionConfiguration``.
    ///
    /// ```swift
    /// let api = try Session(baseURL: "https://api.example.com/v1")
    /// let user = try await api.data(for: TaskRequest(path: "users/1"))
    /// ```
    ///
    /// - Parameter baseURL: An absolute `http` or `https` URL without user information. Its host is the session's name.
    /// - Throws: ``SessionErrorCode/badURL`` or ``SessionErrorCode/unsupportedURL`` for another one, and what
    ///   ``init(_:)`` does.
    public convenience init(baseURL: String) throws(SessionError) {
        let url: HTTPURL
        do throws(HTTPURLError) {
            url = try HTTPURL(baseURL)
        } catch {
            throw SessionError(error)
        }
        try self.init(SessionConfiguration(name: url.host, baseURL: url))
    }
}

extension CurlEngine {
    /// The engine of all sessions that bring none, started by the first of them and never ended.
    fileprivate static let shared = Result<CurlEngine, TransferError> { () throws(TransferError) in try CurlEngine() }
}
