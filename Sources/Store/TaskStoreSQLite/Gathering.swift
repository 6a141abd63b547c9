import ErrandLocking

/// Collects the values of several operations that end separately, and passes them on together, in order.
final class Gathering<Value: Sendable>: Sendable {
    private let state: Mutex<State>
    private let finish: @Sendable ([Value]) -> Void

    private struct State {
        var values: [Value?]
        var missing: Int
    }

    /// Creates a collector for the given number of values, at least one.
    init(_ count: Int, finish: @escaping @Sendable ([Value]) -> Void) {
        state = Mutex(State(values: Array(repeating: nil, count: count), missing: count))
        self.finish = finish
    }

    /// Adds the value of an index, once for each.
    ///
    /// The last one completes the collection.
    func add(_ value: Value, at index: Int) {
        let values: [Value]? = state.withLock { state in
            state.values[index] = value
            state.missing -= 1
            return state.missing == 0 ? state.values.compactMap(\.self) : nil
        }
        if let values { finish(values) }
    }
}
