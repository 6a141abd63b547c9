import Locking

/// Gathers the values of several things that end one by one, in their order, and hands them on together.
final class Gathering<Value: Sendable>: Sendable {
    private let state: Mutex<State>
    private let finish: @Sendable ([Value]) -> Void

    private struct State {
        var values: [Value?]
        var missing: Int
    }

    /// Waits for so many values, at least one.
    init(_ count: Int, finish: @escaping @Sendable ([Value]) -> Void) {
        state = Mutex(State(values: Array(repeating: nil, count: count), missing: count))
        self.finish = finish
    }

    /// Takes the value of a place, once for each; the last one hands all on.
    func add(_ value: Value, at index: Int) {
        let values: [Value]? = state.withLock { state in
            state.values[index] = value
            state.missing -= 1
            return state.missing == 0 ? state.values.compactMap(\.self) : nil
        }
        if let values { finish(values) }
    }
}
