import Synchronization

/// The number of clients that follow bodies, which is limited: each takes up to 64 KiB of memory.
///
/// Any thread.
final class BodyFollowers: Sendable {
    /// The most clients that follow bodies at a time.
    static let limit = 128

    private let count = Atomic(0)

    /// Admits a client; `nil` if there are too many.
    func admit() -> Admission? {
        let before = count.add(1, ordering: .relaxed).oldValue
        let admission = Admission(self)
        // A refused client counts until its admission is released.
        return before < Self.limit ? admission : nil
    }

    /// The admission of a client, which counts until it is released.
    final class Admission: Sendable {
        private let followers: BodyFollowers

        fileprivate init(_ followers: BodyFollowers) {
            self.followers = followers
        }

        deinit {
            followers.count.subtract(1, ordering: .relaxed)
        }
    }
}
