/// The content codings of HTTP that are made with deflate (RFC 9110 §8.4.1).
package enum ContentCoding: Sendable, Hashable, CaseIterable {
    /// One gzip member (RFC 1952), without a name and a time: the same content always has the same coding.
    case gzip
    /// The zlib format (RFC 1950) around deflate: what HTTP calls `deflate`.
    case deflate

    /// Codes content that is all there.
    ///
    /// Works on the calling thread, and needs room for the result besides some 300 KiB of its own.
    package func encode(_ bytes: [UInt8]) throws(CompressionError) -> [UInt8] {
        try DeflateStream(self).finish(bytes)
    }
}
