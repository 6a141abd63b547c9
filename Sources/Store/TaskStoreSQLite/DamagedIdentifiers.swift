import Logging

import struct Synchronization.Atomic

/// Logs that a task with a damaged identifier is left out, once for an open store.
///
/// The dispatcher goes on without such a task, which no request can name. Any thread.
final class DamagedIdentifiers: Sendable {
    private let logger: Logger
    private let isTold = Atomic(false)

    /// Creates an instance that has logged nothing.
    init(logger: Logger) {
        self.logger = logger
    }

    /// Logs a task unless another one was logged before.
    ///
    /// - Parameter number: Returns the number of its row, called if it is logged.
    func note(_ number: () throws -> Int64?) rethrows {
        guard !isTold.exchange(true, ordering: .relaxed) else { return }
        let row = try number() ?? 0
        logger.error("A task has a damaged identifier and is left out", metadata: ["row": .stringConvertible(row)])
    }
}
