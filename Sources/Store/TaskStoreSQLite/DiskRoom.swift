import ErrandTaskStore
import GRDB

/// Handles a full disk for the writer: deletions may use the reserved space, additions are refused until there is space
/// again.
///
/// Must be used on the writer's queue.
struct DiskRoom {
    /// The effect of a write on the disk usage.
    enum Effect: Sendable {
        case adds
        case changes
        case removes
    }

    private var ballast: Ballast
    private let beginLogAnew: (Database) -> Bool
    private var isShort: Bool
    private var nextLook: ContinuousClock.Instant

    /// The interval between two checks for free space.
    private static let interval = Duration.seconds(1)
    /// The number of free pages inside the database that suffice to continue: 8 MiB.
    private static let enoughPages = 2048

    /// Creates the handler with the reserved space of a database.
    ///
    /// - Parameter beginLogAnew: Restarts the write-ahead log without waiting, which frees space in it; returns true if
    ///   it did.
    init(_ ballast: Ballast, beginLogAnew: @escaping (Database) -> Bool) {
        self.ballast = ballast
        self.beginLogAnew = beginLogAnew
        isShort = !self.ballast.take()
        nextLook = .now.advanced(by: Self.interval)
    }

    /// Returns true if additions are refused, because there is not even space for deletions.
    mutating func refusesAdditions(_ db: Database) -> Bool {
        guard !ballast.isHeld else { return false }
        let now = ContinuousClock.now
        guard now >= nextLook else { return isShort }
        nextLook = now.advanced(by: Self.interval)
        isShort = !ballast.take() && !hasFreePages(db)
        return isShort
    }

    /// Frees space after a write failed on a full disk.
    ///
    /// - Returns: True if the write should be repeated.
    mutating func make(for effect: Effect, _ db: Database) -> Bool {
        switch effect {
        case .removes:
            let isReleased = ballast.release()
            isShort = true
            nextLook = .now.advanced(by: Self.interval)
            return beginLogAnew(db) || isReleased
        case .adds, .changes:
            let now = ContinuousClock.now
            guard now >= nextLook else { return false }
            nextLook = now.advanced(by: Self.interval)
            return beginLogAnew(db)
        }
    }

    private func hasFreePages(_ db: Database) -> Bool {
        do {
            return try Int.fetchOne(db.cachedStatement(sql: "PRAGMA freelist_count")) ?? 0 >= Self.enoughPages
        } catch {
            // It is not known that there is any space.
            return false
        }
    }
}
