import Testing
import Transfer

/// The transport of tests that transfer nothing.
struct UnusedTransport: Transport {
    func perform(_ request: TransferRequest, receiver: any TransferReceiver) async -> TransferOutcome {
        Issue.record("A transfer of \(request.url) was not expected")
        return TransferOutcome(error: TransferError(.transportError, "Unused"))
    }
}
