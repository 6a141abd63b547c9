import Locking
import Transfer

/// Tells who listens how far an attempt is: ten times a second is enough for anybody who looks.
final class ProgressReporter: Sendable {
    private let control: AttemptControl
    private let observer: AttemptObserver
    private let last = Mutex<(time: ContinuousClock.Instant?, told: TransferProgress?)>((nil, nil))

    init(_ control: AttemptControl, _ observer: AttemptObserver) {
        self.control = control
        self.observer = observer
    }

    /// Content has gone or come.
    func note() {
        guard observer.isHeard else { return }
        let now = ContinuousClock.now
        let isDue = last.withLock { last in
            if let time = last.time, time.duration(to: now) < .milliseconds(100) { return false }
            last.time = now
            return true
        }
        if isDue { tell() }
    }

    /// Tells how far it is, unless that has been told.
    func tell() {
        guard observer.isHeard else { return }
        let progress = control.progress
        let isNews = last.withLock { last in
            defer { last.told = progress }
            return last.told != progress
        }
        if isNews { observer.emit(.progress(progress)) }
    }
}

/// A source of content whose reading is reported.
final class ReportedSource: BodySource {
    private let source: any BodySource
    private let reporter: ProgressReporter

    init(_ source: any BodySource, _ reporter: ProgressReporter) {
        self.source = source
        self.reporter = reporter
    }

    var length: Int64? { source.length }
    func begin(resume: @escaping @Sendable () -> Void) { source.begin(resume: resume) }
    func end() { source.end() }
    func rewind() -> Bool { source.rewind() }

    func read(into buffer: inout OutputRawSpan) -> SourceAnswer {
        reporter.note()
        return source.read(into: &buffer)
    }
}
