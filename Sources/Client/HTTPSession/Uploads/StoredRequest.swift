import ErrandDownloads
import ErrandFileSources
public import ErrandSessionCore

/// A request whose content is in a file, so that it is made once and can be sent any number of times.
///
/// ``Session/store(_:at:onConflict:)`` creates the file. It belongs to the program, which removes it.
public struct StoredRequest: Sendable {
    /// The path of the file, which only the owner of the process can read.
    public let path: String
    /// The number of bytes of the content.
    public let byteCount: Int64
    /// The request without its content, but with the header fields that describe it.
    private let request: TaskRequest
    private let sha256: [UInt8]?

    init(_ request: TaskRequest, _ file: ContentFile) {
        self.request = request
        path = file.path
        byteCount = file.byteCount
        sha256 = file.sha256
    }

    /// Returns the request with the content of the file, to be sent once; each call returns another source.
    ///
    /// The SHA-256 digest of the content is known, so that a session can send it
    /// (``RequestConfiguration/contentDigest``).
    ///
    /// - Throws: ``SessionErrorCode/fileNotFound``; ``SessionErrorCode/badFile`` if the file cannot be read or has
    ///   another length than when it was written.
    public func request() async throws(SessionError) -> TaskRequest {
        let source: FileSource
        do throws(FileSourceError) {
            source = try await .open(path: path, sha256: sha256)
        } catch {
            throw SessionError(error)
        }
        guard let found = source.length, found == byteCount else {
            throw SessionError(
                .badFile, "The file \(path) has \(source.length ?? 0) bytes; \(byteCount) were written")
        }
        var request = request
        request.body = .source(source)
        return request
    }
}

extension Session {
    /// Writes the content of a request to a file, as this session would send it.
    ///
    /// Uploads a large form several times, or after the sources of its parts are gone, without making it again:
    ///
    /// ```swift
    /// let request = TaskRequest(path: "photos", body: .parts(parts))
    /// let form = try await api.store(request, at: "/var/spool/photos.form")
    /// let response = try await api.data(for: form.request())
    /// ```
    ///
    /// Any content can be stored: a form, a stream, a file, or serialized parameters. A limit on the rate of forms
    /// (``RequestSerializationOptions/throttle``) applies neither to writing the file nor to sending it.
    ///
    /// - Parameters:
    ///   - request: The request, whose sources this call reads.
    ///   - path: The path of the file, in a folder that exists. It appears there in one step when it is complete, and
    ///     not at all after an error.
    ///   - onConflict: The action if the path exists. Default: ``DownloadConflict/fail``.
    /// - Returns: The request with the content of the file.
    /// - Throws: All problems of the request as one error, ``SessionErrorCode/unserializableParameters`` also if it has
    ///   no content; the error of a source; ``SessionErrorCode/exists``, ``SessionErrorCode/cannotCreate``,
    ///   ``SessionErrorCode/cannotWrite``, ``SessionErrorCode/diskFull`` or ``SessionErrorCode/cannotMove``;
    ///   ``SessionErrorCode/canceled`` if the calling Swift task is canceled.
    public func store(
        _ request: TaskRequest, at path: String, onConflict: DownloadConflict = .fail
    ) async throws(SessionError) -> StoredRequest {
        let (content, rest) = try separate(request)
        return StoredRequest(rest, try await ContentFile.write(content, to: path, onConflict))
    }
}
