import ErrandLocking

/// The threads for blocking file I/O.
///
/// Each file stays on one thread, so that its operations run in order.
enum FileReaders {
    /// The queues: several, so that a few slow disks do not delay the files of others.
    static let queues = SerialQueues(count: 4, label: "errand.files.reader")
}
