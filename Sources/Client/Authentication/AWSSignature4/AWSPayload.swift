import ErrandCryptography
import ErrandText
import ErrandTransfer

/// The part of a signature that covers the content of a request.
package enum AWSPayload: Sendable, Hashable {
    /// The SHA-256 of the content, in lower-case hexadecimal digits.
    case signed(String)
    /// Content that is unknown before it is sent, and is not covered by the signature.
    case unsigned

    /// Creates the payload for bytes in memory.
    package init(_ bytes: [UInt8]) {
        self = .signed(Hexadecimal.encode(SHA256.hash(bytes)))
    }

    /// Creates the payload for the content of a request.
    init(_ body: TransferBody) {
        switch body {
        case .none: self.init([])
        case .bytes(let bytes): self.init(bytes)
        // Content that was stored before, such as an upload that a client has sent, has a known digest.
        case .source(let source): self = source.sha256.map { .signed(Hexadecimal.encode($0)) } ?? .unsigned
        }
    }

    /// The value in the canonical request and in `X-Amz-Content-SHA256`.
    var text: String {
        switch self {
        case .signed(let digest): digest
        case .unsigned: "UNSIGNED-PAYLOAD"
        }
    }
}
