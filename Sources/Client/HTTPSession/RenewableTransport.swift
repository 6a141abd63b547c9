import ErrandLocking
import ErrandTransfer

/// A transport that can replace its connections: it performs each transfer over the latest of several transports.
///
/// Any thread. A replaced transport is released, and so closes its connections, when its last transfer has ended.
final class RenewableTransport: Transport {
    private let make: @Sendable () -> any Transport
    private let latest: Mutex<any Transport>

    /// Creates a transport.
    ///
    /// - Parameter make: Creates a transport with connections of its own, now and for each renewal.
    init(_ make: @escaping @Sendable () -> any Transport) {
        self.make = make
        latest = Mutex(make())
    }

    func perform(_ request: TransferRequest, receiver: any TransferReceiver) async -> TransferOutcome {
        let transport = latest.withLock { $0 }
        // Released earlier, a transport would end the transfer.
        defer { withExtendedLifetime(transport) {} }
        return await transport.perform(request, receiver: receiver)
    }

    func connect(to url: HTTPURL, timeout: Duration) async -> TransferError? {
        let transport = latest.withLock { $0 }
        defer { withExtendedLifetime(transport) {} }
        return await transport.connect(to: url, timeout: timeout)
    }

    func renewConnections() {
        let new = make()
        let old = latest.withLock { latest in
            let old = latest
            latest = new
            return old
        }
        // The lock is free before the last reference is dropped.
        withExtendedLifetime(old) {}
    }
}
