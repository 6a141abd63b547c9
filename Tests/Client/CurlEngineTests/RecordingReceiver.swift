import ErrandLocking
import ErrandSupport
import ErrandTransfer

/// A receiver that records its input and responds as configured.
final class RecordingReceiver: TransferReceiver {
    /// The control, once the transfer has started.
    let started = EventLog<any TransferControl>()
    /// The received heads.
    let heads = EventLog<ResponseHead>()
    /// The total number of received bytes after each piece.
    let pieces = EventLog<Int>()
    private let content = Mutex<[UInt8]>([])
    private let onHead: @Sendable (ResponseHead) -> HeadDecision
    private let onPiece: @Sendable (_ number: Int) -> ReceiveDecision

    /// Creates a receiver.
    ///
    /// - Parameters:
    ///   - onHead: Returns the decision for a head.
    ///   - onPiece: Returns the decision for a piece of content, by its number from 0.
    init(
        onHead: @escaping @Sendable (ResponseHead) -> HeadDecision = { _ in .proceed },
        onPiece: @escaping @Sendable (_ number: Int) -> ReceiveDecision = { _ in .more }
    ) {
        self.onHead = onHead
        self.onPiece = onPiece
    }

    var body: [UInt8] { content.withLock { $0 } }
    var text: String { String(decoding: body, as: UTF8.self) }

    func transferDidStart(_ control: any TransferControl) {
        started.append(control)
    }

    func transferDidReceive(_ head: ResponseHead) -> HeadDecision {
        heads.append(head)
        return onHead(head)
    }

    func transferDidReceive(_ bytes: RawSpan) -> ReceiveDecision {
        let count = content.withLock { content in
            bytes.withUnsafeBytes { content += $0 }
            return content.count
        }
        let number = pieces.events.count
        pieces.append(count)
        return onPiece(number)
    }

    /// Waits until the transfer has started and returns its control.
    func control() async -> any TransferControl {
        await started.first(1)[0]
    }
}
