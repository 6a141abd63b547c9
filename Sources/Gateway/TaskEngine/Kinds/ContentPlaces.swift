import ErrandBodyFiles
import ErrandDownloads
import ErrandSessionCore

/// The places for the content that attempts receive.
struct ContentPlaces: Sendable {
    /// The bodies of tasks.
    let bodies: BodyFiles
    /// The folder of downloads; `nil` if there is none.
    let downloads: DownloadFolder?
}

/// The end of the transfer of an attempt.
struct TransferEnd: Sendable {
    var outcome: SessionOutcome
    /// The file that the content became; `nil` if there is none.
    var file: ConfinedFile?
}
