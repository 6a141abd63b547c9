import ErrandTransfer

/// A state machine that makes the reports of one request from the progress of its transfers.
///
/// A value: the time is given to each call.
struct ProgressMachine: Sendable {
    /// The minimum time between two reports, except before the last one.
    static let interval = Duration.milliseconds(100)

    private var upload = ProgressMeter()
    private var download = ProgressMeter()
    private var lastTime: ContinuousClock.Instant?
    private var told = ProgressReport()
    /// The last progress of the current transfer that was counted; `nil` if none was.
    private var counted: TransferProgress?

    /// Returns true if a report may be made.
    func isDue(at now: ContinuousClock.Instant) -> Bool {
        guard let lastTime else { return true }
        return lastTime.duration(to: now) >= Self.interval
    }

    /// Records that another transfer begins: the time since the last one is not part of the rate.
    mutating func transferDidBegin() {
        counted = nil
        upload.interrupt()
        download.interrupt()
    }

    /// Returns a report; `nil` if none is due or if no bytes were transferred since the last one.
    ///
    /// - Parameters:
    ///   - progress: The progress of the current transfer.
    ///   - countsResponse: True if the content of its response counts.
    ///   - now: The time.
    mutating func report(
        _ progress: TransferProgress, countsResponse: Bool, at now: ContinuousClock.Instant
    ) -> ProgressReport? {
        guard isDue(at: now) else { return nil }
        // Counting the same progress once more would begin the measurement of the rate anew.
        if progress != counted { count(progress, countsResponse: countsResponse, at: now) }
        return takeNews(at: now)
    }

    /// Records the end of a transfer: the next report has its bytes, also if another transfer has begun until then.
    ///
    /// Parameters as for ``report(_:countsResponse:at:)``.
    mutating func transferDidEnd(
        _ progress: TransferProgress, countsResponse: Bool, at now: ContinuousClock.Instant
    ) {
        count(progress, countsResponse: countsResponse, at: now)
    }

    /// Returns the report at the end of the attempts; `nil` if it is not news.
    ///
    /// Parameters as for ``report(_:countsResponse:at:)``.
    ///
    /// - Parameter isSuccess: True if the request has succeeded, so that both directions are complete.
    mutating func finalReport(
        _ progress: TransferProgress, countsResponse: Bool, isSuccess: Bool, at now: ContinuousClock.Instant
    ) -> ProgressReport? {
        count(progress, countsResponse: countsResponse || isSuccess, at: now)
        if isSuccess {
            upload.complete()
            // The response is that of the last transfer, however much earlier ones have brought.
            download.completeWithCurrent()
        }
        return takeNews(at: now)
    }

    private mutating func count(
        _ progress: TransferProgress, countsResponse: Bool, at now: ContinuousClock.Instant
    ) {
        counted = progress
        // After a redirect, the content may be dropped; it was sent nevertheless.
        if progress.sendTotal != 0 || upload.isEmpty {
            upload.count(progress.sent, decoded: progress.sent, total: progress.sendTotal, at: now)
        }
        guard countsResponse else { return }
        download.count(
            progress.receivedOnWire, decoded: progress.received, total: progress.receiveTotalOnWire, at: now)
    }

    private mutating func takeNews(at now: ContinuousClock.Instant) -> ProgressReport? {
        let report = ProgressReport(upload: upload.progress, download: download.progress)
        guard !report.hasSameBytes(as: told) else { return nil }
        told = report
        lastTime = now
        return report
    }
}
