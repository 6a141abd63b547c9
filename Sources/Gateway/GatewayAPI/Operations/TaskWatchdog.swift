import ErrandLocking
import ErrandTime

/// A watchdog for Swift tasks that no longer run, because all threads of the cooperative pool are blocked.
///
/// A task records the time each second. ``delay`` can be read on any thread, which need not be one of the pool.
package final class TaskWatchdog: Sendable {
    private let monotonic: MonotonicClock
    private let limit: Duration
    private let state = Mutex(State())

    private struct State {
        /// The time when the task last ran; `nil` while the watchdog is stopped.
        var lastRun: ContinuousClock.Instant?
        var task: Task<Void, Never>?
    }

    private static let interval = Duration.seconds(1)

    /// - Parameters:
    ///   - clock: Measures the time; it must stop while the machine sleeps.
    ///   - limit: The maximum time without a run.
    package init(clock: any Clock<Duration> = SuspendingClock(), limit: Duration = .seconds(10)) {
        monotonic = MonotonicClock(clock)
        self.limit = limit
    }

    /// Starts the watchdog.
    package func start() {
        state.withLock { state in
            guard state.task == nil else { return }
            state.lastRun = monotonic.now
            state.task = Task { [weak self, monotonic] in
                while !Task.isCancelled {
                    self?.noteRun()
                    do {
                        try await monotonic.clock.boundedSleep(for: Self.interval)
                    } catch {
                        return
                    }
                }
            }
        }
    }

    /// Stops the watchdog; ``delay`` is `nil` afterwards.
    package func stop() {
        let task = state.withLock { state in
            state.lastRun = nil
            return state.task.take()
        }
        task?.cancel()
    }

    /// The time since the last run, if it exceeds the limit.
    var delay: Duration? {
        guard let lastRun = state.withLock({ $0.lastRun }) else { return nil }
        let delay = lastRun.duration(to: monotonic.now)
        return delay > limit ? delay : nil
    }

    private func noteRun() {
        let now = monotonic.now
        state.withLock { state in
            if state.lastRun != nil { state.lastRun = now }
        }
    }
}
