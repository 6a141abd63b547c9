private import ErrandEventLoop
package import ErrandFiles
private import ErrandLocking
private import ErrandTime

/// A writer of log lines on its own thread, so that logging threads do not wait for the reader of the log.
///
/// Lines are written in order. The first line after a silence is written at once. Then the thread lingers for a few
/// milliseconds and writes the lines of that time together, so that the lines of a busy process cost few wake-ups. An
/// urgent line ends the pause. While the reader is blocked, lines wait in a ``LogRing``; afterwards a line reports how
/// many were dropped. A process that crashes loses the waiting lines: with an active reader, those of the last few
/// milliseconds; an urgent line, and all lines before it, only in the last moment. Thread-safe.
package final class LogWriter: Sendable {
    /// The default memory for waiting lines, in bytes: some 10,000 lines.
    package static let limitBytes = 4 << 20
    /// The default pause after lines were written, in which further lines are collected.
    package static let linger = Duration.milliseconds(5)

    private let output: @Sendable ([UInt8]) -> Int
    private let lingerMilliseconds: Int
    private let describe: @Sendable (LogRing.Losses) -> [UInt8]
    private let shared: Mutex<Shared>
    /// Signalled when the thread waits and there is work, and to end a pause for an urgent line or for good.
    private let work: WakeSignal
    /// Signalled when the thread has ended.
    private let end: WakeSignal

    private struct Shared {
        var ring: LogRing
        var activity = Activity.writing
        /// True if the thread ends as soon as everything is written.
        var isEnding = false
    }

    /// The activity of the thread, which determines the lines that wake it.
    private enum Activity {
        /// The thread writes, or looks for lines to write: no line wakes it.
        case writing
        /// The thread lingers, or is about to: an urgent line wakes it.
        case lingering
        /// The thread waits for work, or is about to: each line wakes it.
        case waiting
    }

    private enum Step {
        case write(LogRing.Batch?, after: LogRing.Losses)
        case linger
        case wait
        case end
    }

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - output: The destination.
    ///   - limitBytes: The memory for waiting lines.
    ///   - linger: The pause after lines were written, at most an hour.
    ///   - describe: Makes the line, with its line feed, that reports dropped lines. Called on the thread.
    /// - Throws: `SystemFailure` if the process is out of descriptors or threads.
    package convenience init(
        _ output: OutputDescriptor, limitBytes: Int = LogWriter.limitBytes,
        lingering linger: Duration = LogWriter.linger,
        describing describe: @escaping @Sendable (LogRing.Losses) -> [UInt8]
    ) throws(SystemFailure) {
        try self.init(limitBytes: limitBytes, lingering: linger, describing: describe) { output.write($0) }
    }

    /// Starts the thread, with any kind of output.
    ///
    /// - Parameter output: Writes bytes, and returns the number of written bytes. Called on the thread.
    init(
        limitBytes: Int = LogWriter.limitBytes, lingering linger: Duration = LogWriter.linger,
        describing describe: @escaping @Sendable (LogRing.Losses) -> [UInt8],
        to output: @escaping @Sendable ([UInt8]) -> Int
    ) throws(SystemFailure) {
        self.output = output
        lingerMilliseconds = Self.milliseconds(linger)
        self.describe = describe
        shared = Mutex(Shared(ring: LogRing(limitBytes: limitBytes)))
        work = try WakeSignal()
        end = try WakeSignal()
        try SystemThread(name: "errand-log") { self.run() }.detach()
    }

    /// Enqueues a line, with its line feed.
    ///
    /// It does not block.
    ///
    /// - Parameter isUrgent: True to have the line written at once, with all lines before it.
    package func write(_ line: [UInt8], as importance: LogRing.Importance = .ordinary, isUrgent: Bool = false) {
        let mustWake = shared.withLock { shared in
            shared.ring.append(line, as: importance)
            let mustWake =
                switch shared.activity {
                case .writing: false
                case .lingering: isUrgent
                case .waiting: true
                }
            if mustWake { shared.activity = .writing }
            return mustWake
        }
        if mustWake { work.send() }
    }

    /// Writes the waiting lines and ends the thread.
    ///
    /// It blocks, so call it only at the end of the process.
    ///
    /// - Parameter limit: The longest time to wait for a blocked reader.
    /// - Returns: True if everything was written.
    @discardableResult
    package func finish(within limit: Duration) -> Bool {
        shared.withLock { $0.isEnding = true }
        work.send()
        guard end.wait(milliseconds: Self.milliseconds(limit)) else { return false }
        // A later call returns at once.
        end.send()
        return true
    }

    /// Returns a duration in whole milliseconds, at most an hour.
    private static func milliseconds(_ duration: Duration) -> Int {
        Int(min(duration, .seconds(3600)).wholeMilliseconds)
    }

    // MARK: The thread

    /// Writes the lines until the end, on the thread.
    private func run() {
        // Failures are reported once writing succeeds again.
        var hasFailed = false
        var isInMiddleOfLine = false
        // True after lines, until the thread has lingered for more.
        var hasWritten = false
        while true {
            switch nextStep(hasFailed: hasFailed, hasWritten: hasWritten) {
            case .linger:
                // The next step writes the lines of this time, if there are any.
                work.wait(milliseconds: lingerMilliseconds)
                hasWritten = false
            case .wait:
                work.wait()
            case .end:
                end.send()
                return
            case .write(let batch, let losses):
                hasWritten = true
                var bytes: [UInt8] = isInMiddleOfLine ? [UInt8(ascii: "\n")] : []
                if !losses.isEmpty { bytes += describe(losses) }
                let start = bytes.count
                bytes += batch?.bytes ?? []
                let written = output(bytes)
                hasFailed = written < bytes.count
                guard hasFailed else {
                    isInMiddleOfLine = false
                    continue
                }
                if written > 0 { isInMiddleOfLine = bytes[written - 1] != UInt8(ascii: "\n") }
                var lost = batch?.lost(after: written - start) ?? LogRing.Losses()
                if written < start { lost.add(losses) }
                shared.withLock { $0.ring.addLosses(lost) }
            }
        }
    }

    private func nextStep(hasFailed: Bool, hasWritten: Bool) -> Step {
        shared.withLock { shared in
            shared.activity = .writing
            // Larger writes to a pipe could be interleaved with those of other processes (PIPE_BUF).
            let batch = shared.ring.take(maxBytes: 4096)
            if batch != nil || (shared.ring.hasLosses && !hasFailed) {
                return .write(batch, after: hasFailed ? LogRing.Losses() : shared.ring.takeLosses())
            }
            if shared.isEnding { return .end }
            if hasWritten {
                shared.activity = .lingering
                return .linger
            }
            shared.activity = .waiting
            return .wait
        }
    }
}
