import Dispatch
import Synchronization

/// The threads that wait for disks, so that no other thread has to.
///
/// A file stays on one of them, which keeps its work in order.
enum FileReaders {
    /// How many there are: that many slow disks do not hold up the files of another.
    static let count = 4
    static let queues = (0..<count).map { DispatchQueue(label: "errand.files.reader-\($0)") }
    private static let turn = Atomic<Int>(0)

    /// The queue for one more file.
    static func next() -> DispatchQueue {
        let number = turn.wrappingAdd(1, ordering: .relaxed).oldValue
        return queues[Int(UInt(bitPattern: number) % UInt(count))]
    }
}
