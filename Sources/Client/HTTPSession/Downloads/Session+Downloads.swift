public import ErrandDownloads
public import ErrandSessionCore
import HTTPTypes

// Downloads as calls. Each writes the content of the response to a file.

extension Session {
    /// Gets a resource and writes its content to a file; ``download(_:to:options:)`` sends any other request.
    ///
    /// ```swift
    /// let file = try await api.download("reports/7", to: "/srv/reports/7.pdf")
    /// print(file.path, file.size)
    /// ```
    ///
    /// Canceling the calling Swift task closes the connection at once and removes the partial file. To control or
    /// observe the download, create it with ``downloadTask(_:parameters:headers:to:options:)``.
    ///
    /// - Parameters:
    ///   - path: As in ``request(_:_:parameters:headers:body:options:)``, like the following.
    ///   - parameters: Sent in the query of the URL, unless the session is configured otherwise. Default: `nil`, none.
    ///   - headers: Default: none.
    ///   - destination: The path of the file.
    ///   - options: Default: see ``DownloadOptions``.
    /// - Returns: The complete file. It is on the medium, and only the owner of the process can read it.
    /// - Throws: The error of the task, with data for ``download(resuming:headers:to:options:)`` if a partial file was
    ///   kept. The destination is as before, with the exception that ``DownloadTask`` describes.
    @discardableResult
    public func download(
        _ path: String, parameters: Parameters? = nil, headers: RequestHeaders = RequestHeaders(),
        to destination: DownloadDestination, options: DownloadOptions = DownloadOptions()
    ) async throws(DownloadError) -> DownloadedFile {
        let request: TaskRequest
        do throws(SessionError) {
            request = try TaskRequest(.get, path, parameters: parameters, headers: headers)
        } catch {
            throw DownloadError(error)
        }
        return try await download(request, to: destination, options: options)
    }

    /// Sends a request with any method that the session allows, and writes the content of its response to a file.
    ///
    /// ```swift
    /// let query = try TaskRequest(.post, "reports/export", parameters: ["year": 2026])
    /// let file = try await api.download(query, to: "/srv/reports/2026.csv")
    /// ```
    ///
    /// Canceling the calling Swift task closes the connection at once and removes the partial file. To control or
    /// observe the download, create it with ``downloadTask(_:to:options:resuming:)``.
    ///
    /// - Parameters:
    ///   - request: The request. After an error only a GET can be resumed; another attempt, if a retrier asks for one,
    ///     begins the file again. The download sets `Range` and `If-Range`, and asks for content without a coding.
    ///   - destination: The path of the file.
    ///   - options: Default: see ``DownloadOptions``.
    /// - Returns: As ``download(_:parameters:headers:to:options:)``.
    /// - Throws: As ``download(_:parameters:headers:to:options:)``.
    @discardableResult
    public func download(
        _ request: TaskRequest, to destination: DownloadDestination, options: DownloadOptions = DownloadOptions()
    ) async throws(DownloadError) -> DownloadedFile {
        let task: DownloadTask
        do throws(SessionError) {
            task = try downloadTask(request, to: destination, options: options)
        } catch {
            throw DownloadError(error)
        }
        return try await task.run()
    }

    /// Resumes a download: requests the rest of its content, if that has not changed, and otherwise the whole.
    ///
    /// ```swift
    /// do {
    ///     try await api.download("images/7.iso", to: "/srv/7.iso")
    /// } catch {
    ///     guard let data = error.resumeData else { throw error }
    ///     try await api.download(resuming: data, to: "/srv/7.iso")
    /// }
    /// ```
    ///
    /// | response | effect |
    /// | --- | --- |
    /// | 206 with the requested range | the content is appended to the partial file |
    /// | 206 with another validator | the whole content is requested |
    /// | 206 with another range or total | ``SessionErrorCode/cannotParseResponse`` |
    /// | 200 | the content replaces the partial file |
    /// | 416 with the size of the partial file | the file is complete |
    /// | another 416 | the whole content is requested |
    ///
    /// If the partial file is missing, or the data have no strong validator, the whole content is requested.
    ///
    /// - Parameters:
    ///   - data: The data of the interrupted download. Their URL must be in the session's scope.
    ///   - headers: The header fields of the first request, which the data do not contain. Default: none.
    ///   - destination: The path of the file, on the file system of the partial file.
    ///   - options: Default: see ``DownloadOptions``.
    /// - Returns: As ``download(_:parameters:headers:to:options:)``.
    /// - Throws: As ``download(_:parameters:headers:to:options:)``.
    @discardableResult
    public func download(
        resuming data: DownloadResumeData, headers: RequestHeaders = RequestHeaders(),
        to destination: DownloadDestination, options: DownloadOptions = DownloadOptions()
    ) async throws(DownloadError) -> DownloadedFile {
        let task: DownloadTask
        do throws(SessionError) {
            task = try downloadTask(resuming: data, headers: headers, to: destination, options: options)
        } catch {
            throw DownloadError(error, resumeData: data)
        }
        return try await task.run()
    }

    /// Creates a suspended download task; ``DownloadTask/resume()`` starts it.
    ///
    /// - Parameters:
    ///   - path: As in ``download(_:parameters:headers:to:options:)``, like the following.
    ///   - parameters: Default: `nil`, none.
    ///   - headers: Default: none.
    ///   - destination: The path of the file.
    ///   - options: Default: see ``DownloadOptions``.
    /// - Throws: The problem of the request, or ``SessionErrorCode/sessionClosed``.
    public func downloadTask(
        _ path: String, parameters: Parameters? = nil, headers: RequestHeaders = RequestHeaders(),
        to destination: DownloadDestination, options: DownloadOptions = DownloadOptions()
    ) throws(SessionError) -> DownloadTask {
        try downloadTask(
            TaskRequest(.get, path, parameters: parameters, headers: headers), to: destination, options: options)
    }

    /// Creates a suspended task that resumes a download; ``DownloadTask/resume()`` starts it.
    ///
    /// - Parameters:
    ///   - data: As in ``download(resuming:headers:to:options:)``, like the following.
    ///   - headers: Default: none.
    ///   - destination: The path of the file.
    ///   - options: Default: see ``DownloadOptions``.
    /// - Throws: The problem of the request, or ``SessionErrorCode/sessionClosed``.
    public func downloadTask(
        resuming data: DownloadResumeData, headers: RequestHeaders = RequestHeaders(),
        to destination: DownloadDestination, options: DownloadOptions = DownloadOptions()
    ) throws(SessionError) -> DownloadTask {
        try downloadTask(
            TaskRequest(.get, data.url, headers: headers), to: destination, options: options, resuming: data)
    }
}
