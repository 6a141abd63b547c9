public import ErrandSessionCore
import ErrandTransfer

extension TaskBody {
    /// Bytes that a sequence produces while they are sent: `application/octet-stream`.
    ///
    /// ```swift
    /// try await api.put("logs/today", body: .stream(lines))
    /// ```
    ///
    /// The sequence is read only as fast as the connection accepts the bytes. If it throws an error, the request fails
    /// with ``SessionErrorCode/transportError``, and the error is its ``SessionError/cause``. Content of which a part
    /// was sent cannot be sent again: see `StreamSource`.
    ///
    /// - Parameters:
    ///   - buffers: The content, of which no other iterator should take parts.
    ///   - length: The number of bytes. Default: `nil`, unknown; the content is then sent chunked (HTTP/1.1).
    public static func stream<Buffers: AsyncSequence & Sendable>(
        _ buffers: Buffers, length: Int64? = nil
    ) -> TaskBody where Buffers.Element: Sequence<UInt8> {
        .source(StreamSource(buffers, length: length))
    }
}

extension TaskPart.Content {
    /// Bytes that a sequence produces while they are sent.
    ///
    /// - Parameters:
    ///   - buffers: As in ``TaskBody/stream(_:length:)``.
    ///   - length: The number of bytes, which a form needs to know.
    public static func stream<Buffers: AsyncSequence & Sendable>(
        _ buffers: Buffers, length: Int64
    ) -> TaskPart.Content where Buffers.Element: Sequence<UInt8> {
        .source(StreamSource(buffers, length: length))
    }
}
