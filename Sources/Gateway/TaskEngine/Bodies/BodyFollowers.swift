import Synchronization

/// The number of clients that follow bodies, which is limited: each takes up to 64 KiB of memory.
///
/// Any thread.
final class BodyFollowers: Sendable {
    /// The most clients that follow bodies at a time.
    static let limit = 128

    private let count = Atomic(0)

    /// Admits a client; `nil` if there are too many.
    func admit() -> Place? {
        let before = count.add(1, ordering: .relaxed).oldValue
        let place = Place(self)
        // Released with its place.
        return before < Self.limit ? place : nil
    }

    /// The place of a client, which is free again when this is released.
    final class Place: Sendable {
        private let followers: BodyFollowers

        fileprivate init(_ followers: BodyFollowers) {
            self.followers = followers
        }

        deinit {
            followers.count.subtract(1, ordering: .relaxed)
        }
    }
}
