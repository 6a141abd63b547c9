public import ErrandCookies
import ErrandCurlEngine
public import ErrandSessionCore
import ErrandTransfer

extension Session {
    /// Creates a session over libcurl, with its own connections.
    ///
    /// ```swift
    /// var configuration = SessionConfiguration(name: "api", baseURL: try HTTPURL("https://api.example.com/v1"))
    /// configuration.credentials = .bearer(token: token)
    /// let api = try Session(configuration, uploads: .folder("/srv/outgoing"))
    /// ```
    ///
    /// All such sessions of a process share one thread, which lives as long as the process. The session's connections
    /// are closed when the last reference to it is released.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the session.
    ///   - uploads: Opens the files that tasks name: see ``FolderUploads`` and ``PathUploads``. Default: `nil`, tasks
    ///     that name files are rejected.
    ///   - hooks: The code of the program that the session calls: hooks and serializers. Default: none.
    ///   - cookieStorage: The storage of cookies that are ``CookiePolicy/persistent``. Default: `nil`, they are kept in
    ///     memory only.
    ///   - onCookieFailure: Called if cookies could not be stored; they are retried with the next change. Any thread.
    ///     Default: does nothing.
    /// - Throws: ``SessionErrorCode/secureConnectionFailed`` for a trust policy that protects nothing or refuses every
    ///   peer: pinning without a base URL with `https`, without pins, or of certificates by the pin of a key; invalid
    ///   certificates together with domain validation and without pinning. An error if libcurl cannot be initialized,
    ///   or the system has no thread or descriptor left; the next session tries again.
    public convenience init(
        _ configuration: SessionConfiguration, uploads: (any UploadFiles)? = nil,
        hooks: SessionHooks = SessionHooks(), cookieStorage: (any CookieStorage)? = nil,
        onCookieFailure: @escaping @Sendable (CookieStorageError) -> Void = { _ in }
    ) throws(SessionError) {
        try configuration.checkTrust()
        do throws(TransferError) {
            let engine = try CurlEngine.shared.value()
            let options = configuration.transportOptions
            self.init(
                configuration, transport: RenewableTransport { engine.session(options) }, cookieStorage: cookieStorage,
                onCookieFailure: onCookieFailure, uploads: uploads, hooks: hooks)
        } catch {
            throw SessionError(error)
        }
    }

    /// Creates a session over libcurl with the defaults of ``SessionConfiguration``.
    ///
    /// ```swift
    /// let api = try Session(baseURL: "https://api.example.com/v1")
    /// let user = try await api.get("users/1", as: User.self)
    ///
    /// let billing = try Session(baseURL: "https://billing.example.com") {
    ///     $0.credentials = .basic(username: "errand", password: password)
    ///     $0.request.serializer = .json
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - baseURL: An absolute `http` or `https` URL without user information. Its host is the session's name.
    ///   - uploads: As in ``init(_:uploads:hooks:cookieStorage:onCookieFailure:)``.
    ///   - hooks: The code of the program that the session calls: hooks and serializers. Default: none.
    ///   - cookieStorage: The storage of cookies that are ``CookiePolicy/persistent``, which `configure` has to select.
    ///     Default: `nil`, they are kept in memory only.
    ///   - configure: Changes the configuration before the session is created. Default: does nothing.
    ///   - onCookieFailure: As in ``init(_:uploads:hooks:cookieStorage:onCookieFailure:)``.
    /// - Throws: ``SessionErrorCode/badURL`` or ``SessionErrorCode/unsupportedURL`` if the base URL is invalid, and the
    ///   errors of ``init(_:uploads:hooks:cookieStorage:onCookieFailure:)``.
    public convenience init(
        baseURL: String, uploads: (any UploadFiles)? = nil, hooks: SessionHooks = SessionHooks(),
        cookieStorage: (any CookieStorage)? = nil, configure: (inout SessionConfiguration) -> Void = { _ in },
        onCookieFailure: @escaping @Sendable (CookieStorageError) -> Void = { _ in }
    ) throws(SessionError) {
        let url: HTTPURL
        do throws(HTTPURLError) {
            url = try HTTPURL(baseURL)
        } catch {
            throw SessionError(error)
        }
        var configuration = SessionConfiguration(name: url.host, baseURL: url)
        configure(&configuration)
        try self.init(
            configuration, uploads: uploads, hooks: hooks, cookieStorage: cookieStorage,
            onCookieFailure: onCookieFailure)
    }
}

extension CurlEngine {
    /// The engine of all sessions created without one: started by the first of them that can, never stopped.
    fileprivate static let shared = FirstSuccess<CurlEngine, TransferError> { () throws(TransferError) in
        try CurlEngine()
    }
}
