import Logging

import struct Synchronization.Atomic

/// The minimum log level, shared by all loggers, which can change while they are in use.
final class LogThreshold: Sendable {
    /// The index of the configured level times 8, plus the index of the level in force: both change in one step.
    private let levels: Atomic<Int>

    /// Creates a threshold.
    init(_ level: Logger.Level) {
        levels = Atomic(Self.both(level))
    }

    /// The level in force.
    var level: Logger.Level {
        Logger.Level.allCases[levels.load(ordering: .relaxed) & 7]
    }

    /// Sets the configured level, which is in force from now on.
    func configure(_ level: Logger.Level) {
        levels.store(Self.both(level), ordering: .relaxed)
    }

    /// Lowers the minimum by one level; after the lowest, the configured level is in force again.
    ///
    /// - Returns: The new level.
    func increaseVerbosity() -> Logger.Level {
        var former = levels.load(ordering: .relaxed)
        while true {
            let configured = former >> 3
            let current = former & 7
            let next = current == 0 ? configured : current - 1
            let result = levels.compareExchange(
                expected: former, desired: (configured << 3) | next, ordering: .relaxed)
            if result.exchanged { return Logger.Level.allCases[next] }
            former = result.original
        }
    }

    /// Increases the verbosity at each signal, and logs the new level.
    func increaseVerbosity(at signals: RepeatedSignal, logger: Logger) async {
        var logger = logger
        // An operator has sent the signal, and reads the new level in the log whatever it is.
        logger.logLevel = .trace
        for await _ in signals.arrivals {
            let level = increaseVerbosity()
            logger.notice("Log level changed by SIGUSR1", metadata: ["log_level": .string(level.rawValue)])
        }
    }

    /// Returns the value in which both levels are the same.
    ///
    /// The lowest level, `trace`, has the index 0.
    private static func both(_ level: Logger.Level) -> Int {
        let index = Logger.Level.allCases.firstIndex(of: level) ?? 0
        return (index << 3) | index
    }
}
