import Digest
import Transfer

/// The content of a request as far as its signature says something about it.
package enum AWSPayload: Sendable, Hashable {
    /// The SHA-256 of the content, in lower-case hexadecimal digits.
    case signed(String)
    /// Content whose bytes are not known before they are sent.
    case unsigned

    /// The digest of bytes in memory.
    package init(_ bytes: [UInt8]) {
        self = .signed(Hexadecimal.encode(SHA256.hash(bytes)))
    }

    /// What is known of the content of a request.
    init(_ body: TransferBody) {
        switch body {
        case .none: self.init([])
        case .bytes(let bytes): self.init(bytes)
        case .source: self = .unsigned
        }
    }

    /// As it stands in the canonical request and in `X-Amz-Content-SHA256`.
    var text: String {
        switch self {
        case .signed(let digest): digest
        case .unsigned: "UNSIGNED-PAYLOAD"
        }
    }
}
