import ErrandLocking
import ErrandTaskStore

/// A check that the store can write, which runs one probe at a time and caches the result for a moment.
///
/// Any thread.
final class ReadinessProbe: Sendable {
    /// The lifetime of a result.
    static let lifetime = Duration.seconds(1)

    private let probe: @Sendable () async -> TaskStoreError?
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    private struct State {
        var running: Task<TaskStoreError?, Never>?
        var verdict: Verdict?
    }

    private struct Verdict {
        let error: TaskStoreError?
        let time: ContinuousClock.Instant
    }

    /// Creates a probe without a result.
    ///
    /// - Parameter probe: Returns the error, or `nil` on success.
    init(
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        _ probe: @escaping @Sendable () async -> TaskStoreError?
    ) {
        self.now = now
        self.probe = probe
    }

    /// Creates a probe of a store.
    convenience init(_ store: any TaskStore) {
        self.init {
            do throws(TaskStoreError) {
                try await store.checkWritable()
                return nil
            } catch {
                return error
            }
        }
    }

    /// Returns the error of the store, or `nil` if it can write.
    func check() async -> TaskStoreError? {
        let running = state.withLock { state -> Task<TaskStoreError?, Never> in
            if let verdict = state.verdict, verdict.time.advanced(by: Self.lifetime) > now() {
                return Task { verdict.error }
            }
            if let running = state.running { return running }
            // A task of its own, so that a disconnected client does not cancel the probe for others.
            let running = Task {
                let error = await self.probe()
                self.state.withLock { state in
                    state.running = nil
                    state.verdict = Verdict(error: error, time: self.now())
                }
                return error
            }
            state.running = running
            return running
        }
        return await running.value
    }
}
