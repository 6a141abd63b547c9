import ErrandCompression
package import ErrandTransfer

/// The settings for compressing request content (RFC 9110 §8.4).
public struct RequestCompression: Sendable, Hashable {
    /// The content coding.
    ///
    /// Default: ``Coding/none``.
    public var coding: Coding
    /// The smallest content that is compressed, in bytes.
    ///
    /// Default: 1 KiB. Smaller content usually grows.
    public var minBytes: Int64

    /// Creates settings; no compression by default.
    public init(coding: Coding = .none, minBytes: Int64 = 1024) {
        self.coding = coding
        self.minBytes = minBytes
    }

    /// The content codings; the raw value is the name in configurations and in `Content-Encoding`.
    public enum Coding: String, Sendable, Hashable, CaseIterable {
        /// No compression.
        case none
        /// One gzip member (RFC 1952).
        case gzip
        /// The zlib format (RFC 1950), as RFC 9110 §8.4.1.2 specifies it.
        case deflate
    }

    /// The result of compressing content.
    package struct Result: Sendable {
        /// The compressed content.
        package var body: TransferBody
        /// The value of the `Content-Encoding` field.
        package var contentEncoding: String
    }

    /// Compresses content that is large enough.
    ///
    /// - Parameters:
    ///   - body: The content. Only bytes in memory are compressed, because the compressed length of a source would not
    ///     be known before it is sent.
    ///   - isCoded: True if the request already has a `Content-Encoding`; its content is then left unchanged.
    /// - Returns: The compressed content, or `nil` if it is left unchanged.
    package func compress(_ body: TransferBody, isCoded: Bool) throws(RequestSerializationError) -> Result? {
        let contentCoding: ContentCoding
        switch coding {
        case .none: return nil
        case .gzip: contentCoding = .gzip
        case .deflate: contentCoding = .deflate
        }
        guard !isCoded, case .bytes(let bytes) = body, !bytes.isEmpty, Int64(bytes.count) >= minBytes else {
            return nil
        }
        do throws(CompressionError) {
            return Result(body: .bytes(try contentCoding.encode(bytes)), contentEncoding: coding.rawValue)
        } catch {
            throw RequestSerializationError(message: "The content cannot be compressed: \(error)")
        }
    }
}
