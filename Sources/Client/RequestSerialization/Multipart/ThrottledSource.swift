import ErrandLocking
import ErrandTime
package import ErrandTransfer

/// A body source with a limited rate: at most `packetBytes` in every `delay`.
///
/// A packet may be read in any number of reads. During the delay the source is paused, and no thread waits. The limit
/// also applies after ``rewind()``: a full packet stays full until its delay is over.
package final class ThrottledSource: BodySourceWrapper {
    package let source: any BodySource
    private let packetBytes: Int
    private let delay: Duration
    private let clock: any Clock<Duration>
    private let pace: Mutex<Pace>

    private struct Pace {
        /// The number of bytes left in the packet.
        var left: Int
        /// The delay after a full packet; `nil` if none is running.
        var wait: Wait?
        /// The number of delays, which distinguishes canceled ones from the current one.
        var number = 0
        /// The function to call after a pause; `nil` while no transfer reads.
        var resume: (@Sendable () -> Void)?
    }

    private struct Wait {
        /// The task that ends the delay.
        var task: Task<Void, Never>?
        /// A Boolean value that indicates whether a read was answered with a pause.
        var isAwaited = false
    }

    /// Creates a source that limits the rate of another.
    ///
    /// - Parameters:
    ///   - source: The source of the bytes, which then belongs to the throttle.
    ///   - throttle: The packet size and the delay. A packet of less than one byte counts as one byte; a delay that is
    ///     not positive means no limit.
    ///   - clock: Measures the delay.
    package init(
        _ source: any BodySource, _ throttle: BandwidthThrottle, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.source = source
        packetBytes = max(throttle.packetBytes, 1)
        delay = throttle.delay
        self.clock = clock
        pace = Mutex(Pace(left: packetBytes))
    }

    /// False: reading it for its digest would take as long as sending it.
    package var isRepeatable: Bool { false }

    /// Starts the source with a new packet.
    package func begin(resume: @escaping @Sendable () -> Void) {
        reset(resume: resume)
        source.begin(resume: resume)
    }

    /// Ends the source and cancels a delay.
    ///
    /// A concurrent call of `resume` may still arrive; none follows later.
    package func end() {
        reset(resume: nil)
        source.end()
    }

    /// Reads as many bytes from the source as are left in the packet.
    package func read(into buffer: inout OutputRawSpan) -> SourceAnswer {
        let left = pace.withLock { pace -> Int? in
            guard pace.wait != nil else { return pace.left }
            pace.wait?.isAwaited = true
            return nil
        }
        guard let left else { return .pause }
        let before = buffer.byteCount
        let answer = buffer.withRoom(left) { source.read(into: &$0) }
        spend(buffer.byteCount - before)
        return answer
    }

    private func reset(resume: (@Sendable () -> Void)?) {
        let given = pace.withLock { pace in
            defer { pace = Pace(left: packetBytes, number: pace.number + 1, resume: resume) }
            return pace.wait?.task
        }
        given?.cancel()
    }

    /// Takes bytes from the packet, and starts the delay when it is full.
    private func spend(_ count: Int) {
        let number = pace.withLock { pace -> Int? in
            pace.left -= count
            guard pace.left <= 0 else { return nil }
            pace.left = packetBytes
            guard delay > .zero else { return nil }
            pace.number += 1
            pace.wait = Wait()
            return pace.number
        }
        guard let number else { return }
        let task = Task { [weak self, clock, delay] in
            do {
                try await clock.boundedSleep(for: delay)
            } catch {
                // The sleep only throws if the delay was canceled.
                return
            }
            self?.delayIsOver(number)
        }
        pace.withLock { pace in
            // The delay may already be over.
            if pace.number == number { pace.wait?.task = task }
        }
    }

    private func delayIsOver(_ number: Int) {
        let resume = pace.withLock { pace -> (@Sendable () -> Void)? in
            guard pace.number == number, let wait = pace.wait else { return nil }
            pace.wait = nil
            return wait.isAwaited ? pace.resume : nil
        }
        resume?()
    }
}

/// A limit on the rate at which a body is sent: each packet is followed by a pause.
///
/// The average rate is `packetBytes / delay`; the default is about 80 KiB a second.
public struct BandwidthThrottle: Sendable, Hashable {
    /// The most bytes that are sent at once; values below 1 count as 1.
    ///
    /// Default: 16 KiB.
    public var packetBytes: Int
    /// The pause after each packet; negative values count as zero.
    ///
    /// Default: 200 ms.
    public var delay: Duration

    /// Creates a throttle.
    public init(packetBytes: Int = 16 * 1024, delay: Duration = .milliseconds(200)) {
        self.packetBytes = packetBytes
        self.delay = delay
    }
}
