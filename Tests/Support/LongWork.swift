import Foundation

import struct Synchronization.Atomic

/// Work that computes for long on several threads, and is given up when a Swift task has run beside all of it.
///
/// On the threads of Swift's pool, the work would keep that task from running until it ends by itself.
package final class LongWork: Sendable {
    /// The number of threads of Swift's pool.
    package static var poolCount: Int { ProcessInfo.processInfo.activeProcessorCount }

    private let missing: Atomic<Int>
    private let isOver = Atomic(false)

    /// True from the first call of the function for one of the works on.
    private final class Begun: Sendable {
        let flag = Atomic(false)
    }

    /// Creates work that is over when a task has run after the beginning of all of it.
    ///
    /// - Parameter count: The number of works.
    package init(count: Int) {
        missing = Atomic(count)
    }

    /// Returns a function for one of the works, by which it learns that it is over; it has begun with the first call.
    package func isCanceled() -> @Sendable () -> Bool {
        let begun = Begun()
        return {
            if !begun.flag.exchange(true, ordering: .relaxed) { self.didBegin() }
            return self.isOver.load(ordering: .relaxed)
        }
    }

    private func didBegin() {
        guard missing.wrappingSubtract(1, ordering: .relaxed).newValue == 0 else { return }
        // The priority of a task without one.
        Task(priority: .medium) { self.isOver.store(true, ordering: .relaxed) }
    }
}
