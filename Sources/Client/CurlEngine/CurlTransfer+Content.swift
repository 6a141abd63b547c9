import ErrandCompression
import ErrandTransfer
import HTTPTypes

// MARK: - Content by the response head

extension CurlTransfer {
    /// Returns whether no content follows the head, whatever its fields say (RFC 9112 §6.3).
    func isWithoutContent(_ head: ResponseHead) -> Bool {
        request.method == .head || head.status == 204 || head.status == 304
    }

    /// Returns the decoder for the content; `nil` if the content has no coding or none was offered.
    func contentDecoder(for head: ResponseHead) -> ContentDecoder? {
        guard request.acceptsCompression, !isWithoutContent(head), let codings = head.headers[.contentEncoding]
        else { return nil }
        return ContentDecoder(codings)
    }

    /// Returns the length of the content that will be delivered, or -1 if the head does not tell it.
    ///
    /// - Parameter length: The length of the content as it is transferred; `nil` if the head does not tell it.
    func announcedLength(of head: ResponseHead, length: Int64?) -> Int64 {
        // The length of encoded content does not tell the length of the decoded content.
        let isDecoded = request.acceptsCompression && head.headers.contains(.contentEncoding)
        return length == 0 ? 0 : isDecoded ? -1 : length ?? -1
    }

    /// Returns an error if the framing of the content is not supported.
    ///
    /// libcurl decodes compression as a transfer coding (RFC 9112 §7), which is never offered, without checking for its
    /// end and without limiting the decoded size.
    func framingRefusal(of head: ResponseHead) -> TransferError? {
        guard !isWithoutContent(head), let codings = head.headers[.transferEncoding] else { return nil }
        let isPlain = codings.split(separator: ",").allSatisfy { coding in
            ["chunked", "identity"].contains(coding.filter { $0 != " " && $0 != "\t" }.lowercased())
        }
        guard !isPlain else { return nil }
        return TransferError(
            .badContentEncoding, "The response has a transfer coding that was not offered; expected chunked or none",
            mayHaveArrived: true)
    }
}
