import ErrandTaskEngine
import ErrandTaskStore

/// The start and the end of a dispatcher, each in one call.
extension Dispatcher {
    /// Recovers the tasks of an earlier process, then starts tasks: ``prepare(controlStates:)`` and ``start()`` in one.
    func open() async throws(TaskStoreError) {
        try await prepare(controlStates: [])
        start()
    }

    /// Stops without clients: ``drain(patience:)`` and ``close()`` in one.
    func close(patience: Duration) async {
        await drain(patience: patience)
        await close()
    }
}
