import ErrandLocking
import ErrandTime
import Logging

/// Watches the free space of the disk with the body files, so that no attempt begins below `files.min_free`.
///
/// It measures once per ``interval``, also while no attempts begin: the first one after a pause must not find a full
/// disk, and operators are told in time. Any thread.
final class DiskWatch: Sendable {
    /// The time between two measurements.
    static let interval = Duration.seconds(1)

    private let minFreeBytes: Int64
    private let freeBytes: @Sendable () async -> Int64?
    private let logger: Logger
    /// Measures one at a time, so that the observer is told of the measurements in their order.
    private let measurements = SerialQueue()
    private let state = Mutex(State())

    private struct Observer {
        let didLook: @Sendable (Bool) -> Void
    }

    private struct State {
        var isShort = false
        var observer: Observer?
        /// Measures again and again.
        var looking: Task<Void, Never>?
        var isStopped = false
    }

    /// Creates a watch that has not measured yet.
    ///
    /// - Parameters:
    ///   - minFreeBytes: The free space below which no attempt begins; 0 for no limit.
    ///   - freeBytes: Measures the free space; `nil` when it cannot be determined.
    init(
        minFreeBytes: Int64, logger: Logger, freeBytes: @escaping @Sendable () async -> Int64?
    ) {
        self.minFreeBytes = minFreeBytes
        self.logger = logger
        self.freeBytes = freeBytes
    }

    /// True if there was too little space at the last measurement.
    var isShort: Bool { state.withLock { $0.isShort } }

    /// Calls `didLook` with ``isShort`` after each measurement that finds too little space, and after the first that
    /// finds enough again.
    func observe(_ didLook: @escaping @Sendable (Bool) -> Void) {
        state.withLock { $0.observer = Observer(didLook: didLook) }
    }

    /// Measures once per ``interval`` from now on, until ``stop()``.
    func start() {
        guard minFreeBytes > 0 else { return }
        state.withLock { state in
            guard state.looking == nil, !state.isStopped else { return }
            state.looking = Task { await self.watch() }
        }
    }

    /// Measures now, and calls the observer before it returns.
    func look() async {
        guard minFreeBytes > 0 else { return }
        await measurements.run { await self.measure() }
    }

    /// Measures now, unless there was too little space at the last measurement.
    ///
    /// For an attempt that has found the disk full: its task must not use up its other attempts before the next
    /// measurement.
    func lookAfterFailure() async {
        guard !isShort else { return }
        await look()
    }

    private func measure() async {
        guard let free = await freeBytes() else { return }
        let isShort = free < minFreeBytes
        let (wasShort, observer) = state.withLock { state in
            defer { state.isShort = isShort }
            return (state.isShort, state.observer)
        }
        if isShort != wasShort {
            let metadata: Logger.Metadata = [
                "free_bytes": .stringConvertible(free), "min_free": .stringConvertible(minFreeBytes),
            ]
            if isShort {
                logger.warning("The disk is nearly full; no attempt begins until there is room", metadata: metadata)
            } else {
                logger.notice("The disk has room again", metadata: metadata)
            }
        }
        if isShort || wasShort { observer?.didLook(isShort) }
    }

    /// Stops measuring.
    func stop() async {
        let looking = state.withLock { state in
            state.isStopped = true
            return state.looking
        }
        looking?.cancel()
        await looking?.value
    }

    private func watch() async {
        // The sleep is cut short only by `stop()`, which ends the loop.
        while (try? await ContinuousClock().boundedSleep(for: Self.interval)) != nil { await look() }
    }
}
