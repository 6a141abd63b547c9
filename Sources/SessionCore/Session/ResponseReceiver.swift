import HTTPTypes
import Synchronization
import Transfer

/// Passes the content of one response to its sink, as long as it is not more than the session takes.
final class ResponseReceiver: TransferReceiver {
    private let sink: any BodySink
    private let request: TransferRequest
    private let maxBodyBytes: Int64
    private let onStart: (@Sendable (any TransferControl) -> Void)?
    /// Decoded bytes so far.
    ///
    /// Atomic for the type's sake: the calls of one transfer come one at a time.
    private let received = Atomic<Int64>(0)

    init(
        sink: any BodySink, request: TransferRequest, maxBodyBytes: Int64,
        onStart: (@Sendable (any TransferControl) -> Void)?
    ) {
        self.sink = sink
        self.request = request
        self.maxBodyBytes = maxBodyBytes
        self.onStart = onStart
    }

    func transferDidStart(_ control: any TransferControl) {
        // Weak: the transfer holds its receiver, and that the sink.
        sink.begin { [weak control] in control?.resumeReceiving() }
        onStart?(control)
    }

    func transferDidReceive(_ head: ResponseHead) -> HeadDecision {
        guard let announced = contentLength(of: head), announced > maxBodyBytes else { return .proceed }
        return .stop(tooLarge)
    }

    func transferDidReceive(_ bytes: RawSpan) -> ReceiveDecision {
        let size = Int64(bytes.byteCount)
        let total = received.wrappingAdd(size, ordering: .relaxed).newValue
        return total > maxBodyBytes ? .stop(tooLarge) : sink.append(bytes)
    }

    /// How many bytes of content will come; `nil` when the head does not say.
    ///
    /// The length of coded content says nothing about what is decoded of it; the answer to HEAD and a 304 have the
    /// length of content that does not come (RFC 9110 §8.6).
    private func contentLength(of head: ResponseHead) -> Int64? {
        guard request.method != .head, head.status != 204, head.status != 304 else { return nil }
        if request.acceptsCompression, head.headers.contains(.contentEncoding) { return nil }
        return head.headers.first { $0.name == .contentLength }.flatMap { Int64($0.value) }
    }

    private var tooLarge: TransferError {
        TransferError(.bodyTooLarge, "The response has more than \(maxBodyBytes) bytes of content")
    }
}
