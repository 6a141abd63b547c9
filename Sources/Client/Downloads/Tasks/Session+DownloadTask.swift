import ErrandCryptography
import ErrandResponseSerialization
public import ErrandSessionCore

extension Session {
    /// Creates a suspended download task; ``DownloadTask/resume()`` starts it.
    ///
    /// A response with an acceptable status and content type becomes the file; if 200 is acceptable, so is 206 for a
    /// part. Its content is left as it is: no serializer reads it. The content of another response is in memory, up to
    /// the limit of the session (`disposition.maxBodyBytes`). The request asks for content without a coding
    /// (`Accept-Encoding: identity`), because a part of encoded content cannot be decoded: only content that is sent as
    /// it is can be resumed. If the server encodes it nevertheless, it is decoded, and the download cannot be resumed.
    ///
    /// Validators of the hooks see the head of each response and no content. If one refuses a response, also that to
    /// the request for a part, the download fails and the file is removed. They are not asked about the 416 that states
    /// that nothing is left to receive.
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
            let algorithm = checksum.algorithm
            throw SessionError(
                .unserializableParameters,
                "The expected \(algorithm.function.name) does not have \(algorithm.digitCount) hexadecimal digits")
        }
        guard DownloadOptions.connectionCounts.contains(options.connections) else {
            throw SessionError(
                .unserializableParameters,
                "The number of connections is \(options.connections); a download has from 1 to 16")
        }
        var request = request
        let names = request.headers.map { $0.name.lowercased() }
        if let name = names.first(where: { $0 == "range" || $0 == "if-range" }) {
            throw SessionError(.unserializableParameters, "The header field \(name) is set by the download")
        }
        request.timeouts = options.timeouts.completed(by: request.timeouts)
        request.hooks = request.hooks.followed(by: options.hooks)
        if let progress = options.progress { request.progress = progress }
        let response = request.becomeDownload(under: configuration.response)
        let download = Download(to: destination, options: options, resuming: data, rules: response)
        return DownloadTask(try task(request, attempts: download), download)
    }
}

extension TaskRequest {
    /// Turns the request into that of a download: without a coding, and without a serializer that reads the content.
    ///
    /// - Parameter configuration: The rules of the session.
    /// - Returns: The rules for the responses: a part that was asked for is as good as the whole.
    package mutating func becomeDownload(under configuration: ResponseConfiguration) -> ResponseConfiguration {
        if !headers.contains(where: { $0.name.lowercased() == "accept-encoding" }) {
            headers.append(TaskHeader("Accept-Encoding", "identity"))
        }
        responseSerializer = .raw
        hooks.responseSerializer = nil
        isJudgedByStatus = false
        // The download has its own limit.
        maxBodyBytes = Int64.max
        var response = configuration
        response.acceptableStatuses = (acceptableStatuses ?? configuration.acceptableStatuses).withParts
        acceptableStatuses = response.acceptableStatuses
        return response
    }
}

extension StatusSet {
    /// These statuses, and 206 if 200 is one of them: a part that was asked for is as good as the whole.
    var withParts: StatusSet {
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
