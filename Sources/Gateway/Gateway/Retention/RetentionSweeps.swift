import ErrandConfiguration
import ErrandLocking
import ErrandTaskStore
import ErrandTime

/// The removal of expired tasks and orphaned body files.
extension Dispatcher {
    /// Starts the sweeps, and one scan for body files that belong to no task.
    func startSweeps() {
        let sweeper = RetentionSweeper(
            store: context.store, retention: { [self] in state.withLock { $0.completion.retention } },
            remove: { [self] id in await removeExpired(id) }, now: { [self] in retentionMoment },
            logger: context.logger)
        let sweeps = Alarm<ContinuousClock.Instant>(
            clock: context.time.clock, remaining: { [time = context.time] in time.now.duration(to: $0) },
            ring: { [time = context.time] in
                await sweeper.sweep()
                return time.now.advanced(by: RetentionSweeper.interval)
            })
        let orphans = OrphanSweeper(bodies: context.bodies, store: context.store, logger: context.logger)
        state.withLock { state in
            state.sweeps = sweeps
            state.orphanScan = Task { _ = await orphans.sweep() }
        }
        sweeps.set(to: context.time.now)
    }

    /// Stops the sweeps; returns when the running ones have ended.
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
            return .success(try await removal.remove(id, because: .retention))
        } catch {
            return .failure(error)
        }
    }
}
