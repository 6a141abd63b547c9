import ErrandFiles
import ErrandLocking
package import ErrandSessionCore
package import ErrandTransfer
import Glibc

/// One attempt at a download into a folder of downloads, which continues what earlier attempts have left.
///
/// Afterwards there is either the complete file at its destination, or nothing there. After an error from which the
/// download can be resumed, the partial file is kept for the next attempt with the same key, also in another process;
/// ``DownloadFolder/removePartialFile(of:)`` removes it.
package final class ConfinedDownload: Sendable {
    private let key: String
    private let earlierKey: String?
    private let downloads: DownloadFolder
    private let options: DownloadOptions
    private let rules: ResponseConfiguration
    private let others: any BodySink
    private let keepsWhenFull: Bool
    private let place: ConfinedPlace

    /// Creates an attempt.
    ///
    /// - Parameters:
    ///   - key: The key of the download: letters, digits and hyphens. Only one attempt with a key is under way at a
    ///     time.
    ///   - earlierKey: The key of a download that has ended, whose partial file this one continues if it has none; `nil`
    ///     for none.
    ///   - downloads: The folder of downloads.
    ///   - options: The options. Missing folders are always created.
    ///   - rules: The rules for responses, of ``TaskRequest/becomeDownload(under:)``.
    ///   - sink: The destination of content that is not that of the file, as of an unsuccessful response.
    ///   - keepsWhenFull: True to keep the partial file also when the disk is full: other attempts go on then, because
    ///     the disk is not the one that they wait for.
    ///   - locate: Returns the names of the folders and, last, of the file, for a response and its URL after redirects.
    ///     Called once, before the first byte is written, on a thread for files. The head of a response with the rest
    ///     (206, 416) has the `Content-Disposition` of the first one, unless it has its own.
    package init(
        _ key: String, continuing earlierKey: String?, below downloads: DownloadFolder,
        options: DownloadOptions, rules: ResponseConfiguration, others sink: any BodySink, keepsWhenFull: Bool,
        locate: @escaping @Sendable (ResponseHead, String) throws(SessionError) -> [FileName]
    ) {
        self.key = key
        self.earlierKey = earlierKey
        self.downloads = downloads
        self.options = options
        self.rules = rules
        others = sink
        self.keepsWhenFull = keepsWhenFull
        place = ConfinedPlace(below: downloads, locate)
    }

    /// Runs the attempt.
    ///
    /// Canceling the calling Swift task closes the connection at once.
    ///
    /// - Parameters:
    ///   - request: The prepared request for the whole content.
    ///   - session: The session that sends it.
    ///   - control: The control of the attempt. Its progress becomes that of the whole file.
    /// - Returns: The outcome, and the file; `nil` if there is none.
    package func run(
        _ request: PreparedRequest, in session: Session, control: AttemptControl
    ) async -> (outcome: SessionOutcome, file: ConfinedFile?) {
        let (partial, data): (PartialPlace, DownloadResumeData?)
        do throws(SystemFailure) {
            (partial, data) = try await open(for: request.transfer.url.string)
        } catch {
            return (SessionOutcome(error: SessionError(creating: error, in: "the folder of downloads")), nil)
        }
        let download = Download(
            locatedBy: { [place] (head, url) throws(SessionError) in try place.path(for: head, from: url) },
            partial: partial, options: options, resuming: data, rules: rules, others: others)
        download.keepPartialFile()
        control.showProgress { download.progress(of: $0) }
        var outcome = await withTaskCancellationHandler {
            await attempt(download, with: request, in: session, control: control)
        } onCancel: {
            control.cancel()
        }
        // An outcome that may restart has no error of its own, and after a cancellation the partial file is kept.
        let mustKeep = outcome.mayRestart || keepsWhenFull && outcome.error?.code == .diskFull
        download.didComplete(mustKeep ? SessionOutcome(error: .canceled) : outcome)
        let end = await download.outcome(outcome)
        control.keepShownProgress()
        if let error = outcome.error { outcome.error?.message = place.shown(partial.shown(error.message)) }
        return (outcome, end.file.map { ConfinedFile(path: place.shown($0.path), size: $0.size) })
    }

    private func open(for url: String) async throws(SystemFailure) -> (PartialPlace, DownloadResumeData?) {
        let (key, earlierKey, downloads) = (key, earlierKey, downloads)
        return try await DownloadQueues.writers.perform { () throws(SystemFailure) in
            let partial = try PartialPlace(of: key, in: downloads)
            if let earlierKey { partial.takeOver(from: earlierKey) }
            return (partial, partial.resumeData(for: url))
        }
    }

    /// Sends requests until the file is complete, or one fails.
    private func attempt(
        _ download: Download, with request: PreparedRequest, in session: Session, control: AttemptControl
    ) async -> SessionOutcome {
        var requests = ConsecutiveRequests(of: request, in: session, control: control)
        while true {
            var outcome: SessionOutcome
            do throws(SessionError) {
                download.willBegin(requests.running)
                let next = try await download.next(request)
                outcome = try await requests.send(next.request, into: next.sink)
            } catch {
                return requests.ending(with: error)
            }
            let mayRestart = outcome.mayRestart
            outcome = requests.add(await download.conclude(outcome) { control.canceled != nil })
            // Unless the file is in its place, a cancellation takes precedence over the error that it caused, and over
            // the success of the first request of several.
            if !download.isInPlace, let error = control.canceled {
                return outcome.ending(with: error)
            }
            guard outcome.mayRestart, !mayRestart else { return outcome }
        }
    }
}

/// A complete file below a folder of downloads.
package struct ConfinedFile: Sendable, Hashable {
    /// The path relative to the folder.
    package let path: String
    /// The number of bytes.
    package let size: Int64
}
