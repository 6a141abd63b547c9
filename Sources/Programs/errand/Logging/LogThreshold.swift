import Logging

import struct Synchronization.Atomic

/// The minimum log level, shared by all loggers, which can change while they are in use.
final class LogThreshold: Sendable {
    private let index: Atomic<Int>

    /// Creates a threshold.
    init(_ level: Logger.Level) {
        index = Atomic(Self.index(of: level))
    }

    /// The level.
    var level: Logger.Level {
        get { Logger.Level.allCases[index.load(ordering: .relaxed)] }
        set { index.store(Self.index(of: newValue), ordering: .relaxed) }
    }

    /// Returns the index of a level among all levels.
    private static func index(of level: Logger.Level) -> Int {
        Logger.Level.allCases.firstIndex(of: level) ?? 0
    }
}
