import ErrandResponseSerialization
public import ErrandSessionCore

extension Session {
    /// Creates a suspended download task; ``DownloadTask/resume()`` starts it.
    ///
    /// A response with an acceptable status becomes the file; if 200 is acceptable, so is 206 for a part. Its content
    /// is left as it is: no serializer reads it. The request asks for content without a coding
    /// (`Accept-Encoding: identity`), because a part of encoded content cannot be decoded: only content that is sent as
    /// it is can be resumed. If the server encodes it nevertheless, it is decoded, and the download cannot be resumed.
    ///
    /// Validators of the hooks see the head of the response and no content. If one refuses the response, the file is
    /// removed. They are not asked about the 416 that states that nothing is left to receive.
    ///
    /// - Parameters:
    ///   - request: The request. Only a GET can be resumed. `Range` and `If-Range` are set by the download.
    ///   - destination: The path of the file.
    ///   - options: Default: see ``DownloadOptions``.
    ///   - data: Data of an interrupted download of the same content, whose partial file is continued. The destination
    ///     must be on the file system of that file. Default: `nil`, none.
    /// - Throws: The problems of the request as one error, or ``SessionErrorCode/sessionClosed``.
    public func downloadTask(
        _ request: TaskRequest, to destination: DownloadDestination, options: DownloadOptions = DownloadOptions(),
        resuming data: DownloadResumeData? = nil
    ) throws(SessionError) -> DownloadTask {
        if let checksum = options.checksum, checksum.bytes == nil {
            throw SessionError(.unserializableParameters, "The expected SHA-256 does not have 64 hexadecimal digits")
        }
        var request = request
        let names = request.headers.map { $0.name.lowercased() }
        if let name = names.first(where: { $0 == "range" || $0 == "if-range" }) {
            throw SessionError(.unserializableParameters, "The header field \(name) is set by the download")
        }
        if !names.contains("accept-encoding") { request.headers.append(TaskHeader("Accept-Encoding", "identity")) }
        request.responseSerializer = .raw
        request.hooks.responseSerializer = nil
        request.isJudgedByStatus = false
        request.timeouts = options.timeouts.completed(by: request.timeouts)
        if let progress = options.progress { request.progress = progress }
        // The download has its own limit.
        request.maxBodyBytes = Int64.max
        var response = configuration.response
        response.acceptableStatuses = (request.acceptableStatuses ?? response.acceptableStatuses).withParts
        request.acceptableStatuses = response.acceptableStatuses
        let download = Download(to: destination, options, resuming: data, response)
        return DownloadTask(try task(request, attempts: download), download)
    }
}

extension StatusSet {
    /// These statuses, and 206 if 200 is one of them: a part that was asked for is as good as the whole.
    fileprivate var withParts: StatusSet {
        contains(200) && !contains(206) ? StatusSet(ranges + [206...206]) : self
    }
}

extension TaskTimeouts {
    /// Returns these timeouts, with others for those that are `nil`.
    fileprivate func completed(by others: TaskTimeouts) -> TaskTimeouts {
        TaskTimeouts(
            connect: connect ?? others.connect, idle: idle ?? others.idle, total: total ?? others.total)
    }
}
