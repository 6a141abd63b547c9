import ErrandLocking
import ErrandTime

/// Runs the retention sweeps at their interval, and one scan for body files that belong to no task.
///
/// The dispatcher starts it with the first tasks and stops it before the attempts end. Any thread.
final class RetentionSweeps: Sendable {
    private let context: TaskContext
    private let state = Mutex(State())

    private struct State {
        /// Removes expired tasks, idempotency keys and records of deletions; `nil` unless tasks are started.
        var sweeps: Alarm<ContinuousClock.Instant>?
        /// Removes body files that belong to no task, once.
        var orphanScan: Task<Void, Never>?
    }

    /// Creates sweeps that do nothing until they are started.
    init(_ context: TaskContext) {
        self.context = context
    }

    /// Starts the sweeps, the first at once, and the scan.
    func start(_ sweeper: RetentionSweeper) {
        let sweeps = Alarm<ContinuousClock.Instant>(
            clock: context.monotonic.clock,
            remaining: { [monotonic = context.monotonic] in monotonic.now.duration(to: $0) },
            ring: { [monotonic = context.monotonic] in
                await sweeper.sweep()
                return monotonic.now.advanced(by: RetentionSweeper.interval)
            })
        let orphans = OrphanSweeper(
            storage: context.storage, store: context.store, begun: context.now(), logger: context.logger)
        state.withLock { state in
            state.sweeps = sweeps
            state.orphanScan = Task { _ = await orphans.sweep() }
        }
        sweeps.set(to: context.monotonic.now)
    }

    /// Stops the sweeps; returns when the running ones have ended.
    func stop() async {
        let (sweeps, scan) = state.withLock { state in
            defer {
                state.sweeps = nil
                state.orphanScan = nil
            }
            return (state.sweeps, state.orphanScan)
        }
        scan?.cancel()
        await scan?.value
        await sweeps?.stop()
    }
}
