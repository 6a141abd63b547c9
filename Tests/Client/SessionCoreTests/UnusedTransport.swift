import ErrandTransfer
import Testing

/// A transport for tests that transfer nothing.
struct UnusedTransport: Transport {
    func perform(_ request: TransferRequest, receiver: any TransferReceiver) async -> TransferOutcome {
        Issue.record("A transfer of \(request.url) was not expected")
        return TransferOutcome(error: TransferError(.transportError, "Unused"))
    }

    func connect(to url: HTTPURL, timeout: Duration) async -> TransferError? {
        Issue.record("A connection to \(url) was not expected")
        return TransferError(.transportError, "Unused")
    }
}
