import ErrandLocking
import ErrandTransfer

/// A reporter of an attempt's progress to its listeners, at most ten times a second.
final class ProgressReporter: Sendable {
    private let control: AttemptControl
    private let observer: AttemptObserver
    private let last = Mutex<(time: ContinuousClock.Instant?, told: TransferProgress?)>((nil, nil))

    init(_ control: AttemptControl, _ observer: AttemptObserver) {
        self.control = control
        self.observer = observer
    }

    /// True if progress is reported.
    var isHeard: Bool { observer.progress != nil || observer.isHeard }

    /// Records that content was sent or received.
    func note() {
        observer.progress?.note(control)
        guard observer.isHeard else { return }
        let now = ContinuousClock.now
        let isDue = last.withLock { last in
            if let time = last.time, time.duration(to: now) < .milliseconds(100) { return false }
            last.time = now
            return true
        }
        if isDue { tell() }
    }

    /// Records that a hop has ended.
    func hopDidEnd() {
        observer.progress?.note(control)
        tell()
    }

    /// Reports the current progress, unless it was reported already.
    private func tell() {
        guard observer.isHeard else { return }
        let progress = control.progress
        let isNews = last.withLock { last in
            defer { last.told = progress }
            return last.told != progress
        }
        if isNews { observer.emit(.progress(progress)) }
    }
}

/// A body source whose reads are reported as progress.
final class ReportedSource: BodySourceWrapper {
    let source: any BodySource
    private let reporter: ProgressReporter

    init(_ source: any BodySource, _ reporter: ProgressReporter) {
        self.source = source
        self.reporter = reporter
    }

    func read(into buffer: inout OutputRawSpan) -> SourceAnswer {
        reporter.note()
        return source.read(into: &buffer)
    }
}
