import CErrandZlib

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
