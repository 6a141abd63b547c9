import ErrandLocking

/// The threads for blocking operations on files.
///
/// Each download stays on one thread, so that its operations run in order.
enum DownloadQueues {
    /// The queues that write: several, so that a few slow disks do not delay the files of others.
    static let writers = SerialQueues(count: 4, label: "errand.downloads.writer")
    /// The number of digests that are computed at once.
    static let digestCount = 4
    /// The queues that compute digests, so that no other file waits to be written meanwhile.
    static let digests = SerialQueues(count: digestCount, label: "errand.downloads.digest")
}
