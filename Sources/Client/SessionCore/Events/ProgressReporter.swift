import ErrandTime
import ErrandTransfer

import struct Synchronization.AtomicLazyReference

/// A reporter of an attempt's progress to its listeners, at most ten times a second.
final class ProgressReporter: Sendable {
    private let control: AttemptControl
    private let observer: AttemptObserver
    private let time: MonotonicClock
    /// The events of the progress, created for the first listener.
    private let events = AtomicLazyReference<ProgressEvents>()

    /// Creates the reporter of an attempt.
    ///
    /// - Parameter time: The time of the intervals between two events.
    init(_ control: AttemptControl, _ observer: AttemptObserver, time: MonotonicClock) {
        self.control = control
        self.observer = observer
        self.time = time
    }

    /// True if progress is reported.
    var isHeard: Bool { observer.progress != nil || observer.isHeard }

    /// Records that content is sent or received.
    ///
    /// May be called shortly before the transport counts it: progress is read again later.
    func note() {
        observer.progress?.note()
        heardEvents?.note()
    }

    /// Records that a hop has ended.
    func hopDidEnd() {
        observer.progress?.noteEnd()
        // Also without a listener any longer, to stop the timer.
        (heardEvents ?? events.load())?.hopDidEnd()
    }

    /// The events; `nil` if there is no listener.
    private var heardEvents: ProgressEvents? {
        guard observer.isHeard else { return nil }
        return events.load() ?? events.storeIfNil(ProgressEvents(control, observer, time: time))
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
        // The transport counts the bytes only after this call, so that the last of them are reported by the timer.
        reporter.note()
        return source.read(into: &buffer)
    }
}
