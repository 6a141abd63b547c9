import ErrandLocking
import ErrandTransfer

/// Receives the response of a token endpoint, up to ``TokenResponse/maxBytes``.
final class TokenReceiver: TransferReceiver {
    private let content = Mutex<[UInt8]>([])

    /// The received bytes.
    var bytes: [UInt8] { content.withLock { $0 } }

    func transferDidStart(_ control: any TransferControl) {}

    func transferDidReceive(_ head: ResponseHead) -> HeadDecision { .proceed }

    func transferDidReceive(_ bytes: RawSpan) -> ReceiveDecision {
        content.withLock { content in
            guard bytes.byteCount <= TokenResponse.maxBytes - content.count else {
                return .stop(
                    TransferError(
                        .bodyTooLarge, "The token endpoint's response has more than \(TokenResponse.maxBytes) bytes"))
            }
            // Safe: the bytes are copied while the span is borrowed, and nothing keeps a pointer to them.
            unsafe bytes.withUnsafeBytes { unsafe content.append(contentsOf: $0) }
            return .more
        }
    }
}
