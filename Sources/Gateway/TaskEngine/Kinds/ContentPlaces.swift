import ErrandBodyFiles
import ErrandDownloads
import ErrandSessionCore
import ErrandTaskStore

/// The places for the content that attempts receive, and for the content that clients send separately from a task.
struct ContentPlaces: Sendable {
    /// The bodies of tasks.
    let bodies: BodyFiles
    /// The folder of downloads; `nil` if there is none.
    let downloads: DownloadFolder?
    /// The content of requests; `nil` if clients cannot send it separately.
    let contents: BodyFiles?
    /// The callers that wait for tasks, which are told when content begins to arrive.
    let watchers: TaskWatchers
    /// The content of requests that clients are sending.
    let contentsUnderWay = ContentsUnderWay()
}

/// The end of the transfer of an attempt.
struct TransferEnd: Sendable {
    var outcome: SessionOutcome
    /// The file that the content became; `nil` if there is none.
    var file: ConfinedFile?
    /// The content of the request, if it was passed on while it arrived.
    var passedOn: TaskContent?
}
