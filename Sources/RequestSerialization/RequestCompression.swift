import Compression
public import Transfer

/// Whether and how the content of requests is compressed (RFC 9110 §8.4).
public struct RequestCompression: Sendable, Hashable {
    /// How content is coded.
    ///
    /// Default: ``Coding/none``.
    public var coding: Coding
    /// The least content that is worth it, in bytes.
    ///
    /// Default: 1 KiB. Below it most content grows.
    public var minBytes: Int64

    /// Creates a setting; no compression by default.
    public init(coding: Coding = .none, minBytes: Int64 = 1024) {
        self.coding = coding
        self.minBytes = minBytes
    }

    /// How content is coded; the raw value is the name in configurations and in `Content-Encoding`.
    public enum Coding: String, Sendable, Hashable, CaseIterable {
        /// Not at all.
        case none
        /// As one gzip member (RFC 1952).
        case gzip
        /// In the zlib format (RFC 1950), as RFC 9110 §8.4.1.2 has it.
        case deflate
    }

    /// Content that has been compressed.
    public struct Result: Sendable {
        /// The compressed content.
        public var body: TransferBody
        /// The value of its `Content-Encoding`.
        public var contentEncoding: String
    }

    /// Compresses content that is worth it.
    ///
    /// - Parameters:
    ///   - body: The content. Only bytes in memory are compressed: the length of what a source will bring, which is
    ///     sent before it, would not be known.
    ///   - isCoded: The request has a `Content-Encoding` already: its content is left as it is.
    /// - Returns: The compressed content, or `nil` where it is left as it is.
    public func compress(_ body: TransferBody, isCoded: Bool) throws(RequestSerializationError) -> Result? {
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
