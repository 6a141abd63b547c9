import CErrandZlib

/// The content codings of HTTP that use deflate (RFC 9110 §8.4.1).
package enum ContentCoding: String, Sendable, Hashable, CaseIterable {
    /// A single gzip member (RFC 1952), without a name and a time: equal contents have equal codings.
    case gzip
    /// The zlib format (RFC 1950) around deflate, which HTTP calls `deflate`.
    case deflate

    /// Encodes complete content.
    ///
    /// Runs on the calling thread, and needs memory for the result and about 300 KiB more.
    package func encode(_ bytes: [UInt8]) throws(CompressionError) -> [UInt8] {
        try DeflateStream(self).finish(bytes)
    }
}

/// A failure of zlib to compress.
package struct CompressionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The status of zlib, for example `Z_MEM_ERROR`.
    package var status: Int32

    /// A sentence without a full stop.
    package var description: String {
        switch status {
        case Z_MEM_ERROR: "there is not enough memory"
        case Z_VERSION_ERROR: "the zlib of this machine is not compatible with the one that the program was built with"
        default: "zlib failed with status \(status)"
        }
    }
}
