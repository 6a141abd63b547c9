import ErrandGateway
import ErrandGatewayAPI
import ErrandTaskStore

/// The start and the end of a gateway, each in one call.
extension Gateway {
    /// Recovers the state of an earlier process and starts tasks: ``prepare()`` followed by ``start(didReload:)``.
    func open(didReload: @escaping ConfigurationReloader.DidApply = { _ in }) async throws(TaskStoreError) {
        try await prepare()
        start(didReload: didReload)
    }

    /// Stops without clients: ``drain(patience:polls:)`` and ``close(spans:)`` in one.
    func close(drain: Duration) async {
        await self.drain(patience: drain, polls: .zero)
        await close()
    }
}
