import Configuration
import Locking
import TaskStore

/// The removal of what was kept for long enough.
extension Dispatcher {
    /// Begins to remove it, and looks for body files that belong to nobody.
    func startSweeps() {
        let sweeper = RetentionSweeper(
            store: store, retention: { [self] in state.withLock { $0.completion.retention } },
            remove: { [self] id in await removeExpired(id) }, now: now, logger: logger)
        let sweeps = Alarm<ContinuousClock.Instant>(
            clock: time.clock, remaining: { [time] in time.now.duration(to: $0) },
            ring: { [time] in
                await sweeper.sweep()
                return time.now.advanced(by: RetentionSweeper.interval)
            })
        let orphans = OrphanSweeper(bodies: bodies, store: store, logger: logger)
        state.withLock { state in
            state.sweeps = sweeps
            state.orphanScan = Task { _ = await orphans.sweep() }
        }
        sweeps.set(to: time.now)
    }

    /// Ends it; returns when what has begun is done.
    func stopSweeps() async {
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

    private func removeExpired(_ id: TaskID) async -> Result<Bool, TaskStoreError> {
        do throws(TaskStoreError) {
            return .success(try await remove(id))
        } catch {
            return .failure(error)
        }
    }
}
