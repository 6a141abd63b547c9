public import ErrandSessionCore
public import ErrandTransfer

/// A download, which its owner can start, suspend, resume, cancel, observe and await.
///
/// Created suspended by ``Session/downloadTask(_:to:options:resuming:)``. Any thread.
///
/// ```swift
/// let task = try api.downloadTask("images/7.iso", to: "/srv/7.iso")
/// task.resume()
/// for await progress in task.progressUpdates { print(progress.received, progress.receiveTotal ?? 0) }
/// let file = try await task.file
/// ```
///
/// The content goes to a partial file in the folder of the destination, with a name that begins with a dot, readable
/// by its owner only. It is moved to its destination when it is complete, on the medium, and valid: until then, and
/// after every failure, the destination is as before, with one exception: if the new file has replaced another one, but
/// its folder could not be synchronized, the task fails with ``SessionErrorCode/cannotMove`` and the new file stays.
///
/// With several connections (``DownloadOptions/connections``) all of them are suspended, resumed and canceled with the
/// task, and its progress is their sum.
///
/// A task that was suspended so long that its connection was closed (``SessionConfiguration/suspendedKeep``) requests
/// only the rest of the content when it is resumed, if its server allows that; see ``DownloadResumeData``.
public final class DownloadTask: Sendable {
    private let task: SessionTask
    private let download: Download

    init(_ task: SessionTask, _ download: Download) {
        self.task = task
        self.download = download
    }

    /// The task's number in its session.
    public var id: SessionTaskID { task.id }

    /// The request for the whole content.
    public var request: PreparedRequest { task.request }

    // MARK: Control

    /// Starts or resumes the task.
    public func resume() {
        task.resume()
    }

    /// Suspends the task: it stops reading and writing, and its timeouts do not run.
    public func suspend() {
        task.suspend()
    }

    /// Cancels the task: its connection is closed at once, and it fails with ``SessionError/canceled``.
    ///
    /// A call while the complete file is being moved may come too late: then the file is at its destination.
    ///
    /// - Parameter producingResumeData: True to keep the partial file, if it can be resumed; the data are then in the
    ///   error of ``outcome``. False to remove it, unless the task was resumed from data and never ran. Default:
    ///   `false`.
    public func cancel(producingResumeData: Bool = false) {
        if producingResumeData { download.keepPartialFile() }
        task.cancel()
    }

    // MARK: Observation

    /// The current state.
    public var state: SessionTask.State { task.state }

    /// The progress of the download.
    ///
    /// The received bytes are those of the whole file: a resumed download begins with the number that it has already.
    /// The number decreases only if bytes are lost, so that they are received again: all of them if the content has
    /// changed, and if another attempt follows although the content has no strong validator (``DownloadResumeData``) or
    /// is not got with GET; and those of a part that could not be kept.
    public var progress: TransferProgress {
        download.progress(of: task.progress)
    }

    /// The progress of the download: the current value, then every change, at most ten times a second, and the last
    /// value at the end.
    public var progressUpdates: some AsyncSequence<TransferProgress, Never> & Sendable {
        ProgressUpdates(isOver: { self.state == .completed }, progress: { self.progress })
    }

    /// The events of the task from now on, until its end.
    ///
    /// Their progress counts the bytes of each response. A listener that falls behind by more than a thousand events
    /// loses the oldest ones.
    public var events: some AsyncSequence<SessionTaskEvent, Never> & Sendable {
        task.events
    }

    /// The data from which the download can be resumed if the process ends now, for example by a crash; `nil` if
    /// nothing was received that can be resumed.
    ///
    /// Waits until the bytes that the data refer to are on the medium. A program that saves the data from time to time
    /// loses only what was received since. They must not be used while the task runs. A download that resumes another,
    /// and has not opened its partial file yet, has the data from which it was created.
    public var resumeData: DownloadResumeData? {
        get async { await download.currentResumeData() }
    }

    /// The outcome of the download; waits until it has ended.
    ///
    /// Canceling the waiting Swift task does not cancel this task.
    public var outcome: DownloadOutcome {
        get async { await download.outcome(task.outcome) }
    }

    /// The file of a successful download; waits until it has ended.
    ///
    /// - Throws: The error of the download.
    public var file: DownloadedFile {
        get async throws(DownloadError) { try await outcome.success }
    }

    /// Starts the task and waits for its end; canceling the calling Swift task cancels it.
    ///
    /// - Throws: The error of the download.
    package func run() async throws(DownloadError) -> DownloadedFile {
        resume()
        await task.untilEnded { self.cancel() }
        return try await file
    }
}
