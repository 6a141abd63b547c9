import ErrandBodyFiles
import ErrandDownloads
import ErrandSessionCore
import ErrandTaskStore

/// The storage for the content that attempts receive, and for the content that clients send separately from a task.
struct ContentStorage: Sendable {
    /// The bodies of tasks.
    let bodies: BodyFiles
    /// The folder of downloads; `nil` if there is none.
    let downloads: DownloadFolder?
    /// True if the folder of downloads is on another disk than the bodies, for whose free space attempts wait.
    let downloadsHaveOwnDisk: Bool
    /// The partial files of downloads that become the bodies of their tasks, on the file system of the bodies.
    let bodyDownloads: DownloadFolder
    /// The content of requests; `nil` if clients cannot send it separately.
    let contents: BodyFiles?
    /// The callers that wait for tasks, which are told when content begins to arrive.
    let watchers: TaskWatchers
    /// The content of requests that clients are sending.
    let contentsUnderWay = ContentsUnderWay()

    /// Creates the storage.
    init(bodies: BodyFiles, downloads: DownloadFolder?, contents: BodyFiles?, watchers: TaskWatchers) {
        self.bodies = bodies
        self.downloads = downloads
        downloadsHaveOwnDisk = downloads?.isOnOtherDisk(than: bodies.path) ?? false
        bodyDownloads = DownloadFolder(path: bodies.path)
        self.contents = contents
        self.watchers = watchers
    }

    /// Returns the folder with the partial file of a task; `nil` if there is none.
    func partialFiles(of record: TaskRecord) -> DownloadFolder? {
        record.kind.handler.keepsBody(of: record) ? bodyDownloads : downloads
    }

    /// The folders with partial files.
    var partialFiles: [DownloadFolder] { downloads.map { [$0, bodyDownloads] } ?? [bodyDownloads] }
}

/// The end of the transfer of an attempt.
struct TransferEnd: Sendable {
    var outcome: SessionOutcome
    /// The file that the content became; `nil` if there is none.
    var file: ConfinedFile?
    /// The content of the request, if it was passed on while it arrived.
    var passedOn: TaskContent?
}
