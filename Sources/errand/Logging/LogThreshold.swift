import Logging

import struct Synchronization.Atomic

/// The least important level that is written, for all loggers that share it, and to be changed while they are used.
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

    /// Where a level stands among all, of which it is one.
    private static func index(of level: Logger.Level) -> Int {
        Logger.Level.allCases.firstIndex(of: level) ?? 0
    }
}
