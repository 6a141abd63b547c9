import ErrandBodyFiles
import ErrandDownloads
import ErrandSessionCore
import ErrandTaskStore

/// The storage for the content that attempts receive, and for the content that clients send separately from a task.
struct ContentStorage: Sendable {
    private let files: ContentFiles
    /// True if the folder of downloads is on another disk than the bodies, for whose free space attempts wait.
    let downloadsHaveOwnDisk: Bool
    /// The partial files of downloads that become the bodies of their tasks, on the file system of the bodies.
    let bodyDownloads: DownloadFolder
    /// The callers that wait for tasks, which are told when content begins to arrive.
    let watchers: TaskWatchers
    /// The content of requests that clients are sending.
    let contentsUnderWay = ContentsUnderWay()

    /// Creates the storage.
    init(_ files: ContentFiles, watchers: TaskWatchers) {
        self.files = files
        downloadsHaveOwnDisk = files.downloads?.isOnOtherDisk(than: files.bodies.path) ?? false
        bodyDownloads = DownloadFolder(path: files.bodies.path)
        self.watchers = watchers
    }

    /// The bodies of tasks.
    var bodies: BodyFiles { files.bodies }
    /// The folder of downloads; `nil` if there is none.
    var downloads: DownloadFolder? { files.downloads }
    /// The content of requests; `nil` if clients cannot send it separately.
    var contents: BodyFiles? { files.contents }

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
