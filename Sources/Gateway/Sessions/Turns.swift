import Locking

/// Lets one at a time do something under a name, in the order in which they came.
final class Turns: Sendable {
    private let state = Mutex(State())

    private struct State {
        /// What ends with the last turn that was given, by name; names that nobody waits for are not kept.
        var last: [String: (number: Int, end: Task<Void, Never>)] = [:]
        var count = 0
    }

    /// Does something when it is its turn, in a task of its own, which nobody cancels.
    func take<Value: Sendable, Failure: Error>(
        _ name: String, _ work: @escaping @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let turn = state.withLock { state in
            let former = state.last[name]?.end
            let turn = Task { () -> Result<Value, Failure> in
                await former?.value
                do throws(Failure) {
                    return .success(try await work())
                } catch {
                    return .failure(error)
                }
            }
            state.count += 1
            let number = state.count
            let end = Task {
                _ = await turn.value
                self.state.withLock { state in
                    if state.last[name]?.number == number { state.last[name] = nil }
                }
            }
            state.last[name] = (number, end)
            return turn
        }
        return try await turn.value.get()
    }
}
