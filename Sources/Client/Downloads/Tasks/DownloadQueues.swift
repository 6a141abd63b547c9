import Dispatch
import Synchronization

/// The threads for blocking operations on files.
///
/// Each download stays on one thread, so that its operations run in order.
enum DownloadQueues {
    /// The number of threads, so that a few slow disks do not delay the files of others.
    static let count = 4
    private static let queues = (0..<count).map { DispatchQueue(label: "errand.downloads.writer-\($0)") }
    /// The threads that compute digests, so that no other file waits to be written meanwhile.
    static let digests = DispatchQueue(label: "errand.downloads.digests", attributes: .concurrent)
    private static let turn = Atomic<Int>(0)

    /// Returns the queue for the next download.
    static func next() -> DispatchQueue {
        let number = turn.wrappingAdd(1, ordering: .relaxed).oldValue
        return queues[Int(UInt(bitPattern: number) % UInt(count))]
    }
}
