import Locking

/// Lets one at a time do something under a name, in the order in which they came.
final class Turns: Sendable {
    private let last = Mutex<[String: Task<Void, Never>]>([:])

    /// Does something when it is its turn, in a task of its own, which nobody cancels.
    func take<Value: Sendable, Failure: Error>(
        _ name: String, _ work: @escaping @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let turn = last.withLock { last in
            let former = last[name]
            let turn = Task { () -> Result<Value, Failure> in
                await former?.value
                do throws(Failure) {
                    return .success(try await work())
                } catch {
                    return .failure(error)
                }
            }
            last[name] = Task { _ = await turn.value }
            return turn
        }
        return try await turn.value.get()
    }
}
