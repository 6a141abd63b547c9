package import Transfer

import struct Synchronization.Atomic

/// The transport of one generation of a session, which begins nothing more once its policy is not in force any more.
///
/// Transfers whose request was sent go on: their connections were judged before. Whatever would begin then, the next hop
/// of a redirect, another try after a challenge, the request for a token, is refused before it reaches the network; what
/// waits for a connection, before a request is sent.
package final class RevocableTransport: Transport {
    /// Performs the transfers, as long as they may begin.
    let inner: any Transport
    private let revoked = Atomic(false)

    /// Creates the transport of a generation that is in force.
    init(_ inner: any Transport) {
        self.inner = inner
    }

    /// Nothing begins any more.
    var isRevoked: Bool { revoked.load(ordering: .acquiring) }

    /// Begins nothing any more.
    func revoke() {
        revoked.store(true, ordering: .releasing)
        inner.retire()
    }

    package func perform(_ request: TransferRequest, receiver: any TransferReceiver) async -> TransferOutcome {
        guard isRevoked else { return await inner.perform(request, receiver: receiver) }
        return TransferOutcome(error: Self.refusal)
    }

    package func connect(to url: HTTPURL, timeout: Duration) async -> TransferError? {
        isRevoked ? Self.refusal : await inner.connect(to: url, timeout: timeout)
    }

    private static let refusal = TransferError(
        .sessionClosed, "The configuration of the session was changed while the task was under way")
}
