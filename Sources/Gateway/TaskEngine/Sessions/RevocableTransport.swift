package import ErrandTransfer

import struct Synchronization.Atomic

/// The transport of one generation of a session, which starts no more transfers once the session's policy has changed.
///
/// Transfers whose request was sent continue, as their connections were checked before. Any later transfer (the next
/// hop of a redirect, the answer to a challenge, the request for a token) is refused before it reaches the network. A
/// transfer that waits for a connection is refused before its request is sent.
package final class RevocableTransport: Transport {
    /// The transport that performs the transfers, as long as they may begin.
    let inner: any Transport
    private let revoked = Atomic(false)

    /// Creates the transport of a current generation.
    init(_ inner: any Transport) {
        self.inner = inner
    }

    /// True if no more transfers may begin.
    var isRevoked: Bool { revoked.load(ordering: .acquiring) }

    /// Refuses all transfers from now on.
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

    package func renewConnections() {
        inner.renewConnections()
    }

    private static let refusal = TransferError(
        .sessionClosed, "The configuration of the session was changed while the task was under way")
}
