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
            clock: context.time.clock, remaining: { [time = context.time] in time.now.duration(to: $0) },
            ring: { [time = context.time] in
                await sweeper.sweep()
                return time.now.advanced(by: RetentionSweeper.interval)
            })
        let orphans = OrphanSweeper(
            places: context.places, store: context.store, begun: context.now(), logger: context.logger)
        state.withLock { state in
            state.sweeps = sweeps
            state.orphanScan = Task { _ = await orphans.sweep() }
        }
        sweeps.set(to: context.time.now)
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
